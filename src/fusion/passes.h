// The rewrites of one plan, in the order in which `fuse` runs them.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "fusion/coalescing.h"
#include "fusion/fusion.h"
#include "fusion/plan_graph.h"

namespace litz::fusion {

/// At most this many operators in a kernel: beyond, reports are hard to read and little is saved.
inline constexpr size_t kMostLabels = 64;
/// Whether a kernel that stands for so many operators, with so many instructions and buffers, is not
/// to be made.
bool is_too_large(const machine::Machine& machine, size_t labels, int instrs, size_t buffers);

/// How two steps were tried to be joined.
enum class Attempt : uint8_t { sink, merge, chain };

/// Notes why a pair was not fused; each pair once a round, with its first reason.
class MissedPairs {
 public:
  void begin_round() { pairs_.clear(); }

  void note(StepId producer, StepId consumer, Reason reason);

  /// Joining two nests is costly to try: the reason why it failed before, if neither step changed.
  std::optional<Reason> refusal(const PlanGraph& graph, StepId first, StepId second,
                                Attempt attempt) const;
  void refuse(const PlanGraph& graph, StepId first, StepId second, Attempt attempt, Reason reason);
  /// For pairs of live steps.
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
  std::map<std::tuple<StepId, StepId, Attempt>, Refusal> refusals_;
};

/// Binds kernels to storage instead of views of it, and removes views that nobody needs then.
void resolve_views(PlanGraph& graph);

/// Drops results of kernels that nobody reads, and kernels that are left without results.
void remove_unread_results(PlanGraph& graph);
/// Drops stores to slots for which `is_unread` holds, unless the kernel reads them itself, and what
/// only they need. Returns these slots.
std::vector<Slot> remove_unread_stores(KernelStep& kernel,
                                       const std::function<bool(Slot)>& is_unread);

/// Computes pointwise producers where their consumers load them. True when anything changed.
bool inline_producers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// Computes pointwise consumers where their producers store. True when anything changed.
bool sink_consumers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// Makes one nest of nests with a common outer loop. True when anything changed.
bool merge_loops(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed);

/// Puts small kernels that read each other's results one behind the other in one kernel: what starts
/// a kernel takes longer than they do. True when anything changed.
bool chain_small_kernels(PlanGraph& graph, MissedPairs& missed);

/// Makes two kernels of one that reduces at least `least` elements to few, or may do so where sizes are
/// symbols: parts, which threads divide, and what puts them together. True when anything changed.
bool split_reductions(PlanGraph& graph, int64_t least);

/// Computes pointwise consumers of library calls on the parts of results that the calls wrote last.
void attach_epilogues(PlanGraph& graph, MissedPairs& missed);

/// Makes results that only the kernel itself reads, a row at a time, memory of its own.
void make_scratch(PlanGraph& graph, StepId id);

/// Accesses whose indices divide become accesses of a flat buffer, where the address does not.
void flatten_buffers(lowering::KernelStep& step);

/// Simplifies a kernel after it was put together, merges equal values, drops what is unused.
void clean_kernel(lowering::KernelStep& step);

}  // namespace litz::fusion
