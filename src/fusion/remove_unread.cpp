// Removes results without readers: a norm's statistics in inference, values that fusion inlined.

#include <algorithm>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/dead_code.h"
#include "loops/instrs.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;

void remove_stores(Block& block, const std::vector<bool>& unread) {
  std::erase_if(block.instrs, [&](const Instr& instr) {
    return instr.kind == InstrKind::store && unread[static_cast<size_t>(instr.buffer)];
  });
  for (Instr& instr : block.instrs) {
    for (const auto& nested : instr.blocks) remove_stores(*nested, unread);
  }
}

// Returns true if the step has no results left.
bool remove_results(PlanGraph& graph, StepId id, KernelStep& kernel) {
  const std::vector<Slot> gone = remove_unread_stores(
      kernel, [&](Slot slot) { return graph.producer(slot) == id && !graph.is_needed(slot); });
  if (gone.empty()) return false;
  std::erase_if(graph.step(id).results, [&](const lowering::Result& result) {
    return std::ranges::count(gone, result.slot) > 0;
  });
  graph.refresh(id);
  return kernel.kernel.body.instrs.empty();
}

}  // namespace

std::vector<Slot> remove_unread_stores(KernelStep& kernel,
                                       const std::function<bool(Slot)>& is_unread) {
  std::vector<bool> unread(kernel.buffers.size(), false);
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Slot slot = kernel.buffers[i].slot;
    unread[i] = slot != kNoSlot && is_unread(slot);
  }
  for_each_instr(kernel.kernel.body, [&](const Instr& instr) {
    if (instr.kind != InstrKind::load) return;
    // The kernel passes values through the slot between its own loops; so all buffers of the slot
    // count.
    const Slot slot = kernel.buffers[static_cast<size_t>(instr.buffer)].slot;
    for (size_t i = 0; i < unread.size(); ++i) {
      if (kernel.buffers[i].slot == slot) unread[i] = false;
    }
  });
  std::vector<Slot> gone;
  for (size_t i = 0; i < unread.size(); ++i) {
    if (unread[i]) gone.push_back(kernel.buffers[i].slot);
  }
  if (gone.empty()) return gone;
  remove_stores(kernel.kernel.body, unread);
  loops::remove_dead_code(kernel.kernel);
  remove_unused_buffers(kernel);
  return gone;
}

void remove_unread_results(PlanGraph& graph) {
  const std::vector<StepId> order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    KernelStep* kernel = graph.kernel(*id);
    if (kernel != nullptr && remove_results(graph, *id, *kernel)) graph.remove(*id);
  }
}

}  // namespace litz::fusion
