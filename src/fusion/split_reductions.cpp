// Long reductions with few results become two kernels, so that threads have something to divide.
//
//   kernel @sum {                               kernel @sum_parts {
//     %2 = reduce sum i0 in 0..4000000 {          for c0 in 0..64 {
//       %1 = load %x[i0]                            %1 = reduce sum k0 in 0..62500 {
//       yield %1                                      %0 = load %x[62500*c0 + k0]
//     }                                     =>        yield %0
//     store %o[], %2                                }
//   }                                               store %parts[c0], %1
//                                                 }
//                                               }
//                                               kernel @sum {
//                                                 %3 = reduce sum c1 in 0..64 { load %parts[c1] }
//                                                 store %o[], %3
//                                               }
//
// The number of parts follows only from sizes, so results do not depend on the number of threads.
// If a size is a symbol with a large enough range, the number is an expression of it that is 1 for
// small sizes: each call decides. If the parts do not divide the size, fewer elements than parts
// are left; the second kernel adds them itself. A reduction without identity must not be empty: its
// rest begins one element early, and the repeated element changes nothing. If the reduction may be
// empty, so may its parts.
//
// This file decides which reductions are split, and finds their operands. The rewriting is in
// reduction_parts.h.

#include <algorithm>
#include <set>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "fusion/reduction_parts.h"
#include "fusion/split_sizes.h"
#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "loops/signature.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Instr;
using loops::InstrKind;
using loops::kNoValue;
using loops::ValueId;

class ReductionSplitter {
 public:
  ReductionSplitter(PlanGraph& graph, StepId id, PlacedReduction reduction, int64_t least,
                    std::set<Slot>& parts)
      : graph_(graph), id_(id), at_(reduction), least_(least), parts_(parts) {}

  bool run() {
    if (!is_worth()) return false;
    const auto sizes = split_sizes(at_.instr().vars, at_.kind(), least_, graph_.machine());
    if (!sizes || !find_needed()) return false;
    const std::vector<Slot> made = compute_in_parts(graph_, id_, at_, *sizes, before_);
    parts_.insert(made.begin(), made.end());
    return true;
  }

 private:
  // True if the kernel combines parts already.
  bool reads_parts() {
    bool found = false;
    for_each_instr(*at_.instr().blocks[0], [&](const Instr& instr) {
      if (instr.kind != InstrKind::load) return;
      found = found || parts_.contains(at_.step().buffers[static_cast<size_t>(instr.buffer)].slot);
    });
    return found;
  }

  bool is_worth() {
    if (loops::result_count(at_.kind()) != 1 || reads_parts()) return false;
    const machine::Machine& machine = graph_.machine();
    const double results = trips(at_.outer());
    if (results >= static_cast<double>(machine.enough_iterations)) return false;
    if (results * trips(at_.instr().vars, kLongSize) < static_cast<double>(least_)) return false;
    const double length = trips(at_.instr().vars);
    // A row of this many floats fits the last cache beside the rows of other threads.
    const double cached_row = static_cast<double>(machine.last_cache_bytes) / 8 / sizeof(float);
    if (results <= 1 || length >= cached_row) return true;
    // Other loops find the row in the cache as it is.
    return std::ranges::none_of(at_.block().instrs, [&](const Instr& instr) {
      if (&instr == &at_.instr()) return false;
      double inside = trips(instr.vars);
      for (const auto& nested : instr.blocks) inside *= inner_trips(*nested);
      return inside * 2 > length;
    });
  }

  // --- The operands of the reduction

  bool is_stored(BufferId buffer) {
    bool stored = false;
    for_each_instr(at_.kernel().body, [&](const Instr& instr) {
      stored = stored || (instr.kind == InstrKind::store && instr.buffer == buffer);
    });
    return stored;
  }

  // Records the values that the instruction needs; false if another kernel cannot compute it.
  bool note(const Instr& instr) {
    if (instr.kind == InstrKind::store || instr.kind == InstrKind::sort) return false;
    if (instr.kind == InstrKind::load && is_stored(instr.buffer)) return false;
    const auto need = [&](ValueId value) {
      if (value != kNoValue) needed_.insert(value);
    };
    for (const ValueId value : instr.operands) need(value);
    need(instr.predicate);
    need(instr.other);
    for (const loops::Index& index : instr.indices) {
      if (const auto* value = std::get_if<ValueId>(&index)) need(*value);
    }
    for (const auto& nested : instr.blocks) {
      for (const ValueId value : nested->yields) need(value);
      if (!std::ranges::all_of(nested->instrs, [&](const Instr& inner) { return note(inner); })) {
        return false;
      }
    }
    return true;
  }

  bool note_before(const std::vector<Instr>& instrs, size_t end) {
    for (size_t i = end; i-- > 0;) {
      const Instr& instr = instrs[i];
      const bool is_needed = std::ranges::any_of(
          instr.results, [&](ValueId value) { return needed_.contains(value); });
      if (!is_needed) continue;
      // A long computation would be repeated for every part.
      const double part = trips(at_.instr().vars, kLongSize) /
                          static_cast<double>(graph_.machine().enough_iterations);
      if (!note(instr) || work_inside(instr) * 2 > part) return false;
      before_.push_back(&instr);
    }
    return true;
  }

  static double work_inside(const Instr& instr) {
    double inside = instr.blocks.empty() ? 0 : trips(instr.vars, kLongSize);
    for (const auto& nested : instr.blocks) inside *= inner_trips(*nested, kLongSize);
    return inside;
  }

  bool find_needed() {
    if (!graph_.step(id_).defines.empty() || !note(at_.instr())) return false;
    if (!note_before(at_.block().instrs, at_.index())) return false;
    if (at_.loop_index() >= 0) {
      if (!note_before(at_.kernel().body.instrs, static_cast<size_t>(at_.loop_index())))
        return false;
    }
    std::ranges::reverse(before_);
    return true;
  }

  PlanGraph& graph_;
  StepId id_;
  PlacedReduction at_;
  int64_t least_;
  std::set<Slot>& parts_;  ///< Slots of the parts of all split reductions.
  std::set<ValueId> needed_;
  std::vector<const Instr*> before_;
};

bool split_one(PlanGraph& graph, StepId id, int64_t least, std::set<Slot>& parts) {
  const auto split = [&](int loop, size_t index) {
    return ReductionSplitter(graph, id, {*graph.kernel(id), loop, index}, least, parts).run();
  };
  const Block& body = graph.kernel(id)->kernel.body;
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& instr = body.instrs[i];
    if (instr.kind == InstrKind::reduce && split(-1, i)) return true;
    if (instr.kind != InstrKind::loop || !instr.carried.empty()) continue;
    const std::vector<Instr>& inner = instr.blocks[0]->instrs;
    for (size_t k = 0; k < inner.size(); ++k) {
      if (inner[k].kind == InstrKind::reduce && split(static_cast<int>(i), k)) return true;
    }
  }
  return false;
}

}  // namespace

bool split_reductions(PlanGraph& graph, int64_t least) {
  bool changed = false;
  std::set<Slot> parts;
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    while (graph.kernel(id) != nullptr && split_one(graph, id, least, parts)) {
      changed = true;
    }
  }
  return changed;
}

}  // namespace litz::fusion
