// The rewrites of one plan, in the order in which `fuse` runs them.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "fusion/coalescing.h"
#include "fusion/fusion.h"
#include "fusion/plan_graph.h"
#include "loops/pointwise.h"

namespace litz::fusion {

/// The most operators in a kernel. With more, reports are hard to read and little is saved.
inline constexpr size_t kMostLabels = 64;
/// True if a kernel with this many operators, instructions and buffers is too large to be made.
bool is_too_large(const machine::Machine& machine, size_t labels, int instrs, size_t buffers);

/// The way in which a join of two steps was tried.
enum class Attempt : uint8_t { sink, merge, chain };

/// Records why a pair was not fused; each pair once per round, with its first reason.
class MissedPairs {
 public:
  void begin_round() {
    pairs_.clear();
    noted_.clear();
  }

  void note(StepId producer, StepId consumer, Reason reason);

  /// A join of two nests is costly to try. Returns why it failed before, if neither step has
  /// changed.
  std::optional<Reason> refusal(const PlanGraph& graph, StepId first, StepId second,
                                Attempt attempt) const;
  void refuse(const PlanGraph& graph, StepId first, StepId second, Attempt attempt, Reason reason);
  /// Reports pairs of live steps.
  void report(PlanGraph& graph, int plan, FusionReport& report) const;

 private:
  struct Pair {
    StepId producer;
    StepId consumer;
    Reason reason;
  };

  struct Refusal {
    int first_version;
    int second_version;
    Reason reason;
  };

  std::vector<Pair> pairs_;
  std::set<std::pair<StepId, StepId>> noted_;
  std::map<std::tuple<StepId, StepId, Attempt>, Refusal> refusals_;
};

/// Binds kernels to storage instead of views of it, and removes views without readers.
void resolve_views(PlanGraph& graph);

/// Drops results of kernels that no step reads, and kernels that have no result left.
void remove_unread_results(PlanGraph& graph);
/// Drops stores to slots for which `is_unread` holds, unless the kernel itself reads them, and
/// instructions that only they need. Returns these slots.
std::vector<Slot> remove_unread_stores(KernelStep& kernel,
                                       const std::function<bool(Slot)>& is_unread);

/// Computes pointwise producers where their consumers load them. Returns true if it changed the
/// plan.
bool inline_producers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// True if every load of the producer's results in the consumer can be replaced by the producer's
/// body.
bool can_inline(const KernelStep& producer, const loops::PointwiseNest& nest,
                const KernelStep& consumer);

/// Makes the last loop of row kernels a kernel of its own where readers need few of its elements, so
/// that it can be inlined. Returns true if it changed the plan.
bool split_tails(PlanGraph& graph);

/// Computes pointwise consumers where their producers store. Returns true if it changed the plan.
bool sink_consumers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// Merges nests with a common outer loop. Returns true if it changed the plan.
bool merge_loops(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// Runs small kernels that read each other's results one after another in one kernel, since a
/// launch takes longer than they do. Returns true if it changed the plan.
bool chain_small_kernels(PlanGraph& graph, MissedPairs& missed);

/// Splits kernels that reduce at least `least` elements to few, or may do so at some symbolic
/// sizes: one kernel for the parts, which threads divide, and one that combines them. Returns true
/// if it changed the plan.
bool split_reductions(PlanGraph& graph, int64_t least);

/// Computes pointwise consumers of library calls on the parts of results that the calls have just
/// written.
void attach_epilogues(PlanGraph& graph, MissedPairs& missed);

/// Turns results that only the kernel itself reads, one row at a time, into scratch buffers.
void make_scratch(PlanGraph& graph, StepId id);

/// Turns accesses whose indices divide into accesses of a flat buffer, if the address does not
/// divide.
void flatten_buffers(lowering::KernelStep& step);

/// Simplifies a fused kernel, merges equal values, drops unused ones.
void clean_kernel(lowering::KernelStep& step);

}  // namespace litz::fusion
