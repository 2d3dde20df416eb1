// Orders the steps of a plan so that less memory is in use at the same time.

#pragma once

#include <cstdint>

#include "lowering/plan.h"

namespace litz::memory {

struct OrderReport {
  double peak_before = 0;  ///< Bytes, for plausible sizes where sizes are symbolic.
  double peak_after = 0;
};

/// Tries a greedy order, which always picks the ready step that needs the least memory, and keeps
/// it if its peak is lower. Steps that define symbols keep their places, and no step moves across
/// them.
OrderReport order_for_memory(lowering::Plan& plan);

}  // namespace litz::memory
