// Replaces rows that pass only from one loop to the next inside an iteration by a scratch buffer.
// Memory for all iterations is then not needed.
//
//   out %t: f32[128, 768]                       scratch %t: f32[768]
//   for i0 in 0..128 {                          for i0 in 0..128 {
//     for i1 { store %t[i0, i1], %2 }     =>      for i1 { store %t[i1], %2 }
//     reduce i2 { load %t[i0, i2] }               reduce i2 { load %t[i2] }
//
// Iterations of the outer loop that run concurrently need one buffer each, for example on the
// stack.

#include <algorithm>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/instrs.h"

namespace litz::fusion {
namespace {

using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;

class ScratchMaker {
 public:
  ScratchMaker(KernelStep& step, BufferId buffer, int64_t most_bytes)
      : step_(step), buffer_(buffer), most_bytes_(most_bytes) {}

  bool run() {
    find_loop();
    if (loop_ == nullptr) return false;
    const TensorType& type = step_.kernel.buffers[static_cast<size_t>(buffer_)].type;
    is_outer_.assign(type.rank(), true);
    shared_.assign(type.rank(), std::nullopt);
    bool is_possible = true;
    for_each_instr(*loop_->blocks[0], [&](const Instr& instr) {
      if (instr.buffer == buffer_) is_possible = is_possible && see(instr);
    });
    if (!is_possible || !tells_iteration()) return false;
    Sizes inner;
    for (size_t d = 0; d < type.rank(); ++d) {
      if (!is_outer_[d]) inner.push_back(type.sizes[d]);
    }
    TensorType row = contiguous_type(type.dtype, inner, type.device);
    const auto count = row.numel().maybe_constant();
    if (!count || *count > most_bytes_ / item_size(type.dtype)) return false;
    apply(std::move(row));
    return true;
  }

 private:
  // The loop at the top that holds all accesses.
  void find_loop() {
    for (const Instr& instr : step_.kernel.body.instrs) {
      bool accesses = instr.buffer == buffer_;
      const Instr* loop = instr.kind == InstrKind::loop && instr.carried.empty() ? &instr : nullptr;
      for (const auto& nested : instr.blocks) {
        for_each_instr(*nested,
                       [&](const Instr& inner) { accesses = accesses || inner.buffer == buffer_; });
      }
      if (!accesses) continue;
      if (loop == nullptr || loop_ != nullptr) {
        loop_ = nullptr;
        return;
      }
      loop_ = loop;
    }
  }

  bool is_outer_var(SymbolId symbol) const {
    return std::ranges::any_of(
        loop_->vars, [&](const loops::LoopVar& var) { return var.symbol.symbol() == symbol; });
  }

  // In every access, a dimension either counts the outer loop in the same way or does not depend on
  // it.
  bool see(const Instr& instr) {
    for (size_t d = 0; d < instr.indices.size(); ++d) {
      const auto* index = std::get_if<Expr>(&instr.indices[d]);
      if (index == nullptr) return false;
      const bool is_var = index->is_symbol() && is_outer_var(index->symbol());
      if (!is_var) {
        is_outer_[d] = false;
        for (const SymbolId symbol : free_symbols(*index)) {
          if (is_outer_var(symbol)) return false;
        }
      } else if (shared_[d] && !(*shared_[d] == *index)) {
        return false;
      } else {
        shared_[d] = *index;
      }
    }
    return true;
  }

  bool tells_iteration() const {
    for (size_t d = 0; d < is_outer_.size(); ++d) {
      if (!is_outer_[d] && shared_[d]) return false;  // Some accesses only.
    }
    return std::ranges::all_of(loop_->vars, [&](const loops::LoopVar& var) {
      return var.extent.is(1) || std::ranges::count(shared_, std::optional(var.symbol)) > 0;
    });
  }

  void apply(TensorType row) {
    edit_each_instr(step_.kernel.body, [&](Instr& instr) {
      if (instr.buffer != buffer_) return;
      std::vector<Index> inner;
      for (size_t d = 0; d < instr.indices.size(); ++d) {
        if (!is_outer_[d]) inner.push_back(instr.indices[d]);
      }
      instr.indices = std::move(inner);
    });
    loops::Buffer& buffer = step_.kernel.buffers[static_cast<size_t>(buffer_)];
    buffer.role = loops::BufferRole::scratch;
    buffer.type = std::move(row);
    step_.buffers[static_cast<size_t>(buffer_)] = {kNoSlot, std::nullopt};
  }

  KernelStep& step_;
  BufferId buffer_;
  int64_t most_bytes_;  ///< The limit for one row.
  const Instr* loop_ = nullptr;
  std::vector<bool> is_outer_;  ///< By dimension.
  std::vector<std::optional<Expr>> shared_;
};

}  // namespace

void make_scratch(PlanGraph& graph, StepId id) {
  KernelStep* kernel = graph.kernel(id);
  if (kernel == nullptr) return;
  const int64_t most_bytes = graph.machine().scratch_bytes;
  for (size_t i = 0; i < kernel->buffers.size(); ++i) {
    const Slot slot = kernel->buffers[i].slot;
    if (slot == kNoSlot || graph.producer(slot) != id || graph.is_needed(slot)) continue;
    if (std::ranges::count(kernel->buffers, slot, &lowering::BufferSlot::slot) > 1) continue;
    if (!ScratchMaker(*kernel, static_cast<BufferId>(i), most_bytes).run()) continue;
    std::erase_if(graph.step(id).results,
                  [&](const lowering::Result& result) { return result.slot == slot; });
  }
  remove_unused_buffers(*kernel);
  graph.refresh(id);
}

}  // namespace litz::fusion
