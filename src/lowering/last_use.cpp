// Computes last uses of slots.

#include "lowering/last_use.h"

#include <algorithm>
#include <set>

namespace litz::lowering {
namespace {

void add_operands(const std::vector<ControlOperand>& operands, std::vector<Slot>& slots) {
  for (const ControlOperand& operand : operands) slots.push_back(operand.slot);
}

struct Reads {
  std::vector<Slot> operator()(const KernelStep& step) const {
    std::vector<Slot> slots;
    for (const BufferSlot& buffer : step.buffers) slots.push_back(buffer.slot);
    return slots;
  }

  std::vector<Slot> operator()(const LibraryStep& step) const {
    std::vector<Slot> slots;
    for (const LibraryOperand& argument : step.arguments) {
      slots.insert(slots.end(), argument.slots.begin(), argument.slots.end());
    }
    if (step.epilogue) {
      for (const BufferSlot& buffer : step.epilogue->buffers) slots.push_back(buffer.slot);
    }
    return slots;
  }

  std::vector<Slot> operator()(const ViewStep& step) const { return {step.source}; }

  std::vector<Slot> operator()(const ScalarStep& step) const { return {step.source}; }

  std::vector<Slot> operator()(const AssertStep& /*step*/) const { return {}; }

  std::vector<Slot> operator()(const ControlStep& step) const {
    std::vector<Slot> slots;
    if (step.predicate) slots.push_back(step.predicate->slot);
    add_operands(step.carried, slots);
    add_operands(step.xs, slots);
    add_operands(step.additional, slots);
    return slots;
  }
};

}  // namespace

size_t call_results(const Step& step) {
  size_t results = step.results.size();
  const auto* library = std::get_if<LibraryStep>(&step.work);
  if (library == nullptr || !library->epilogue) return results;
  for (const loops::Buffer& buffer : library->epilogue->kernel.buffers) {
    if (buffer.role == loops::BufferRole::output) --results;
  }
  return results;
}

bool is_update(const Step& step) {
  return std::ranges::any_of(step.results,
                             [](const Result& result) { return result.over != kNoSlot; });
}

PlanPart whole(const Plan& plan) {
  PlanPart part{plan.name, plan.input_types, plan.input_slots, {}, plan.outputs, plan.slot_count};
  part.steps.reserve(plan.steps.size());
  for (const Step& step : plan.steps) part.steps.push_back(&step);
  return part;
}

std::vector<size_t> updated_inputs(const Plan& plan) {
  std::vector<int> input_of(static_cast<size_t>(plan.slot_count), -1);
  for (size_t i = 0; i < plan.input_slots.size(); ++i) {
    const Slot slot = plan.input_slots[i];
    if (slot != kNoSlot) input_of[static_cast<size_t>(slot)] = static_cast<int>(i);
  }
  std::set<size_t> updated;
  for (const Step& step : plan.steps) {
    const auto* view = std::get_if<ViewStep>(&step.work);
    for (const Result& result : step.results) {
      const Slot from = view != nullptr ? view->source : result.over;
      if (result.slot == kNoSlot || from == kNoSlot) continue;
      const int input = input_of[static_cast<size_t>(from)];
      input_of[static_cast<size_t>(result.slot)] = input;
      if (view == nullptr && input >= 0) updated.insert(static_cast<size_t>(input));
    }
  }
  return {updated.begin(), updated.end()};
}

std::vector<Slot> slots_read(const Step& step) {
  std::vector<Slot> slots = std::visit(Reads{}, step.work);
  for (const Result& result : step.results) {
    if (result.over != kNoSlot) slots.push_back(result.over);
  }
  return slots;
}

void mark_dead_slots(Plan& plan) {
  std::vector<bool> live(static_cast<size_t>(plan.slot_count), false);
  const auto die = [&](Slot slot, Step& step) {
    if (slot == kNoSlot || live[static_cast<size_t>(slot)]) return;
    live[static_cast<size_t>(slot)] = true;  // Read from here on, seen from the end.
    step.dead.push_back(slot);
  };
  for (const ControlOperand& output : plan.outputs) {
    if (output.slot != kNoSlot) live[static_cast<size_t>(output.slot)] = true;
  }
  for (size_t i = plan.steps.size(); i-- > 0;) {
    Step& step = plan.steps[i];
    step.dead.clear();
    for (const Result& result : step.results) die(result.slot, step);
    for (const Slot slot : slots_read(step)) die(slot, step);
  }
}

}  // namespace litz::lowering
