// One spelling for kernels that compute the same in the same way.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Renames the kernel, its buffers and loop variables and renumbers its values in the order in which
/// they appear, so that kernels that differ in names only print alike. Adds index symbols.
void canonicalize(Kernel& kernel);

}  // namespace litz::loops
