// Copies kernels, for code that rewrites one and keeps the other.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Returns a deep copy on the same pool.
Kernel clone(const Kernel& kernel);

}  // namespace litz::loops
