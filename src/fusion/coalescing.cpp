#include "fusion/coalescing.h"

#include <algorithm>
#include <vector>

#include "fusion/kernel_edit.h"
#include "loops/pointwise.h"
#include "support/check.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::Instr;

// Estimates that differ by less than this factor are equal. A larger one fuses more kernels, at the
// risk of costlier accesses.
constexpr double kTolerance = 1.05;

/// Counts the accesses of each buffer.
void count_accesses(const Block& block, double times, std::vector<double>& counts) {
  for (const Instr& instr : block.instrs) {
    if (instr.buffer >= 0) counts[static_cast<size_t>(instr.buffer)] += times;
    const double inside = times * trips(instr.vars);
    for (const auto& nested : instr.blocks) count_accesses(*nested, inside, counts);
  }
}

/// Distinct elements: expanded dimensions repeat them.
double elements(const TensorType& type) {
  double count = 1;
  for (size_t d = 0; d < type.rank(); ++d) {
    if (!type.strides[d].is(0)) count *= estimate(type.sizes[d]);
  }
  return count;
}

/// Memory of a slot from one offset on; several buffers may view it in several orders.
struct Region {
  Slot slot;
  Expr offset;
  double bytes;
};

/// Bytes that the kernel touches, each counted once.
double touched_bytes(const KernelStep& step) {
  std::vector<double> counts(step.buffers.size(), 0);
  count_accesses(step.kernel.body, 1, counts);
  std::vector<Region> regions;
  for (size_t i = 0; i < counts.size(); ++i) {
    const lowering::BufferSlot& binding = step.buffers[i];
    if (binding.slot == kNoSlot) continue;
    const TensorType& type = step.kernel.buffers[i].type;
    const double bytes =
        std::min(counts[i], elements(type)) * static_cast<double>(item_size(type.dtype));
    const Expr offset = binding.offset();
    const auto seen = std::ranges::find_if(regions, [&](const Region& region) {
      return region.slot == binding.slot && region.offset == offset;
    });
    if (seen == regions.end()) {
      regions.push_back({binding.slot, offset, bytes});
    } else {
      seen->bytes = std::max(seen->bytes, bytes);
    }
  }
  double total = 0;
  for (const Region& region : regions) total += region.bytes;
  return total;
}

}  // namespace

double CoalescingGate::cost(PlanGraph& graph, StepId id) {
  const auto [known, is_new] = known_.try_emplace(id, -1, 0);
  if (is_new || known->second.first != graph.version(id)) {
    const KernelStep* kernel = graph.consuming_kernel(id);
    check(kernel != nullptr, "only kernels have a cost, step:", id);
    known->second = {graph.version(id), touched_bytes(*kernel) + price_(kernel->kernel, machine_)};
  }
  return known->second.second;
}

bool CoalescingGate::refuses(PlanGraph& graph, std::span<const KernelStep* const> fused,
                             std::span<const StepId> parts) {
  if (price_ == nullptr) return false;
  double cost = 0;
  for (const KernelStep* kernel : fused) cost += price_(kernel->kernel, machine_);
  if (cost == 0) return false;  // Its bytes were weighed before, and are fewer now.
  for (const KernelStep* kernel : fused) cost += touched_bytes(*kernel);
  double apart = 0;
  for (const StepId part : parts) apart += this->cost(graph, part);
  return cost > kTolerance * apart + machine_.launch_bytes;
}

}  // namespace litz::fusion
