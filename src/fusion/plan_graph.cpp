#include "fusion/plan_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "loops/instrs.h"
#include "lowering/last_use.h"
#include "lowering/stages.h"
#include "support/check.h"

namespace litz::fusion {
namespace {

void keep_unique(std::vector<Slot>& slots) {
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  std::erase(slots, kNoSlot);
}

bool defines_symbols(const Step& step) {
  return !step.defines.empty() || std::holds_alternative<lowering::ScalarStep>(step.work);
}

/// Calls need not handle data that an earlier check excludes; kernels check the indices that they
/// use.
bool relies_on_checks(const Step& step) {
  return std::holds_alternative<lowering::LibraryStep>(step.work) ||
         std::holds_alternative<lowering::ControlStep>(step.work);
}

}  // namespace

PlanGraph::PlanGraph(Plan& plan, const machine::Machine& machine)
    : plan_(plan),
      machine_(machine),
      producers_(static_cast<size_t>(plan.slot_count), kNoStep),
      readers_(static_cast<size_t>(plan.slot_count)),
      outputs_(static_cast<size_t>(plan.slot_count), false),
      viewed_(static_cast<size_t>(plan.slot_count)) {
  std::iota(viewed_.begin(), viewed_.end(), 0);
  for (const lowering::ControlOperand& output : plan.outputs) {
    if (output.slot != kNoSlot) outputs_[static_cast<size_t>(output.slot)] = true;
  }
  for (Step& step : plan.steps) {
    Node& node = nodes_.emplace_back();
    node.labels.push_back(step.label);
    if (const auto* kernel = std::get_if<KernelStep>(&step.work)) {
      node.names.push_back(kernel->kernel.name);
    } else if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
      viewed_[static_cast<size_t>(step.results[0].slot)] = viewed(view->source);
    }
    if (const auto* library = std::get_if<lowering::LibraryStep>(&step.work)) {
      node.keeps_order = library->keeps_order;
    }
    node.step = std::move(step);
    order_.push_back(static_cast<StepId>(nodes_.size()) - 1);
    link(order_.back());
  }
  plan.steps.clear();
  renumber();
}

void PlanGraph::keep_before(std::span<const std::pair<std::string, std::string>> pairs) {
  if (pairs.empty()) return;
  std::unordered_map<std::string, StepId> by_label;  // For lookup only.
  for (const StepId id : order()) by_label.emplace(nodes_[static_cast<size_t>(id)].labels[0], id);
  for (const auto& [first, second] : pairs) {
    const auto before = by_label.find(first);
    const auto behind = by_label.find(second);
    if (before == by_label.end() || behind == by_label.end()) continue;
    nodes_[static_cast<size_t>(behind->second)].after.push_back(before->second);
    kept_behind_[before->second].push_back(behind->second);
  }
}

const std::vector<StepId>& PlanGraph::order() const {
  if (!inserted_.empty()) place_inserted();
  if (has_gaps_) {
    std::erase(order_, kNoStep);
    has_gaps_ = false;
    renumber();
  }
  return order_;
}

KernelStep* PlanGraph::kernel(StepId id) {
  KernelStep* kernel = consuming_kernel(id);
  return kernel == nullptr || nodes_[static_cast<size_t>(id)].is_update ? nullptr : kernel;
}

KernelStep* PlanGraph::consuming_kernel(StepId id) {
  if (id == kNoStep || !is_live(id)) return nullptr;
  return std::get_if<KernelStep>(&step(id).work);
}

template <typename Visit>
void PlanGraph::for_each_reader(Slot slot, const Visit& visit) const {
  for (const StepId reader : readers(slot)) {
    visit(reader);
    if (!std::holds_alternative<lowering::ViewStep>(step(reader).work)) continue;
    for_each_reader(step(reader).results[0].slot, visit);
  }
}

bool PlanGraph::is_held_before(StepId id, StepId other) const {
  const auto found = kept_behind_.find(id);
  return found != kept_behind_.end() && std::ranges::any_of(found->second, [&](StepId behind) {
           return is_live(behind) && position(behind) < position(other);
         });
}

bool PlanGraph::is_intact_at(Slot slot, StepId id) const {
  const auto found = updates_.find(viewed(slot));
  return found == updates_.end() || std::ranges::none_of(found->second, [&](StepId update) {
           return position(update) <= position(id);
         });
}

KernelStep* PlanGraph::kernel_or_epilogue(StepId id) {
  if (KernelStep* own = consuming_kernel(id)) return own;
  auto* library = std::get_if<lowering::LibraryStep>(&step(id).work);
  return library != nullptr && library->epilogue ? &*library->epilogue : nullptr;
}

void PlanGraph::link(StepId id) {
  Node& node = nodes_[static_cast<size_t>(id)];
  node.makes.clear();
  for (const lowering::Result& result : node.step.results) node.makes.push_back(result.slot);
  keep_unique(node.makes);
  const auto* kernel = std::get_if<KernelStep>(&node.step.work);
  node.is_checking = kernel != nullptr && loops::has_check(kernel->kernel.body);
  node.reads = lowering::slots_read(node.step);
  keep_unique(node.reads);
  std::erase_if(node.reads, [&](Slot slot) { return std::ranges::count(node.makes, slot) > 0; });
  for (const Slot slot : node.makes) producers_[static_cast<size_t>(slot)] = id;
  for (const Slot slot : node.reads) readers_[static_cast<size_t>(slot)].insert(id);
  node.is_update = lowering::is_update(node.step);
  for (const lowering::Result& result : node.step.results) {
    if (result.over != kNoSlot) updates_[viewed(result.over)].insert(id);
  }
}

void PlanGraph::unlink(StepId id) {
  Node& node = nodes_[static_cast<size_t>(id)];
  for (const Slot slot : node.makes) {
    StepId& producer = producers_[static_cast<size_t>(slot)];
    if (producer == id) producer = kNoStep;
  }
  for (const Slot slot : node.reads) readers_[static_cast<size_t>(slot)].erase(id);
}

void PlanGraph::join_labels(StepId from, StepId into) {
  nodes_[static_cast<size_t>(from)].joined = into;
  if (const auto found = kept_behind_.find(from); found != kept_behind_.end()) {
    const std::vector<StepId> behind = found->second;
    std::vector<StepId>& all = kept_behind_[into];
    all.insert(all.end(), behind.begin(), behind.end());
  }
  const Node& source = nodes_[static_cast<size_t>(from)];
  Node& target = nodes_[static_cast<size_t>(into)];
  const bool is_earlier = source.position < target.position;
  const auto join = [&](const std::vector<std::string>& more, std::vector<std::string>& all) {
    all.insert(is_earlier ? all.begin() : all.end(), more.begin(), more.end());
  };
  join(source.labels, target.labels);
  join(source.names, target.names);
  if (is_earlier && !source.step.location.file.empty()) {
    target.step.location = source.step.location;
  }
}

void PlanGraph::refresh(StepId id) {
  unlink(id);
  link(id);
  ++nodes_[static_cast<size_t>(id)].version;
}

void PlanGraph::remove(StepId id) {
  unlink(id);
  Node& node = nodes_[static_cast<size_t>(id)];
  for (const lowering::Result& result : node.step.results) {
    if (result.over != kNoSlot) updates_[viewed(result.over)].erase(id);
  }
  node.is_live = false;
  // Closing each gap at once would take time in the number of steps.
  order_[static_cast<size_t>(position(id))] = kNoStep;
  has_gaps_ = true;
  node.step = Step();
}

Slot PlanGraph::add_slot() {
  producers_.push_back(kNoStep);
  readers_.emplace_back();
  outputs_.push_back(false);
  viewed_.push_back(plan_.slot_count);
  return plan_.slot_count++;
}

StepId PlanGraph::insert_before(StepId id, Step step) {
  const auto added = static_cast<StepId>(nodes_.size());
  Node node;
  node.step = std::move(step);
  node.labels = labels(id);
  node.names = names(id);
  node.is_part = true;
  nodes_[static_cast<size_t>(id)].is_part = true;
  nodes_.push_back(std::move(node));
  inserted_[id].push_back(added);
  link(added);
  return added;
}

// All at once, since each would take time in the number of steps.
void PlanGraph::place_inserted() const {
  const auto inserted = std::exchange(inserted_, {});
  std::vector<StepId> order;
  order.reserve(order_.size() + inserted.size());
  const auto place = [&](const auto& place_this, StepId id) -> void {
    if (const auto found = inserted.find(id); found != inserted.end()) {
      for (const StepId earlier : found->second) place_this(place_this, earlier);
    }
    order.push_back(id);
  };
  for (const StepId id : order_) place(place, id);
  order_ = std::move(order);
  renumber();
}

void PlanGraph::renumber() const {
  for (size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] != kNoStep) nodes_[static_cast<size_t>(order_[i])].position = static_cast<int>(i);
  }
}

StepId PlanGraph::worker(StepId id) const {
  while (!is_live(id) && nodes_[static_cast<size_t>(id)].joined != kNoStep) {
    id = nodes_[static_cast<size_t>(id)].joined;
  }
  return id;
}

std::vector<StepId> PlanGraph::between(StepId first, StepId second) const {
  const int mark = ++marks_;
  const auto is_marked = [&](StepId id) { return nodes_[static_cast<size_t>(id)].mark == mark; };
  nodes_[static_cast<size_t>(first)].mark = mark;
  std::vector<StepId> found;
  bool is_checked = nodes_[static_cast<size_t>(first)].is_checking;
  // A call that keeps its order needs `first`.
  bool is_order_fixed = nodes_[static_cast<size_t>(first)].keeps_order;
  for (int at = position(first) + 1; at <= position(second); ++at) {
    const StepId id = order_[static_cast<size_t>(at)];
    if (id == kNoStep) continue;
    bool needs = std::ranges::any_of(nodes_[static_cast<size_t>(id)].reads, [&](Slot slot) {
      const StepId maker = producer(slot);
      // The edge from `first` to `second` is the one that a join removes.
      return maker != kNoStep && is_marked(maker) && !(maker == first && id == second);
    });
    for (const lowering::Result& result : step(id).results) {
      if (result.over == kNoSlot) continue;
      for_each_reader(viewed(result.over),
                      [&](StepId reader) { needs = needs || (reader != id && is_marked(reader)); });
    }
    const Node& node = nodes_[static_cast<size_t>(id)];
    needs =
        needs || (is_order_fixed && node.keeps_order) ||
        std::ranges::any_of(node.after, [&](StepId earlier) { return is_marked(worker(earlier)); });
    if (!needs && !(is_checked && relies_on_checks(step(id)))) continue;
    is_order_fixed = is_order_fixed || node.keeps_order;
    is_checked = is_checked || nodes_[static_cast<size_t>(id)].is_checking;
    nodes_[static_cast<size_t>(id)].mark = mark;
    found.push_back(id);
  }
  return found;
}

bool PlanGraph::can_join(StepId first, StepId second) const {
  check(position(first) < position(second), "the first of two steps must come first");
  if (position(second) - position(first) > kMostBetween) return false;
  // What is computed again would be kept from the first time on.
  if (lowering::stages_of(labels(second)).recomputed &&
      lowering::stages_of(labels(first)).forward) {
    return false;
  }
  for (const StepId id : between(first, second)) {
    // Readers of a symbol are not tracked, so a step that defines one keeps its place.
    if (id == second || defines_symbols(step(id))) return false;
  }
  return true;
}

void PlanGraph::move_to(StepId first, StepId second) {
  const std::vector<StepId> later = between(first, second);
  // Put `first` right before `second`, and the steps that need it right after.
  const auto begin = static_cast<size_t>(position(first));
  const auto end = static_cast<size_t>(position(second)) + 1;
  std::vector<StepId> moved;
  size_t next = 0;
  for (size_t at = begin; at < end; ++at) {
    const StepId id = order_[at];
    if (next < later.size() && later[next] == id) {
      ++next;
    } else if (id != first && id != second) {
      moved.push_back(id);
    }
  }
  moved.push_back(first);
  moved.push_back(second);
  moved.insert(moved.end(), later.begin(), later.end());
  for (size_t i = 0; i < moved.size(); ++i) {
    order_[begin + i] = moved[i];
    if (moved[i] != kNoStep) {
      nodes_[static_cast<size_t>(moved[i])].position = static_cast<int>(begin + i);
    }
  }
}

void PlanGraph::finish() {
  for (const StepId id : order()) {
    Node& node = nodes_[static_cast<size_t>(id)];
    node.step.label.clear();
    for (const std::string& label : node.labels) {
      if (!node.step.label.empty()) node.step.label += " + ";
      node.step.label += label;
    }
    plan_.steps.push_back(std::move(node.step));
  }
  nodes_.clear();
  order_.clear();
  lowering::mark_dead_slots(plan_);
}

}  // namespace litz::fusion
