// What the sizes of a kernel must be so that its accesses stay inside of its buffers.

#pragma once

#include <vector>

#include "loops/kernel.h"

namespace litz::loops {

struct AccessCondition {
  BufferId buffer = -1;
  Expr holds;  ///< Of sizes only.
};

/// The conditions that are not known to hold, of accesses whose coordinates are sums of multiples of loop
/// variables. What numbers alone decide is not among them. Coordinates from data are checked by
/// bound_index, and accesses with a predicate by that.
std::vector<AccessCondition> access_conditions(const Kernel& kernel);

}  // namespace litz::loops
