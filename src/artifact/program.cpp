#include "artifact/program.h"

#include <algorithm>
#include <array>

#include "support/check.h"

namespace litz::artifact {
namespace {

/// The number of children of control flow of this kind.
size_t child_count(ControlKind kind) {
  return kind == ControlKind::cond || kind == ControlKind::while_loop ? 2 : 1;
}

class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), is_open_(program.routines.size(), Visit::never) {}

  void run() {
    for (const ProgramOutput& output : program_.signature.outputs) {
      check(is_mutation(output.kind) ? is_input(output.input) : output.input == -1,
            "mutations, and nothing else, must name an input:", output.input);
    }
    for (const int32_t input : program_.updated) {
      check(is_input(input), "what is updated must be an input:", input);
    }
    check_packed();
    for (const LaunchList& list : program_.lists) check_list(list, program_.kernels);
    for (const LaunchList& list : program_.lists) check_inputs(list);
    for (const Program& part : program_.parts) {
      check(part.parts.empty(), "a part of a program must have no parts:", part.name);
      Checker(part).run();
    }
    if (program_.routines.empty()) return check_single_list();
    check(program_.routines[0].input_types.size() == program_.signature.inputs.size() &&
              program_.routines[0].outputs.size() == program_.signature.outputs.size(),
          "the main routine must have the program's signature:", program_.name);
    for (const Routine& routine : program_.routines) check_routine(routine);
    visit(0);
  }

 private:
  bool is_input(int32_t input) const {
    return input >= 0 && static_cast<size_t>(input) < program_.signature.inputs.size();
  }

  void check_packed() const {
    for (size_t i = 0; i < program_.packed.size(); ++i) {
      const PackedConstant& packed = program_.packed[i];
      const bool is_of_weight = is_input(packed.input) && packed.source == -1;
      const bool is_of_earlier =
          packed.input == -1 && packed.source >= 0 && static_cast<size_t>(packed.source) < i;
      check((is_of_weight || is_of_earlier) && packed.offset >= 0 && packed.data.defined(),
            "a packed constant must be made of a weight or an earlier one:", i);
    }
  }

  void check_inputs(const LaunchList& list) const {
    for (const PlannedStorage& storage : list.storages) {
      const auto index = static_cast<size_t>(storage.index);
      const bool is_given =
          storage.kind == StorageKind::input || storage.kind == StorageKind::weight;
      check(!is_given || (index < list.inputs.size() && list.inputs[index].has_value()),
            "a storage must belong to an input of its list:", storage.name);
    }
  }

  void check_single_list() const {
    check(program_.lists.size() == 1, "a program without routines is one list:", program_.name);
    const LaunchList& list = program_.lists[0];
    check(list.inputs.size() == program_.signature.inputs.size() &&
              list.outputs.size() == program_.signature.outputs.size(),
          "the list must have the program's signature:", program_.name);
  }

  void check_routine(const Routine& routine) {
    routine_ = &routine;
    check(routine.value_count >= 0 && routine.input_types.size() == routine.input_values.size(),
          "a routine must number its values:", routine.name);
    is_set_.assign(static_cast<size_t>(routine.value_count), false);
    for (const ValueId value : routine.input_values) set(value);
    for (const Step& step : routine.steps) {
      std::visit([&](const auto& work) { check_work(work, step); }, step.work);
      for (const StepResult& result : step.results) {
        if (result.over != kNoValue) check_read(result.over);
        set(result.value);
        const bool is_tensor = std::holds_alternative<TensorType>(result.type);
        check(is_tensor || (result.value == kNoValue && !result.is_given),
              "a value must be a tensor:", step.label);
      }
      for (const ValueId value : step.dead) {
        check_read(value);
        is_set_[static_cast<size_t>(value)] = false;
      }
    }
    for (const Operand& output : routine.outputs) check_operand(output);
  }

  void check_value(ValueId value) const {
    check(value >= kNoValue && value < routine_->value_count,
          "a value must be the routine's:", routine_->name, value);
  }

  /// Some step before has set the value, and none has read it for the last time.
  void check_read(ValueId value) const {
    check_value(value);
    check(value != kNoValue && is_set_[static_cast<size_t>(value)],
          "a step must read a value that is set:", routine_->name, value);
  }

  void set(ValueId value) {
    check_value(value);
    if (value != kNoValue) is_set_[static_cast<size_t>(value)] = true;
  }

  void check_operand(const Operand& operand) const {
    if (const auto* const ref = std::get_if<ValueRef>(&operand)) check_read(ref->value);
  }

  void check_work(const ListStep& work, const Step& step) const {
    const auto index = static_cast<size_t>(work.list);
    check(work.list >= 0 && index < program_.lists.size(), "a step must name a list:", step.label);
    const LaunchList& list = program_.lists[index];
    check(work.inputs.size() == list.inputs.size() && step.results.size() == list.outputs.size(),
          "a step must have the inputs and outputs of its list:", step.label);
    for (size_t i = 0; i < work.inputs.size(); ++i) {
      const ListInput& input = work.inputs[i];
      check_optional(input.value);
      check(input.weight == -1 || is_input(input.weight),
            "a weight must be an input of the program:", step.label);
      const bool is_given = input.value != kNoValue || input.weight >= 0;
      check(is_given || !list.inputs[i], "a list must be given what it reads:", step.label);
    }
  }

  void check_work(const LibraryStep& work, const Step& /*step*/) const {
    for (const StepArgument& argument : work.arguments) {
      // A reference without a value is an absent tensor.
      if (const auto* const ref = std::get_if<ValueRef>(&argument)) check_optional(ref->value);
      if (const auto* const list = std::get_if<std::vector<ValueRef>>(&argument)) {
        for (const ValueRef& ref : *list) check_optional(ref.value);
      }
    }
  }

  void check_optional(ValueId value) const {
    if (value != kNoValue) check_read(value);
  }

  void check_work(const ItemStep& work, const Step& /*step*/) const { check_read(work.source); }

  void check_work(const ControlStep& work, const Step& step) const {
    check(work.routines.size() == child_count(work.kind),
          "control flow must have its children:", step.label, work.routines.size());
    for (const int32_t child : work.routines) {
      check(child >= 0 && static_cast<size_t>(child) < program_.routines.size(),
            "control flow must name routines:", step.label, child);
    }
    check_operand(work.predicate);
    for (const auto* const operands : {&work.carried, &work.xs, &work.additional}) {
      for (const Operand& operand : *operands) check_operand(operand);
    }
  }

  void check_work(const ProgramStep& work, const Step& step) const {
    check(work.part >= 0 && static_cast<size_t>(work.part) < program_.parts.size(),
          "a step must name a part of the program:", step.label, work.part);
    const Signature& part = program_.parts[static_cast<size_t>(work.part)].signature;
    const auto inputs = std::ranges::count_if(
        part.inputs, [](const ProgramInput& input) { return is_given_by_caller(input.kind); });
    const auto outputs = std::ranges::count_if(
        part.outputs, [](const ProgramOutput& output) { return is_user_output(output.kind); });
    check(std::ssize(work.inputs) == inputs && std::ssize(step.results) == outputs,
          "a step must have the inputs and outputs of its part:", step.label);
    for (const Operand& input : work.inputs) check_operand(input);
  }

  /// Routines that called each other in a circle would never end.
  void visit(size_t routine) {
    if (is_open_[routine] == Visit::ended) return;
    check(is_open_[routine] == Visit::never,
          "a routine must not call itself:", program_.routines[routine].name);
    is_open_[routine] = Visit::open;
    for (const Step& step : program_.routines[routine].steps) {
      const auto* const control = std::get_if<ControlStep>(&step.work);
      if (control == nullptr) continue;
      for (const int32_t child : control->routines) visit(static_cast<size_t>(child));
    }
    is_open_[routine] = Visit::ended;
  }

  enum class Visit : uint8_t { never, open, ended };

  const Program& program_;
  const Routine* routine_ = nullptr;  ///< The one that is checked.
  std::vector<bool> is_set_;          ///< By value: set by the steps so far, and not dead.
  std::vector<Visit> is_open_;
};

}  // namespace

void check_program(const Program& program) { Checker(program).run(); }

}  // namespace litz::artifact
