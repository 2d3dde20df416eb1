// A plan under rewriting: who makes and who reads each slot, and the order of steps.
//
// Steps keep their number while they live, so numbers may be held across edits; the order of steps
// is separate. Slots are written by one step and never change, so edges are all there is to order,
// save for updates: a step that takes over the memory of a slot needs all that read it to be done.

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lowering/plan.h"
#include "machine/machine.h"

namespace litz::fusion {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// Number of a step.
using StepId = int;
inline constexpr StepId kNoStep = -1;

class PlanGraph {
 public:
  /// Takes the steps of the plan until `finish` puts them back. The machine, which must outlive the
  /// graph, is what the plan will run on.
  PlanGraph(Plan& plan, const machine::Machine& machine);

  const Plan& plan() const { return plan_; }

  const machine::Machine& machine() const { return machine_; }

  /// Live steps in order.
  const std::vector<StepId>& order() const { return order_; }

  bool is_live(StepId id) const { return nodes_[static_cast<size_t>(id)].is_live; }

  Step& step(StepId id) { return nodes_[static_cast<size_t>(id)].step; }

  const Step& step(StepId id) const { return nodes_[static_cast<size_t>(id)].step; }

  /// Null unless the step is a live kernel that makes its results anew, so that it may be fused.
  KernelStep* kernel(StepId id);
  /// Also of a step that updates memory, into which producers may be fused.
  KernelStep* consuming_kernel(StepId id);
  /// Of a live step; null when it has neither.
  KernelStep* kernel_or_epilogue(StepId id);

  int position(StepId id) const { return nodes_[static_cast<size_t>(id)].position; }

  /// kNoStep for inputs.
  StepId producer(Slot slot) const { return producers_[static_cast<size_t>(slot)]; }

  /// Each step once, not in order. The maker of a slot is no reader of it.
  const std::vector<StepId>& readers(Slot slot) const {
    return readers_[static_cast<size_t>(slot)];
  }

  /// True when a reader at the place of `id` sees the slot as it was made: what updates its memory
  /// comes later.
  bool is_intact_at(Slot slot, StepId id) const;

  bool is_output(Slot slot) const { return outputs_[static_cast<size_t>(slot)]; }

  /// True when something outside the step that makes it needs the slot.
  bool is_needed(Slot slot) const { return is_output(slot) || !readers(slot).empty(); }

  /// The same, were it not for `reader`.
  bool is_needed_beside(Slot slot, StepId reader) const {
    const std::vector<StepId>& all = readers(slot);
    return is_output(slot) || std::ranges::count(all, reader) < std::ssize(all);
  }

  /// What the step stands for: the labels of the steps that it came from.
  const std::vector<std::string>& labels(StepId id) const {
    return nodes_[static_cast<size_t>(id)].labels;
  }

  /// `into` stands for what `from` stood for as well: labels, names, the earlier location.
  void join_labels(StepId from, StepId into);

  /// What the kernel is named after: names of the kernels that it came from.
  const std::vector<std::string>& names(StepId id) const {
    return nodes_[static_cast<size_t>(id)].names;
  }

  /// Changes whenever the step does.
  int version(StepId id) const { return nodes_[static_cast<size_t>(id)].version; }

  /// True when fusion made the step of several ones, or several ones of it.
  bool is_made(StepId id) const {
    return labels(id).size() > 1 || nodes_[static_cast<size_t>(id)].is_part;
  }

  /// To be called after a step changed.
  void refresh(StepId id);
  void remove(StepId id);
  /// A slot that nothing makes or reads yet.
  Slot add_slot();
  /// Adds a step in front of another one; it stands for the same as that one.
  StepId insert_before(StepId id, Step step);

  /// True when `first` and `second` (later) may become one step: no step has to run between them.
  bool can_join(StepId first, StepId second) const;
  /// Steps that need `first` move behind `second`, so that `first` may run in its place; call only
  /// when they can be joined, and before edges change.
  void move_to(StepId first, StepId second);

  /// Puts the steps back, with labels joined and last uses marked.
  void finish();

 private:
  struct Node {
    Step step;
    bool is_live = true;
    bool is_part = false;      ///< Another step stands for the same.
    bool is_checking = false;  ///< Checks data: calls and control flow behind it rely on that.
    int position = 0;
    int version = 0;
    std::vector<Slot> reads;
    std::vector<Slot> makes;
    std::vector<std::string> labels;
    std::vector<std::string> names;
  };

  void link(StepId id);
  void unlink(StepId id);
  void renumber();
  /// Steps between the two that need `first`, in order; `second` is last if it needs any of them.
  std::vector<StepId> between(StepId first, StepId second) const;
  /// The slot of which this one is a view, of a view, ...
  Slot viewed(Slot slot) const;
  /// Calls visit(StepId) for the steps that read a slot or a view of it, views included.
  template <typename Visit>
  void for_each_reader(Slot slot, const Visit& visit) const;

  Plan& plan_;
  const machine::Machine& machine_;
  std::vector<Node> nodes_;
  std::vector<StepId> order_;
  std::vector<StepId> producers_;
  std::vector<std::vector<StepId>> readers_;
  std::vector<bool> outputs_;
};

}  // namespace litz::fusion
