// Copies of kernels, for those who rewrite one and keep the other.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// A deep copy on the same pool.
Kernel clone(const Kernel& kernel);

}  // namespace litz::loops
