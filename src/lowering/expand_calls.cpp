#include "lowering/expand_calls.h"

#include <string>
#include <utility>

#include "loops/clone.h"
#include "lowering/last_use.h"
#include "support/check.h"

namespace litz::lowering {
namespace {

const ControlStep* splice_of(const Step& step) {
  const auto* control = std::get_if<ControlStep>(&step.work);
  return control != nullptr && control->kind == ControlKind::splice ? control : nullptr;
}

/// Copies work with every slot replaced.
class WorkCopier {
 public:
  explicit WorkCopier(const std::vector<Slot>& slots) : slots_(slots) {}

  Slot at(Slot slot) const { return slot == kNoSlot ? kNoSlot : slots_[static_cast<size_t>(slot)]; }

  decltype(Step::work) operator()(const KernelStep& step) const { return kernel(step); }

  decltype(Step::work) operator()(const LibraryStep& step) const {
    LibraryStep copy{step.function, step.arguments, step.keeps_order, std::nullopt};
    for (LibraryOperand& argument : copy.arguments) {
      for (Slot& slot : argument.slots) slot = at(slot);
    }
    if (step.epilogue) copy.epilogue = kernel(*step.epilogue);
    return copy;
  }

  decltype(Step::work) operator()(ViewStep step) const {
    step.source = at(step.source);
    return step;
  }

  decltype(Step::work) operator()(ScalarStep step) const {
    step.source = at(step.source);
    return step;
  }

  decltype(Step::work) operator()(AssertStep step) const { return step; }

  decltype(Step::work) operator()(ControlStep step) const {
    if (step.predicate) step.predicate->slot = at(step.predicate->slot);
    for (std::vector<ControlOperand>* operands : {&step.carried, &step.xs, &step.additional}) {
      for (ControlOperand& operand : *operands) operand.slot = at(operand.slot);
    }
    return step;
  }

 private:
  KernelStep kernel(const KernelStep& step) const {
    KernelStep copy{loops::clone(step.kernel), step.buffers};
    for (BufferSlot& buffer : copy.buffers) buffer.slot = at(buffer.slot);
    return copy;
  }

  const std::vector<Slot>& slots_;
};

class Expander {
 public:
  explicit Expander(LoweredProgram& program)
      : program_(program), calls_(program.plans.size(), 0), expanded_(program.plans.size(), 0) {
    for (const Plan& plan : program.plans) {
      for (const Step& step : plan.steps) {
        if (const ControlStep* call = splice_of(step)) ++calls_[index(*call)];
      }
    }
  }

  void run() {
    // Callees come first, except the main plan, which is never called.
    for (size_t i = 1; i < program_.plans.size(); ++i) expand(program_.plans[i]);
    expand(program_.plans[0]);
  }

 private:
  static size_t index(const ControlStep& call) { return static_cast<size_t>(call.plans[0]); }

  void expand(Plan& plan) {
    std::vector<Step> steps = std::exchange(plan.steps, {});
    bool is_changed = false;
    for (Step& step : steps) {
      const ControlStep* call = splice_of(step);
      if (call == nullptr) {
        plan.steps.push_back(std::move(step));
        continue;
      }
      splice(plan, step, *call);
      is_changed = true;
    }
    if (is_changed) mark_dead_slots(plan);
  }

  /// By slot of the child plan: its replacement in `plan`.
  std::vector<Slot> slots_for(Plan& plan, const Step& step, const ControlStep& call,
                              const Plan& child) const {
    std::vector<Slot> slots(static_cast<size_t>(child.slot_count), kNoSlot);
    for (size_t i = 0; i < child.input_slots.size(); ++i) {
      const Slot slot = child.input_slots[i];
      if (slot != kNoSlot) slots[static_cast<size_t>(slot)] = call.carried[i].slot;
    }
    for (size_t i = 0; i < child.outputs.size(); ++i) {
      const Slot slot = child.outputs[i].slot;
      if (slot != kNoSlot) slots[static_cast<size_t>(slot)] = step.results[i].slot;
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] != kNoSlot) continue;
      const bool is_reserved = static_cast<int>(i) < call.reserved_count;
      slots[i] = is_reserved ? call.reserved + static_cast<Slot>(i) : plan.slot_count++;
    }
    return slots;
  }

  void splice(Plan& plan, const Step& step, const ControlStep& call) {
    const size_t number = index(call);
    const Plan& child = program_.plans[number];
    check(call.carried.size() == child.input_slots.size() &&
              step.results.size() == child.outputs.size(),
          "a call must give every input of a plan and take its results:", step.label);
    const std::vector<Slot> slots = slots_for(plan, step, call, child);
    const WorkCopier copier(slots);
    const std::string which = ", call " + std::to_string(++expanded_[number]) + " of " +
                              std::to_string(calls_[number]) + " of @" + child.name;
    for (const Step& inner : child.steps) {
      Step copy;
      copy.work = std::visit(copier, inner.work);
      copy.results = inner.results;
      for (Result& result : copy.results) {
        result.slot = copier.at(result.slot);
        result.over = copier.at(result.over);
      }
      copy.label = inner.label + which;
      copy.location = inner.location;
      plan.steps.push_back(std::move(copy));
    }
  }

  LoweredProgram& program_;
  std::vector<int> calls_;     ///< By plan: how often it is spliced.
  std::vector<int> expanded_;  ///< By plan: how often it was expanded.
};

/// By plan: true if a caller other than splices needs it.
std::vector<bool> plans_kept(const LoweredProgram& program) {
  std::vector<bool> kept(program.plans.size(), false);
  kept[0] = true;
  for (const Plan& plan : program.plans) {
    for (const Step& step : plan.steps) {
      const auto* control = std::get_if<ControlStep>(&step.work);
      if (control == nullptr || splice_of(step) != nullptr) continue;
      for (const int child : control->plans) kept[static_cast<size_t>(child)] = true;
    }
  }
  return kept;
}

/// Calls visit(caller, child) for every splice, callers before callees.
template <typename Visit>
void for_each_splice(const LoweredProgram& program, const Visit& visit) {
  const auto visit_plan = [&](size_t caller) {
    for (const Step& step : program.plans[caller].steps) {
      if (const ControlStep* call = splice_of(step)) {
        visit(caller, static_cast<size_t>(call->plans[0]));
      }
    }
  };
  // Callees come first in the list, except the main plan.
  visit_plan(0);
  for (size_t i = program.plans.size(); i-- > 1;) visit_plan(i);
}

}  // namespace

std::vector<int> homes_of_plans(const LoweredProgram& program) {
  const std::vector<bool> kept = plans_kept(program);
  std::vector<int> homes(program.plans.size(), 0);
  std::vector<bool> is_settled = kept;
  int next = 0;
  for (size_t i = 0; i < homes.size(); ++i) {
    if (kept[i]) homes[i] = next++;
  }
  for_each_splice(program, [&](size_t caller, size_t child) {
    if (!is_settled[child]) homes[child] = homes[caller];
    is_settled[child] = true;
  });
  return homes;
}

std::vector<int> copies_of_plans(const LoweredProgram& program) {
  const std::vector<bool> kept = plans_kept(program);
  std::vector<int> copies(kept.begin(), kept.end());
  for_each_splice(program, [&](size_t caller, size_t child) { copies[child] += copies[caller]; });
  return copies;
}

void expand_calls(LoweredProgram& program) {
  const std::vector<bool> kept = plans_kept(program);
  const std::vector<int> homes = homes_of_plans(program);
  Expander(program).run();
  std::vector<Plan> plans;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) plans.push_back(std::move(program.plans[i]));
  }
  for (Plan& plan : plans) {
    for (Step& step : plan.steps) {
      auto* control = std::get_if<ControlStep>(&step.work);
      if (control == nullptr) continue;
      for (int& child : control->plans) child = homes[static_cast<size_t>(child)];
    }
  }
  program.plans = std::move(plans);
}

}  // namespace litz::lowering
