// Places the temporaries of a plan in one block of memory.
//
//   step      0   1   2   3
//   %a 4 KiB  ##  ##               offset 0
//   %b 1 KiB      ##  ##           offset 4096
//   %c 4 KiB          ##  ##       offset 0, since %a is dead
//
// Two placements are tried and the smaller one is kept: largest first into the tightest gap, and in
// order of time into the tightest free block. A pointwise kernel may write its result over an
// operand that dies there, element over element.

#pragma once

#include <cstdint>
#include <vector>

#include "lowering/plan.h"
#include "types/expr.h"

namespace litz::fusion {

struct MemoryPlanOptions {
  /// Allows results over operands. Executors then must not assume that a kernel's buffers are
  /// distinct for the pairs in MemoryPlan::in_place.
  bool in_place = true;
};

struct Placement {
  lowering::Slot slot = lowering::kNoSlot;
  int64_t offset = 0;  ///< Bytes; a multiple of 64.
  int64_t bytes = 0;
  int first = 0;  ///< Steps that use it, inclusive.
  int last = 0;
};

struct InPlace {
  int step = 0;
  lowering::Slot operand = lowering::kNoSlot;
  lowering::Slot result = lowering::kNoSlot;
};

struct MemoryPlan {
  std::vector<Placement> placements;  ///< In the order of steps.
  std::vector<InPlace> in_place;
  int64_t bytes = 0;      ///< Of the whole block.
  int64_t peak = 0;       ///< The most that is in use at one step: no placement needs less.
  int64_t unplanned = 0;  ///< The sum of all sizes: what it would take without reuse.
};

/// Slots that the runner allocates and that do not outlive the plan; views of them need none.
/// Throws Error for sizes that overflow or are negative.
MemoryPlan plan_memory(const lowering::Plan& plan, const Bindings& bindings,
                       const MemoryPlanOptions& options = {});

/// Check-fails unless placements that are in use at one step are disjoint, save in-place pairs at
/// the step where one follows the other.
void check_memory_plan(const MemoryPlan& plan);

}  // namespace litz::fusion
