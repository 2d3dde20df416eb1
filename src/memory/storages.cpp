#include "memory/storages.h"

#include <algorithm>

#include "lowering/last_use.h"

namespace litz::memory {

using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

namespace {

void add_result(Storages& found, const Step& step, const lowering::Result& result, int at) {
  if (result.slot == kNoSlot) return;
  int& own = found.of_slot[static_cast<size_t>(result.slot)];
  if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
    own = found.of_slot[static_cast<size_t>(view->source)];
    return;
  }
  if (result.over != kNoSlot) {
    own = found.of_slot[static_cast<size_t>(result.over)];
    return;
  }
  own = static_cast<int>(found.all.size());
  StorageUse use;
  use.slot = result.slot;
  if (const auto* type = std::get_if<TensorType>(&result.type)) use.type = *type;
  use.is_internal = result.allocate;
  use.first = at;
  use.last = at;
  found.all.push_back(std::move(use));
}

}  // namespace

Storages find_storages(const lowering::PlanPart& part) {
  Storages found;
  found.of_slot.assign(static_cast<size_t>(part.slot_count), -1);
  for (size_t i = 0; i < part.input_slots.size(); ++i) {
    const Slot slot = part.input_slots[i];
    if (slot == kNoSlot) continue;
    found.of_slot[static_cast<size_t>(slot)] = static_cast<int>(found.all.size());
    StorageUse use;
    use.slot = slot;
    if (const auto* type = std::get_if<TensorType>(&part.input_types[i])) use.type = *type;
    use.first = -1;
    use.last = -1;
    found.all.push_back(std::move(use));
  }
  const auto end = static_cast<int>(part.steps.size());
  const auto storage = [&](Slot slot) -> StorageUse* {
    if (slot == kNoSlot || found.of_slot[static_cast<size_t>(slot)] < 0) return nullptr;
    return &found.all[static_cast<size_t>(found.of_slot[static_cast<size_t>(slot)])];
  };
  const auto escape = [&](Slot slot) {
    if (StorageUse* use = storage(slot)) {
      use->is_internal = false;
      use->last = end;
    }
  };
  for (int at = 0; at < end; ++at) {
    const Step& step = *part.steps[static_cast<size_t>(at)];
    for (const lowering::Result& result : step.results) add_result(found, step, result, at);
    // The results of control flow may alias its operands.
    const bool passes_on = std::holds_alternative<lowering::ControlStep>(step.work);
    for (const Slot slot : lowering::slots_read(step)) {
      if (StorageUse* use = storage(slot)) use->last = std::max(use->last, at);
      if (passes_on) escape(slot);
    }
  }
  for (const lowering::ControlOperand& output : part.outputs) escape(output.slot);
  return found;
}

Storages find_storages(const Plan& plan) { return find_storages(lowering::whole(plan)); }

}  // namespace litz::memory
