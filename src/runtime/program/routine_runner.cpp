#include "runtime/program/routine_runner.h"

#include <algorithm>
#include <utility>

#include "runtime/call_limit.h"
#include "runtime/program/declared_values.h"
#include "runtime/program/laid_out.h"
#include "runtime/program/library_arguments.h"
#include "support/check.h"

namespace litz::runtime {

using artifact::kNoValue;
using artifact::Operand;
using artifact::Routine;
using artifact::Step;
using artifact::ValueRef;

Value RoutineRunner::Frame::operand(const Operand& operand) const {
  if (const auto* const ref = std::get_if<ValueRef>(&operand)) {
    return values[static_cast<size_t>(ref->value)];
  }
  if (const auto* const number = std::get_if<Expr>(&operand)) return host_value(*number, bindings);
  if (const auto* const text = std::get_if<std::string>(&operand)) return *text;
  return {};
}

std::vector<Value> RoutineRunner::Frame::operands(std::span<const Operand> operands) const {
  std::vector<Value> result;
  result.reserve(operands.size());
  for (const Operand& each : operands) result.push_back(operand(each));
  return result;
}

RoutineRunner::RoutineRunner(const LoadedProgram& program, const ExprPool& pool,
                             std::span<const ListRunner> lists, DeviceLibrary& library,
                             RunPart run_part)
    : program_(program),
      pool_(pool),
      lists_(lists),
      library_(library),
      run_part_(std::move(run_part)) {}

std::vector<Value> RoutineRunner::run(const InputOf& input_of, Bindings& bindings,
                                      StreamId stream) const {
  const Routine& routine = program_.program().routines[0];
  Frame frame(bindings, {program_.device(), stream}, routine.value_count);
  for (size_t i = 0; i < routine.input_values.size(); ++i) {
    if (routine.input_values[i] == kNoValue) continue;
    const Tensor* const tensor = input_of(i);
    require(tensor != nullptr && tensor->defined(),
            "an input must be a tensor:", program_.program().signature.inputs[i].label);
    take_input(routine, i, *tensor, frame);
  }
  std::vector<Value> results = run_routine(routine, frame);
  library_.finish_collectives(stream);
  return results;
}

std::vector<Value> RoutineRunner::call(int32_t routine, std::vector<Value> inputs,
                                       Frame& caller) const {
  const Routine& child = program_.program().routines[static_cast<size_t>(routine)];
  Frame frame(caller.bindings, caller.where, child.value_count);
  take_inputs(child, std::move(inputs), frame);
  return run_routine(child, frame);
}

std::vector<Value> RoutineRunner::run_routine(const Routine& routine, Frame& frame) const {
  for (const Step& step : routine.steps) {
    check_limit();
    try {
      std::visit([&](const auto& work) { run_step(frame, step, work); }, step.work);
    } catch (Error& error) {
      // Errors of lists name their launches already.
      if (!std::holds_alternative<artifact::ListStep>(step.work)) {
        error.add_note("while running " + step.label);
      }
      throw;
    }
    for (const artifact::ValueId value : step.dead) frame.value(value) = Tensor();
  }
  return frame.operands(routine.outputs);
}

/// Binds the symbols of a child routine and stores its inputs.
void RoutineRunner::take_inputs(const Routine& routine, std::vector<Value> inputs,
                                Frame& frame) const {
  require(inputs.size() == routine.input_types.size(), ErrorCode::corrupt,
          "a routine must get all of its inputs:", routine.name, inputs.size(),
          routine.input_types.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const artifact::ValueType& declared = routine.input_types[i];
    if (const auto* const scalar = std::get_if<artifact::HostScalar>(&declared)) {
      const bool binds = scalar->value.is_symbol() &&
                         std::ranges::count(routine.defines, scalar->value.symbol()) > 0;
      if (binds) {
        bind_symbol(pool_, scalar->value.symbol(), inputs[i], routine.name, frame.bindings);
      }
    }
    const auto* const type = std::get_if<TensorType>(&declared);
    const auto* const tensor = std::get_if<Tensor>(&inputs[i]);
    if (type == nullptr || tensor == nullptr || !tensor->defined()) continue;
    bind_sizes(pool_, *type, *tensor, routine.defines, routine.name, frame.bindings);
    if (routine.input_values[i] != kNoValue) take_input(routine, i, *tensor, frame);
  }
}

void RoutineRunner::take_input(const Routine& routine, size_t i, const Tensor& tensor,
                               Frame& frame) const {
  frame.value(routine.input_values[i]) =
      as_operand(std::get<TensorType>(routine.input_types[i]), tensor, routine.name, frame.bindings,
                 frame.where);
}

void RoutineRunner::run_step(Frame& frame, const Step& step, const artifact::ListStep& work) const {
  const auto input_of = [&](size_t i) -> const Tensor* {
    const artifact::ValueId value = work.inputs[i].value;
    return value == kNoValue ? nullptr : &frame.value(value);
  };
  std::vector<Value> results =
      lists_[static_cast<size_t>(work.list)].run(input_of, frame.bindings, frame.where.stream);
  for (size_t i = 0; i < results.size(); ++i) {
    if (step.results[i].value == kNoValue) continue;
    frame.value(step.results[i].value) = std::move(std::get<Tensor>(results[i]));
  }
}

namespace {

/// A step's argument with tensors from `tensor_of`.
template <typename TensorOf>
kernels::LibraryArgument evaluated(const artifact::StepArgument& argument,
                                   const TensorOf& tensor_of, const Bindings& bindings) {
  struct Evaluate {
    const TensorOf& tensor_of;
    const Bindings& bindings;

    kernels::LibraryArgument operator()(std::monostate) const { return std::monostate(); }

    kernels::LibraryArgument operator()(const ValueRef& ref) const { return tensor_of(ref); }

    kernels::LibraryArgument operator()(const std::vector<ValueRef>& refs) const {
      std::vector<Tensor> tensors;
      tensors.reserve(refs.size());
      for (const ValueRef& ref : refs) tensors.push_back(tensor_of(ref));
      return tensors;
    }

    kernels::LibraryArgument operator()(const Expr& value) const { return number(value, bindings); }

    kernels::LibraryArgument operator()(const std::vector<Expr>& values) const {
      return numbers(values, bindings);
    }

    kernels::LibraryArgument operator()(const std::complex<double>& value) const { return value; }

    kernels::LibraryArgument operator()(const std::string& text) const { return text; }

    kernels::LibraryArgument operator()(DType dtype) const { return dtype; }

    kernels::LibraryArgument operator()(const std::vector<std::string>& texts) const {
      return texts;
    }
  };

  return std::visit(Evaluate{tensor_of, bindings}, argument);
}

}  // namespace

void RoutineRunner::run_step(Frame& frame, const Step& step,
                             const artifact::LibraryStep& work) const {
  const auto tensor_of = [&](const ValueRef& ref) {
    return ref.value == kNoValue ? Tensor() : frame.value(ref.value);
  };
  std::vector<kernels::LibraryArgument> arguments;
  arguments.reserve(work.arguments.size());
  for (const artifact::StepArgument& argument : work.arguments) {
    arguments.push_back(evaluated(argument, tensor_of, frame.bindings));
  }
  std::vector<Tensor> results(step.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const artifact::StepResult& result = step.results[i];
    if (result.over != kNoValue) results[i] = frame.value(result.over);
    if (result.is_given) {
      results[i] = allocate(std::get<TensorType>(result.type), frame.bindings, frame.where);
    }
  }
  library_.run(work.function, arguments, results, frame.where.stream);
  for (size_t i = 0; i < results.size(); ++i) settle(frame, step, i, std::move(results[i]));
}

void RoutineRunner::run_step(Frame& frame, const Step& /*step*/,
                             const artifact::ItemStep& work) const {
  bind_symbol(pool_, work.symbol, element_value(frame.value(work.source), work.domain, frame.where),
              "a value read from a tensor", frame.bindings);
}

void RoutineRunner::run_step(Frame& frame, const Step& step,
                             const artifact::ProgramStep& work) const {
  const std::optional<SymbolId> seed = program_.program().seed;
  const int64_t key = seed ? frame.bindings.find(*seed).value_or(0) : 0;
  settle(frame, step, run_part_(work.part, frame.operands(work.inputs), key));
}

void RoutineRunner::settle(Frame& frame, const Step& step, std::vector<Value> results) const {
  require(results.size() == step.results.size(), ErrorCode::corrupt,
          "a child graph must give all results:", results.size(), step.results.size());
  // A size may be twice another that only a later result has.
  for (size_t i = 0; i < results.size(); ++i) {
    const auto* const type = std::get_if<TensorType>(&step.results[i].type);
    const auto* const tensor = std::get_if<Tensor>(&results[i]);
    if (type == nullptr || tensor == nullptr || !tensor->defined()) continue;
    bind_sizes(pool_, *type, *tensor, step.defines, step.label, frame.bindings);
  }
  for (size_t i = 0; i < results.size(); ++i) settle(frame, step, i, std::move(results[i]));
}

void RoutineRunner::settle(Frame& frame, const Step& step, size_t i, Value value) const {
  const artifact::StepResult& result = step.results[i];
  if (const auto* const scalar = std::get_if<artifact::HostScalar>(&result.type)) {
    return bind_number(pool_, scalar->domain, scalar->value, std::move(value), step.defines,
                       step.label, frame.bindings, frame.where);
  }
  if (result.value == kNoValue) return;
  frame.value(result.value) = as_result(pool_, std::get<TensorType>(result.type), value,
                                        step.defines, step.label, frame.bindings, frame.where);
}

}  // namespace litz::runtime
