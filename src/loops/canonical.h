// Makes kernels textually equal if they compute the same in the same way.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Renames the kernel, its buffers and loop variables, and renumbers its values in order of
/// appearance, so kernels that differ only in names print alike. Adds index symbols.
void canonicalize(Kernel& kernel);

}  // namespace litz::loops
