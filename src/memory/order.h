// Orders the steps of a plan so that less memory is in use at once.

#pragma once

#include <cstdint>

#include "lowering/plan.h"

namespace litz::memory {

struct OrderReport {
  double peak_before = 0;  ///< Bytes, for plausible sizes where sizes are symbolic.
  double peak_after = 0;
};

/// Tries a greedy order (of the steps that could run, the one that needs least) and keeps it if its
/// peak is lower. Steps that define symbols stay where they are, and nothing moves across them.
OrderReport order_for_memory(lowering::Plan& plan);

}  // namespace litz::memory
