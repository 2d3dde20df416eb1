// Removes instructions without effects whose results have no readers.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Returns true if it removed any. Instructions that can fail at run time stay (bound_index,
/// integer division, reductions without identity that must not be empty).
bool remove_dead_code(Kernel& kernel);

}  // namespace litz::loops
