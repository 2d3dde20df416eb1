// Places the temporaries of a plan in one block of memory.
//
//   step      0   1   2   3
//   %a 4 KiB  ##  ##               offset 0
//   %b 1 KiB      ##  ##           offset 4096
//   %c 4 KiB          ##  ##       offset 0, since %a is dead
//
// A pointwise kernel may write its result over an operand that dies there, element over element.
// What shares memory in this way is decided once for all sizes; offsets are for given sizes, or for
// all sizes in a box, with room for the largest that each slot can have there.

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
  std::vector<Chunk> chunks;  ///< The blocks that the placements are in, one for slots in place.
  int64_t bytes = 0;          ///< Of the whole block.
  int64_t peak = 0;           ///< The most that is in use at one step: no placement needs less.
  int64_t unplanned = 0;      ///< The sum of all sizes: what it would take without reuse.
};

/// Plans the slots that the runner allocates and that do not outlive the plan; views of them need
/// none.
class MemoryPlanner {
 public:
  /// Builds expressions, so nothing else may build with the plan's pool at that time; the rest may
  /// be called from several threads. The plan must outlive this.
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

  /// The number of a slot's chunk; -1 for views and what the plan does not place.
  std::vector<int> chunks_by_slot() const;

  /// Throws Error for sizes that overflow or are negative.
  MemoryPlan plan(const Bindings& bindings) const;
  /// Holds for all sizes in the box; nothing where some slot has no bound.
  std::optional<MemoryPlan> plan(const SizeBox& box) const;

 private:
  int dying_operand(size_t result) const;
  bool is_taken(lowering::Slot operand) const;
  bool is_seen_through_views(const lowering::KernelStep& kernel, int storage,
                             lowering::Slot slot) const;
  MemoryPlan plan_for(std::span<const int64_t> bytes) const;

  lowering::PlanPart part_;
  Storages storages_;
  std::vector<Expr> bytes_;         ///< By storage; 0 where the plan does not place it.
  std::vector<Expr> signed_sizes_;  ///< Those that could be negative as far as is known.
  std::vector<int> chunk_of_;       ///< By storage.
  std::vector<SizedChunk> chunks_;
  std::vector<InPlace> in_place_;
};

/// The plan for one combination of sizes.
MemoryPlan plan_memory(const lowering::Plan& plan, const Bindings& bindings,
                       const MemoryPlanOptions& options = {});

/// Check-fails unless placements that are in use at one step are disjoint, save in-place pairs at
/// the step where one follows the other.
void check_memory_plan(const MemoryPlan& plan);

}  // namespace litz::memory
