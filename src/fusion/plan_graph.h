// A plan under rewriting: the producer and readers of each slot, and the order of steps.
//
// Steps keep their number while they live, so numbers stay valid across edits; the order of steps
// is separate. Each slot is written by one step and never changes, so edges define the whole order,
// with two exceptions. A step that reuses the memory of a slot must follow all its readers. Calls
// that keep their order do so among themselves, and behind what `keep_before` puts before them.

#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lowering/plan.h"
#include "machine/machine.h"

namespace litz::fusion {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// The number of a step.
using StepId = int;
inline constexpr StepId kNoStep = -1;

/// Steps farther apart than this are not joined: a search between them takes time in their distance,
/// and a value that a whole program reads has as many such pairs as readers. Plans of fewer steps,
/// after equal layers became one, know no limit.
inline constexpr int kMostBetween = 4096;

class PlanGraph {
 public:
  /// Takes the plan's steps until `finish` puts them back. The plan will run on the machine, which
  /// must outlive the graph.
  PlanGraph(Plan& plan, const machine::Machine& machine);

  /// Of each pair of labels, the first step stays before the second.
  void keep_before(std::span<const std::pair<std::string, std::string>> pairs);

  const Plan& plan() const { return plan_; }

  const machine::Machine& machine() const { return machine_; }

  /// Live steps in order.
  const std::vector<StepId>& order() const;

  bool is_live(StepId id) const { return nodes_[static_cast<size_t>(id)].is_live; }

  Step& step(StepId id) { return nodes_[static_cast<size_t>(id)].step; }

  const Step& step(StepId id) const { return nodes_[static_cast<size_t>(id)].step; }

  /// Null unless the step is a live kernel that does not update memory, so that it can be fused.
  KernelStep* kernel(StepId id);
  /// Also returns kernels that update memory; producers may be fused into these.
  KernelStep* consuming_kernel(StepId id);
  /// For a live step; null if it has neither.
  KernelStep* kernel_or_epilogue(StepId id);

  int position(StepId id) const {
    if (!inserted_.empty()) place_inserted();
    return nodes_[static_cast<size_t>(id)].position;
  }

  /// kNoStep for inputs.
  StepId producer(Slot slot) const { return producers_[static_cast<size_t>(slot)]; }

  /// By number. The producer of a slot is not one of its readers.
  const std::set<StepId>& readers(Slot slot) const { return readers_[static_cast<size_t>(slot)]; }

  /// True if a step that `keep_before` puts behind `id` comes before `other`: the work of `id` must
  /// not move there.
  bool is_held_before(StepId id, StepId other) const;

  /// True if a reader in the place of `id` sees the original contents: updates of its memory come
  /// later.
  bool is_intact_at(Slot slot, StepId id) const;

  bool is_output(Slot slot) const { return outputs_[static_cast<size_t>(slot)]; }

  /// True if the slot is an output, or a step other than its producer reads it.
  bool is_needed(Slot slot) const { return is_output(slot) || !readers(slot).empty(); }

  /// True if the slot is needed even without `reader`.
  bool is_needed_beside(Slot slot, StepId reader) const {
    const std::set<StepId>& all = readers(slot);
    return is_output(slot) || all.size() > all.count(reader);
  }

  /// The labels of the steps that this one came from.
  const std::vector<std::string>& labels(StepId id) const {
    return nodes_[static_cast<size_t>(id)].labels;
  }

  /// Adds the labels and names of `from` to `into`, which gets the earlier location.
  void join_labels(StepId from, StepId into);

  /// The names of the kernels that this one came from; they form its name.
  const std::vector<std::string>& names(StepId id) const {
    return nodes_[static_cast<size_t>(id)].names;
  }

  /// Changes whenever the step changes.
  int version(StepId id) const { return nodes_[static_cast<size_t>(id)].version; }

  /// True if fusion made the step from several ones, or split one into several.
  bool is_made(StepId id) const {
    return labels(id).size() > 1 || nodes_[static_cast<size_t>(id)].is_part;
  }

  /// Must be called after a step changed.
  void refresh(StepId id);
  void remove(StepId id);
  /// Adds a slot without producer and readers.
  Slot add_slot();
  /// Adds a step before another one, with the same labels.
  StepId insert_before(StepId id, Step step);

  /// True if `first` and `second` (later) may become one step: no step must run between them, they
  /// are not farther apart than kMostBetween, and `second` does not repeat forward steps for the
  /// backward part while `first` belongs to the forward part.
  bool can_join(StepId first, StepId second) const;
  /// Moves steps that need `first` after `second`, so that `first` may run in its place. Call it
  /// only if the two can be joined, and before edges change.
  void move_to(StepId first, StepId second);

  /// Puts the steps back, with labels joined and last uses marked.
  void finish();

 private:
  struct Node {
    Step step;
    bool is_live = true;
    bool is_part = false;      ///< Another step has the same labels.
    bool is_checking = false;  ///< Checks data: later calls and control flow rely on it.
    bool is_update = false;    ///< Takes over memory.
    mutable int mark = 0;      ///< The search that found it last.
    mutable int position = 0;  ///< In order_; grows along it, with gaps.
    int version = 0;
    std::vector<Slot> reads;
    std::vector<Slot> makes;
    std::vector<StepId> after;  ///< Must run before this one, which does not read them.
    StepId joined = kNoStep;    ///< The step that this one last became part of.
    bool keeps_order = false;   ///< Among all such steps.
    std::vector<std::string> labels;
    std::vector<std::string> names;
  };

  void link(StepId id);
  void unlink(StepId id);
  void renumber() const;
  /// Puts inserted steps into the order.
  void place_inserted() const;
  /// The step that does the work of this one.
  StepId worker(StepId id) const;
  /// Returns the steps between the two that need `first`, in order; `second` is last if it needs
  /// any of them.
  std::vector<StepId> between(StepId first, StepId second) const;

  /// The slot at the end of the chain of views.
  Slot viewed(Slot slot) const { return viewed_[static_cast<size_t>(slot)]; }

  /// Calls visit(StepId) for the steps that read a slot or a view of it, views included.
  template <typename Visit>
  void for_each_reader(Slot slot, const Visit& visit) const;

  Plan& plan_;
  const machine::Machine& machine_;
  std::vector<Node> nodes_;
  mutable std::vector<StepId> order_;  ///< kNoStep where a step was removed.
  mutable bool has_gaps_ = false;
  /// By step: those inserted before it that are not in the order yet.
  mutable std::unordered_map<StepId, std::vector<StepId>> inserted_;
  mutable int marks_ = 0;  ///< How many searches there were.
  std::vector<StepId> producers_;
  std::vector<std::set<StepId>> readers_;  ///< An input may have as many as there are steps.
  std::vector<bool> outputs_;
  std::vector<Slot> viewed_;  ///< By slot.
  /// By the slot that the overwritten one views: steps that take over its memory.
  std::unordered_map<Slot, std::set<StepId>> updates_;
  std::unordered_map<StepId, std::vector<StepId>> kept_behind_;  ///< By step that does the work.
};

}  // namespace litz::fusion
