// Places the temporaries of a plan in one block of memory.
//
//   step      0   1   2   3
//   %a 4 KiB  ##  ##               offset 0
//   %b 1 KiB      ##  ##           offset 4096
//   %c 4 KiB          ##  ##       offset 0, since %a is dead
//
// A pointwise kernel may write its result over an operand that dies there, element by element.
// Which slots share memory in this way is decided once for all sizes. Offsets are for given sizes,
// or for all sizes in a box, with room for each slot's largest size there.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "expr/size_box.h"
#include "lowering/plan.h"
#include "memory/storages.h"
#include "support/arrange.h"

namespace litz::memory {

struct MemoryPlanOptions {
  /// Allows results over operands. Executors must then not assume that a kernel's buffers are
  /// distinct for the pairs in MemoryPlan::in_place.
  bool in_place = true;
};

struct Placement {
  lowering::Slot slot = lowering::kNoSlot;
  int64_t offset = 0;  ///< Bytes; a multiple of 64.
  int64_t bytes = 0;
  int first = 0;  ///< The first step that uses it, inclusive.
  int last = 0;
};

struct InPlace {
  int step = 0;
  lowering::Slot operand = lowering::kNoSlot;
  lowering::Slot result = lowering::kNoSlot;
};

struct MemoryPlan {
  std::vector<Placement> placements;  ///< In step order.
  std::vector<InPlace> in_place;
  std::vector<Chunk> chunks;  ///< The blocks that contain the placements; slots in place share one.
  int64_t bytes = 0;          ///< The size of the whole block.
  int64_t peak = 0;           ///< The maximum in use at one step, a lower bound for any placement.
  int64_t unplanned = 0;      ///< The sum of all sizes: the memory without reuse.
};

/// Plans the slots that the runner allocates and that do not outlive the plan. Views of them need
/// no memory.
class MemoryPlanner {
 public:
  /// Builds expressions, so no other thread may build with the plan's pool meanwhile; the other
  /// functions are thread-safe. The plan must outlive this.
  explicit MemoryPlanner(lowering::PlanPart part, const MemoryPlanOptions& options = {});

  explicit MemoryPlanner(const lowering::Plan& plan, const MemoryPlanOptions& options = {})
      : MemoryPlanner(lowering::whole(plan), options) {}

  /// A block, by MemoryPlan::chunks.
  struct SizedChunk {
    Expr bytes;  ///< Not rounded.
    int first = 0;
    int last = 0;
  };

  std::span<const SizedChunk> chunks() const { return chunks_; }

  /// The chunk of each slot; -1 for views and slots that the plan does not place.
  std::vector<int> chunks_by_slot() const;

  /// Throws Error for sizes that overflow or are negative.
  MemoryPlan plan(const Bindings& bindings) const;
  /// Holds for all sizes in the box; nullopt if a slot has no bound.
  std::optional<MemoryPlan> plan(const SizeBox& box) const;

 private:
  int dying_operand(size_t result) const;
  bool is_taken(lowering::Slot operand) const;
  bool is_seen_through_views(const lowering::KernelStep& kernel, int storage,
                             lowering::Slot slot) const;
  MemoryPlan plan_for(std::span<const int64_t> bytes) const;

  lowering::PlanPart part_;
  Storages storages_;
  std::vector<Expr> bytes_;         ///< By storage; 0 if the plan does not place it.
  std::vector<Expr> signed_sizes_;  ///< Sizes that are not known to be nonnegative.
  std::vector<int> chunk_of_;       ///< By storage.
  std::vector<SizedChunk> chunks_;
  std::vector<InPlace> in_place_;
};

/// Plans for one combination of sizes.
MemoryPlan plan_memory(const lowering::Plan& plan, const Bindings& bindings,
                       const MemoryPlanOptions& options = {});

/// Check-fails unless placements that are live at one step are disjoint, except in-place pairs at
/// the step where one replaces the other.
void check_memory_plan(const MemoryPlan& plan);

}  // namespace litz::memory
