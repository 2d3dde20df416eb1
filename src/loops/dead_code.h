// Removes instructions whose results nobody reads and that do nothing else.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// True when anything was removed. What can fail at run time (bound_index, integer division,
/// reductions without identity that must not be empty) is kept.
bool remove_dead_code(Kernel& kernel);

}  // namespace litz::loops
