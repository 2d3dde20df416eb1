// Splits a reduction into parts and their combination: the rewriting behind split_reductions.cpp.

#pragma once

#include <vector>

#include "fusion/plan_graph.h"
#include "fusion/split_sizes.h"

namespace litz::fusion {

/// A reduction in the body of a kernel, or of one of its loops.
class PlacedReduction {
 public:
  /// `loop` is the index of the loop in the kernel's body, -1 if the reduction is in the body
  /// itself; `index` is the reduction's own in its block.
  PlacedReduction(KernelStep& step, int loop, size_t index)
      : step_(step), loop_(loop), index_(index) {}

  KernelStep& step() const { return step_; }

  loops::Kernel& kernel() const { return step_.kernel; }

  /// A loop of the kernel's body; null if the reduction is in the body itself.
  loops::Instr* loop() const {
    return loop_ < 0 ? nullptr : &kernel().body.instrs[static_cast<size_t>(loop_)];
  }

  int loop_index() const { return loop_; }

  size_t index() const { return index_; }

  loops::Block& block() const { return loop_ < 0 ? kernel().body : *loop()->blocks[0]; }

  loops::Instr& instr() const { return block().instrs[index_]; }

  loops::ReduceKind kind() const { return instr().reduce; }

  std::vector<loops::LoopVar> outer() const {
    return loop_ < 0 ? std::vector<loops::LoopVar>{} : loop()->vars;
  }

 private:
  KernelStep& step_;
  int loop_;
  size_t index_;
};

/// Adds a step that computes the parts before the reduction's step, and makes the reduction combine
/// them. `before` lists the earlier instructions that it needs, in order. Returns the slots of the
/// parts.
std::vector<Slot> compute_in_parts(PlanGraph& graph, StepId id, const PlacedReduction& reduction,
                                   const SplitSizes& sizes,
                                   const std::vector<const loops::Instr*>& before);

}  // namespace litz::fusion
