#include "compiler/passed_weights.h"

#include <algorithm>

#include "support/check.h"

namespace litz::compiler {
namespace {

using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// Calls visit(child, input, operand) for the inputs of a step's children that get the same operand
/// in every run of the child. Entries of a scan and the state of loops differ.
template <typename Visit>
void for_each_passed(const lowering::LoweredProgram& lowered, const lowering::ControlStep& step,
                     const Visit& visit) {
  const bool runs_once =
      step.kind == lowering::ControlKind::call || step.kind == lowering::ControlKind::cond;
  for (const int child : step.plans) {
    const size_t inputs = lowered.plans[static_cast<size_t>(child)].input_slots.size();
    check(inputs >= step.additional.size(), "a child takes all operands of its loop:", inputs);
    const size_t additional = inputs - step.additional.size();
    for (size_t i = 0; i < inputs; ++i) {
      if (i >= additional) {
        visit(static_cast<size_t>(child), i, step.additional[i - additional].slot);
      } else if (runs_once && i < step.carried.size()) {
        visit(static_cast<size_t>(child), i, step.carried[i].slot);
      } else {
        visit(static_cast<size_t>(child), i, kNoSlot);
      }
    }
  }
}

}  // namespace

std::vector<std::vector<int32_t>> weights_passed(const lowering::LoweredProgram& lowered,
                                                 const std::vector<bool>& is_constant) {
  constexpr int32_t kNotCalled = -2;
  std::vector<std::vector<int32_t>> passed;
  for (const Plan& plan : lowered.plans) passed.emplace_back(plan.input_slots.size(), kNotCalled);
  for (size_t i = 0; i < passed[0].size(); ++i) {
    passed[0][i] = is_constant[i] ? static_cast<int32_t>(i) : -1;
  }
  const auto visit_plan = [&](size_t caller) {
    const Plan& plan = lowered.plans[caller];
    std::vector<int32_t> weight_of(static_cast<size_t>(plan.slot_count), -1);
    for (size_t i = 0; i < plan.input_slots.size(); ++i) {
      if (plan.input_slots[i] == kNoSlot) continue;
      weight_of[static_cast<size_t>(plan.input_slots[i])] = std::max(passed[caller][i], -1);
    }
    for (const Step& step : plan.steps) {
      const auto* control = std::get_if<lowering::ControlStep>(&step.work);
      if (control == nullptr) continue;
      for_each_passed(lowered, *control, [&](size_t child, size_t input, Slot slot) {
        const int32_t weight = slot == kNoSlot ? -1 : weight_of[static_cast<size_t>(slot)];
        int32_t& known = passed[child][input];
        known = known == kNotCalled || known == weight ? weight : -1;
      });
    }
  };
  // Callees come first in the list, except the main plan.
  visit_plan(0);
  for (size_t i = passed.size(); i-- > 1;) visit_plan(i);
  for (std::vector<int32_t>& inputs : passed) {
    std::ranges::replace(inputs, kNotCalled, -1);
  }
  return passed;
}

}  // namespace litz::compiler
