// Merges two kernels whose loop nests have a common outer loop: one reads what the other stores (a
// residual sum and the norm of its rows), or both read the same values.
//
// A pair's score is the number of bytes that need not pass through memory. Pairs are merged in
// order of score. fuse_loops.h fuses the loops themselves.

#include <algorithm>
#include <array>
#include <set>

#include "fusion/fuse_loops.h"
#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;

// Steps farther apart than this no longer share cache lines, and a wider search costs compile time.
constexpr int kWindow = 64;
// The most kernels in one nest that only read the same values. More would spill registers.
constexpr size_t kMostSideBySide = 16;
// Pairs that share less than this part of the smaller one's reads and writes gain nothing.
constexpr double kSharedPart = 0.25;

struct Candidate {
  StepId first = kNoStep;
  StepId second = kNoStep;
  bool is_vertical = false;
  double shared = 0;
  int distance = 0;
};

/// Instructions, weighted by how often they run if unknown sizes are large.
double work_of(const Block& block) {
  double work = 0;
  for (const Instr& instr : block.instrs) {
    double own = 1;
    for (const auto& nested : instr.blocks) own += work_of(*nested);
    for (const loops::LoopVar& var : instr.vars) own *= estimate(var.extent, kLongSize);
    work += own;
  }
  return work;
}

double bytes_of(const TensorType& type) {
  return estimate(type.numel()) * static_cast<double>(item_size(type.dtype));
}

// The index of the only loop at the top of a kernel, or -1. Other instructions there must be pure.
int only_loop(const loops::Kernel& kernel) {
  int found = -1;
  for (size_t i = 0; i < kernel.body.instrs.size(); ++i) {
    switch (kernel.body.instrs[i].kind) {
      case InstrKind::constant:
      case InstrKind::index:
      case InstrKind::op:
      case InstrKind::load:
        break;
      case InstrKind::loop:
        if (found >= 0 || !kernel.body.instrs[i].carried.empty()) return -1;
        found = static_cast<int>(i);
        break;
      default:
        return -1;
    }
  }
  return found;
}

class KernelMerge {
 public:
  KernelMerge(PlanGraph& graph, CoalescingGate& gate, StepId first, StepId second)
      : graph_(graph),
        gate_(gate),
        first_(first),
        second_(second),
        a_(*graph.kernel(first)),
        b_(*graph.kernel(second)) {}

  /// Merges the nests, or returns why not.
  std::optional<Reason> merge() {
    if (const auto refusal = check_limits()) return refusal;
    if (only_loop(a_.kernel) < 0 || only_loop(b_.kernel) < 0) return Reason::loops_differ;
    if (const auto refusal = put_together(false)) return refusal;
    const auto refusal =
        fuse_loops(merged_.kernel, merged_.kernel.body, static_cast<size_t>(only_loop(a_.kernel)),
                   static_cast<size_t>(second_loop_), graph_.machine());
    if (refusal) return refusal;
    clean();
    const KernelStep* fused = &merged_;
    if (gate_.refuses(graph_, {&fused, 1}, std::array{first_, second_})) {
      return Reason::coalescing;
    }
    commit();
    return std::nullopt;
  }

  /// Appends the second kernel to the first, or returns why not.
  std::optional<Reason> chain() {
    if (helps_second_core()) return Reason::too_large;
    if (const auto refusal = check_limits()) return refusal;
    if (const auto refusal = put_together(true)) return refusal;
    forward_stores(merged_.kernel.body, a_.kernel.body.instrs.size());
    clean();
    commit();
    return std::nullopt;
  }

 private:
  /// True if the work of both is enough for a second core to help.
  bool helps_second_core() const {
    const machine::Machine& machine = graph_.machine();
    const double work = work_of(a_.kernel.body) + work_of(b_.kernel.body);
    return work / machine.lanes() * machine.instruction_nanoseconds > machine.handover_nanoseconds;
  }

  std::optional<Reason> check_limits() const {
    const size_t labels = graph_.labels(first_).size() + graph_.labels(second_).size();
    if (is_too_large(graph_.machine(), labels, instr_count(a_.kernel) + instr_count(b_.kernel),
                     a_.buffers.size() + b_.buffers.size())) {
      return Reason::too_large;
    }
    if (!graph_.can_join(first_, second_)) return Reason::steps_between;
    return std::nullopt;
  }

  // In sequence, the first kernel stores all its results before the second starts.
  std::optional<Reason> put_together(bool in_sequence) {
    merged_ = copy_step(a_);
    reader_ = copy_step(b_);
    if (const auto refusal = read_from_first(reader_.kernel.body, !in_sequence)) return refusal;
    append();
    return std::nullopt;
  }

  // Redirects loads of the first kernel's results to its own buffers.
  std::optional<Reason> read_from_first(Block& block, bool is_top) {
    for (Instr& instr : block.instrs) {
      if (instr.kind == InstrKind::load) {
        const auto& binding = reader_.buffers[static_cast<size_t>(instr.buffer)];
        if (binding.slot != kNoSlot && graph_.producer(binding.slot) == first_) {
          if (is_top) return Reason::other_iterations;
          if (const auto refusal = redirect(instr)) return refusal;
        }
      }
      for (const auto& nested : instr.blocks) {
        if (const auto refusal = read_from_first(*nested, false)) return refusal;
      }
    }
    return std::nullopt;
  }

  std::optional<Reason> redirect(Instr& load) {
    const lowering::BufferSlot binding = reader_.buffers[static_cast<size_t>(load.buffer)];
    const TensorType read = reader_.kernel.buffers[static_cast<size_t>(load.buffer)].type;
    const std::optional<BufferId> result = result_of(binding.slot);
    if (!result) return Reason::layout;
    const TensorType& written = a_.kernel.buffers[static_cast<size_t>(*result)].type;
    if (written.dtype != read.dtype) return Reason::layout;
    std::vector<Expr> indices;
    for (const Index& index : load.indices) {
      const auto* expr = std::get_if<Expr>(&index);
      if (expr == nullptr) return Reason::other_iterations;
      indices.push_back(*expr);
    }
    const Expr offset = binding.offset();
    auto element = same_element(written, read, offset, indices);
    if (!element) {
      const bool is_conditional = load.predicate != loops::kNoValue;
      element = element_at(written, address_of(read, offset, indices), is_conditional);
    }
    if (!element) return Reason::address;
    load.buffer = forwarded(*result);
    load.indices.assign(element->begin(), element->end());
    return std::nullopt;
  }

  std::optional<BufferId> result_of(Slot slot) const {
    std::optional<BufferId> found;
    for (size_t i = 0; i < a_.buffers.size(); ++i) {
      if (a_.buffers[i].slot != slot) continue;
      if (found || a_.buffers[i].restrided) return std::nullopt;
      found = static_cast<BufferId>(i);
    }
    return found;
  }

  // The reader's buffer for a result of the first kernel.
  BufferId forwarded(BufferId result) {
    for (const auto& [ours, theirs] : forwarded_) {
      if (theirs == result) return ours;
    }
    reader_.kernel.buffers.push_back(a_.kernel.buffers[static_cast<size_t>(result)]);
    reader_.buffers.push_back(a_.buffers[static_cast<size_t>(result)]);
    forwarded_.emplace_back(static_cast<BufferId>(reader_.buffers.size()) - 1, result);
    return forwarded_.back().first;
  }

  void append() {
    InstrCopier copier(reader_.kernel, merged_.kernel);
    std::vector<bool> is_read(reader_.buffers.size(), false);
    for_each_instr(reader_.kernel.body, [&](const Instr& instr) {
      if (instr.buffer >= 0) is_read[static_cast<size_t>(instr.buffer)] = true;
    });
    for (const auto& [ours, theirs] : forwarded_) {
      copier.map_buffer(ours, theirs);
      is_read[static_cast<size_t>(ours)] = false;
    }
    for (size_t i = 0; i < is_read.size(); ++i) {
      if (!is_read[i]) continue;
      const auto buffer = static_cast<BufferId>(i);
      copier.map_buffer(buffer, bind_alike(merged_, reader_, buffer));
    }
    second_loop_ = static_cast<int>(merged_.kernel.body.instrs.size()) + only_loop(b_.kernel);
    copier.copy(reader_.kernel.body, merged_.kernel.body);
  }

  void clean() {
    clean_kernel(merged_);
    unread_ = remove_unread_stores(
        merged_, [&](Slot slot) { return !graph_.is_needed_beside(slot, second_); });
  }

  void commit() {
    graph_.join_labels(second_, first_);
    graph_.move_to(first_, second_);
    Step& step = graph_.step(first_);
    for (lowering::Result& result : graph_.step(second_).results) {
      step.results.push_back(std::move(result));
    }
    std::erase_if(step.results, [&](const lowering::Result& result) {
      return std::ranges::count(unread_, result.slot) > 0;
    });
    a_ = std::move(merged_);
    graph_.remove(second_);
    graph_.refresh(first_);
  }

  PlanGraph& graph_;
  CoalescingGate& gate_;
  StepId first_;
  StepId second_;
  KernelStep& a_;
  const KernelStep& b_;
  KernelStep merged_;
  KernelStep reader_;
  std::vector<std::pair<BufferId, BufferId>> forwarded_;  ///< The reader's, the first one's.
  int second_loop_ = -1;
  std::vector<Slot> unread_;  ///< Results without readers after the merge.
};

double traffic(const KernelStep& kernel) {
  double bytes = 0;
  for (const loops::Buffer& buffer : kernel.kernel.buffers) bytes += bytes_of(buffer.type);
  return bytes;
}

// Counts the bytes that both access; the second kernel's view gives a slot's size.
Candidate weigh(PlanGraph& graph, StepId first, StepId second) {
  Candidate candidate{first, second, false, 0, graph.position(second) - graph.position(first)};
  const KernelStep& a = *graph.kernel(first);
  const KernelStep& b = *graph.kernel(second);
  std::set<Slot> seen;
  for (size_t i = 0; i < b.buffers.size(); ++i) {
    const Slot slot = b.buffers[i].slot;
    if (slot == kNoSlot || seen.contains(slot)) continue;
    const auto in_first = std::ranges::find(a.buffers, slot, &lowering::BufferSlot::slot);
    if (in_first == a.buffers.end()) continue;
    seen.insert(slot);
    const auto position = static_cast<size_t>(in_first - a.buffers.begin());
    candidate.shared +=
        std::min(bytes_of(b.kernel.buffers[i].type), bytes_of(a.kernel.buffers[position].type));
    candidate.is_vertical = candidate.is_vertical || graph.producer(slot) == first;
  }
  return candidate;
}

std::vector<Candidate> candidates(PlanGraph& graph, MissedPairs& missed) {
  std::vector<StepId> kernels;
  for (const StepId id : graph.order()) {
    if (graph.kernel(id) != nullptr) kernels.push_back(id);
  }
  std::vector<Candidate> found;
  for (size_t i = 0; i < kernels.size(); ++i) {
    for (size_t j = i + 1; j < kernels.size(); ++j) {
      if (graph.position(kernels[j]) - graph.position(kernels[i]) > kWindow) break;
      const Candidate candidate = weigh(graph, kernels[i], kernels[j]);
      if (candidate.shared == 0) continue;
      const size_t labels = graph.labels(kernels[i]).size() + graph.labels(kernels[j]).size();
      const double smaller =
          std::min(traffic(*graph.kernel(kernels[i])), traffic(*graph.kernel(kernels[j])));
      const bool is_worth = candidate.is_vertical || (candidate.shared >= kSharedPart * smaller &&
                                                      labels <= kMostSideBySide);
      if (is_worth) {
        found.push_back(candidate);
      } else {
        missed.note(kernels[i], kernels[j], Reason::little_shared);
      }
    }
  }
  std::ranges::stable_sort(found, [](const Candidate& a, const Candidate& b) {
    if (a.shared != b.shared) return a.shared > b.shared;
    return a.distance < b.distance;
  });
  return found;
}

template <typename Join>
bool join_pairs(PlanGraph& graph, MissedPairs& missed, Attempt attempt, const Join& join) {
  bool changed = false;
  std::set<StepId> merged;
  for (const Candidate& candidate : candidates(graph, missed)) {
    const bool is_current = graph.kernel(candidate.first) != nullptr &&
                            graph.kernel(candidate.second) != nullptr &&
                            !merged.contains(candidate.first) && !merged.contains(candidate.second);
    if (!is_current) continue;  // The next round weighs it again.
    if (graph.position(candidate.first) > graph.position(candidate.second)) continue;
    std::optional<Reason> refusal =
        missed.refusal(graph, candidate.first, candidate.second, attempt);
    if (!refusal) {
      refusal = join(candidate);
      if (refusal) missed.refuse(graph, candidate.first, candidate.second, attempt, *refusal);
    }
    if (refusal) {
      missed.note(candidate.first, candidate.second, *refusal);
      continue;
    }
    merged.insert(candidate.first);
    changed = true;
  }
  return changed;
}

}  // namespace

bool merge_loops(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed) {
  return join_pairs(graph, missed, Attempt::merge, [&](const Candidate& pair) {
    return KernelMerge(graph, gate, pair.first, pair.second).merge();
  });
}

bool chain_small_kernels(PlanGraph& graph, MissedPairs& missed) {
  // Small kernels stay in the caches, so access order does not matter.
  CoalescingGate open(nullptr, graph.machine());
  return join_pairs(graph, missed, Attempt::chain,
                    [&](const Candidate& pair) -> std::optional<Reason> {
                      if (!pair.is_vertical) return Reason::little_shared;
                      return KernelMerge(graph, open, pair.first, pair.second).chain();
                    });
}

}  // namespace litz::fusion
