// Runs one step after the other. A result's memory is allocated just before its step and freed
// right after the last step that reads it.

#include "compiler/execution/plan_runner.h"

#include <algorithm>
#include <utility>

#include "compiler/epilogue_launch.h"
#include "compiler/leaf.h"
#include "compiler/missing_functions.h"
#include "runtime/call_limit.h"
#include "runtime/cpu/tile_runner.h"
#include "runtime/program/declared_values.h"
#include "runtime/program/library_arguments.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using lowering::kNoSlot;
using lowering::Slot;
using lowering::Step;

kernels::LibraryArgument attribute_argument(const ir::Attribute& attribute,
                                            const Bindings& bindings) {
  if (const auto* scalar = std::get_if<Expr>(&attribute)) return runtime::number(*scalar, bindings);
  if (const auto* scalars = std::get_if<ir::Scalars>(&attribute)) {
    return runtime::numbers(std::vector<Expr>(scalars->begin(), scalars->end()), bindings);
  }
  if (const auto* complex = std::get_if<std::complex<double>>(&attribute)) return *complex;
  if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
  if (const auto* dtype = std::get_if<DType>(&attribute)) return *dtype;
  if (const auto* texts = std::get_if<ir::Strings>(&attribute)) return *texts;
  return std::monostate();
}

}  // namespace

Leaf PlanRunner::Frame::leaf(const lowering::ControlOperand& operand) const {
  if (operand.slot != kNoSlot) return slots[static_cast<size_t>(operand.slot)];
  if (operand.scalar) return host_value(*operand.scalar, bindings);
  if (operand.text) return *operand.text;
  return {};
}

std::vector<Leaf> PlanRunner::Frame::leaves(
    std::span<const lowering::ControlOperand> operands) const {
  std::vector<Leaf> result;
  result.reserve(operands.size());
  for (const lowering::ControlOperand& operand : operands) result.push_back(leaf(operand));
  return result;
}

PlanRunner::PlanRunner(lowering::LoweredProgram program, const ExprPool& pool,
                       const KernelSetOptions& options, RunRegion run_region)
    : program_(std::move(program)), pool_(pool), run_region_(std::move(run_region)) {
  std::vector<const loops::Kernel*> kernels;
  std::vector<const loops::Kernel*> epilogues;
  for (const lowering::Plan& plan : program_.plans) {
    std::vector<Prepared>& steps = prepared_.emplace_back();
    for (const Step& step : plan.steps) {
      Prepared& prepared = steps.emplace_back();
      if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) {
        prepared.kernel = kernels.size();
        kernels.push_back(&kernel->kernel);
      } else if (const auto* library = std::get_if<lowering::LibraryStep>(&step.work)) {
        prepared.function = kernels::find_library_function(library->function);
        if (library->epilogue) {
          prepared.kernel = epilogues.size();
          epilogues.push_back(&library->epilogue->kernel);
        }
      }
    }
  }
  kernels_.emplace(kernels, epilogues, options);
  context_ = std::make_unique<kernels::LibraryContext>(options.pool);
  device_ = std::make_unique<runtime::HostDevice>(options.pool);
}

std::vector<Leaf> PlanRunner::run(std::vector<Leaf> inputs, Bindings& bindings) const {
  std::vector<Leaf> results = run_plan(0, std::move(inputs), bindings, nullptr);
  context_->communicator()->wait_all();
  return results;
}

std::vector<Leaf> PlanRunner::run(std::vector<Leaf> inputs, Bindings& bindings,
                                  StepObserver& observer) const {
  std::vector<Leaf> results = run_plan(0, std::move(inputs), bindings, &observer);
  context_->communicator()->wait_all();
  return results;
}

std::vector<Leaf> PlanRunner::run_plan(int index, std::vector<Leaf> inputs, Bindings& bindings,
                                       StepObserver* observer) const {
  const lowering::Plan& plan = program_.plans[static_cast<size_t>(index)];
  const std::vector<Prepared>& prepared = prepared_[static_cast<size_t>(index)];
  Frame frame{plan, std::vector<Tensor>(static_cast<size_t>(plan.slot_count)), bindings, observer};
  take_inputs(frame, std::move(inputs));
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    runtime::check_limit();
    const Step& step = plan.steps[i];
    if (observer != nullptr) observer->before_step(index, i);
    try {
      run_step(frame, step, prepared[i]);
    } catch (Error& error) {
      error.add_note("while running " + step.label);
      throw;
    }
    if (observer != nullptr) observer->after_step(index, i, frame.slots, bindings);
    for (const Slot slot : step.dead) frame.slot(slot) = Tensor();
  }
  return frame.leaves(plan.outputs);
}

void PlanRunner::take_inputs(Frame& frame, std::vector<Leaf> inputs) const {
  const lowering::Plan& plan = frame.plan;
  check(inputs.size() == plan.input_types.size(), "a plan must get all of its inputs:", plan.name,
        inputs.size(), plan.input_types.size());
  const bool is_main = &plan == program_.plans.data();  // The caller has bound its symbols.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::ValueType& declared = plan.input_types[i];
    if (const auto* scalar = std::get_if<ir::ScalarType>(&declared)) {
      const bool binds = !is_main && scalar->value.is_symbol() &&
                         std::ranges::count(plan.defines, scalar->value.symbol()) > 0;
      if (binds) bind_symbol(pool_, scalar->value.symbol(), inputs[i], plan.name, frame.bindings);
    }
    auto* tensor = std::get_if<Tensor>(&inputs[i]);
    if (tensor == nullptr || !ir::is_tensor(declared)) continue;
    const auto& type = std::get<TensorType>(declared);
    if (!is_main) {
      runtime::bind_sizes(pool_, type, *tensor, plan.defines, plan.name, frame.bindings);
    }
    if (plan.input_slots[i] == kNoSlot) continue;
    frame.slot(plan.input_slots[i]) =
        runtime::as_operand(type, *tensor, plan.name, frame.bindings, where());
    *tensor = Tensor();
  }
}

void PlanRunner::run_step(Frame& frame, const Step& step, const Prepared& prepared) const {
  for (const lowering::Result& result : step.results) {
    if (result.over != kNoSlot) frame.slot(result.slot) = frame.slot(result.over);
    if (!result.allocate) continue;
    frame.slot(result.slot) = allocate(std::get<TensorType>(result.type), frame.bindings, where());
    if (frame.observer != nullptr) frame.observer->after_allocation(frame.slot(result.slot));
  }
  if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) {
    run_kernel(frame, *kernel, prepared.kernel);
  } else if (const auto* library = std::get_if<lowering::LibraryStep>(&step.work)) {
    run_library(frame, step, *library, prepared);
  } else if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
    frame.slot(step.results[0].slot) =
        restrided(frame.slot(view->source), view->type, view->source_offset, view->source_dtype,
                  frame.bindings);
  } else if (const auto* scalar = std::get_if<lowering::ScalarStep>(&step.work)) {
    bind_symbol(pool_, scalar->symbol,
                element_value(frame.slot(scalar->source), scalar->domain, where()),
                "a value read from a tensor", frame.bindings);
  } else if (const auto* assertion = std::get_if<lowering::AssertStep>(&step.work)) {
    run_assertion(frame, *assertion);
  } else {
    run_control(frame, step, std::get<lowering::ControlStep>(step.work));
  }
}

std::vector<Tensor> PlanRunner::buffers_of(Frame& frame, const lowering::KernelStep& work) {
  std::vector<Tensor> buffers;
  buffers.reserve(work.buffers.size());
  for (size_t i = 0; i < work.buffers.size(); ++i) {
    const lowering::BufferSlot& buffer = work.buffers[i];
    if (buffer.slot == kNoSlot) break;  // Scratch.
    const Tensor& tensor = frame.slot(buffer.slot);
    buffers.push_back(buffer.restrided ? restrided(tensor, *buffer.restrided, Expr(0),
                                                   tensor.dtype(), frame.bindings)
                                       : tensor);
  }
  return buffers;
}

void PlanRunner::run_kernel(Frame& frame, const lowering::KernelStep& work, size_t kernel) const {
  const std::vector<Tensor> buffers = buffers_of(frame, work);
  if (frame.observer != nullptr) frame.observer->before_kernel(kernel, work, buffers);
  kernels_->run(kernel, buffers, frame.bindings);
  if (frame.observer != nullptr) {
    frame.observer->after_kernel(kernel, work, buffers, frame.bindings);
  }
}

void PlanRunner::run_library(Frame& frame, const Step& step, const lowering::LibraryStep& work,
                             const Prepared& prepared) const {
  std::vector<kernels::LibraryArgument> arguments;
  for (const lowering::LibraryOperand& operand : work.arguments) {
    if (operand.is_list) {
      std::vector<Tensor> list;
      for (const Slot slot : operand.slots) {
        list.push_back(slot == kNoSlot ? Tensor() : frame.slot(slot));
      }
      arguments.emplace_back(std::move(list));
    } else if (!operand.slots.empty()) {
      arguments.emplace_back(frame.slot(operand.slots[0]));
    } else {
      arguments.push_back(attribute_argument(operand.attribute, frame.bindings));
    }
  }
  std::vector<Tensor> results;
  for (const lowering::Result& result : std::span(step.results).first(call_results(step))) {
    results.push_back(result.slot == kNoSlot ? Tensor() : frame.slot(result.slot));
  }
  require(prepared.function != nullptr, ErrorCode::unsupported,
          "an operator must have a function to be run:", work.function, kHowToRegister);
  kernels::LibraryCall call{work.function, arguments, results, context_.get()};
  const size_t epilogue = kernels_->epilogue(prepared.kernel);
  if (work.epilogue && kernels_->tile_symbols(epilogue) != nullptr) {
    run_in_tiles(frame, *work.epilogue, epilogue, prepared.function, call);
  } else {
    prepared.function(call);
    if (work.epilogue) run_kernel(frame, *work.epilogue, epilogue);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!step.results[i].allocate) settle(frame, step, i, std::move(results[i]));
  }
}

void PlanRunner::run_in_tiles(Frame& frame, const lowering::KernelStep& epilogue, size_t kernel,
                              kernels::LibraryFunction function, kernels::LibraryCall& call) const {
  const artifact::KernelCode& code = kernels_->code(kernel);
  runtime::TileRunner runner(epilogue_launch(epilogue, *kernels_->tile_symbols(kernel), code), code,
                             kernels_->function(kernel), frame.bindings);
  std::vector<int64_t> values;
  for (const Expr value : runner.values()) {
    values.push_back(artifact::scalar_bits(value, frame.bindings));
  }
  std::vector<std::byte*> addresses;
  for (const Tensor& buffer : buffers_of(frame, epilogue)) addresses.push_back(buffer.address());
  runner.set_values(values);
  runner.place(addresses);
  call.epilogue = &runner;
  function(call);
}

void PlanRunner::run_assertion(Frame& frame, const lowering::AssertStep& work) const {
  if (evaluate_boolean(work.condition, frame.bindings)) return;
  std::string message = work.message;
  for (const SymbolId symbol : free_symbols(work.condition)) {
    const auto value = frame.bindings.find(symbol);
    if (value) message += "; " + pool_.symbol(symbol).name + " = " + std::to_string(*value);
  }
  fail(ErrorCode::invalid_argument, "an assertion of the program must hold:", message);
}

/// Stores a result whose sizes were unknown before the step ran.
void PlanRunner::settle(Frame& frame, const Step& step, size_t i, Leaf value) const {
  const lowering::Result& result = step.results[i];
  if (const auto* scalar = std::get_if<ir::ScalarType>(&result.type)) {
    return runtime::bind_number(pool_, scalar->domain, scalar->value, std::move(value),
                                step.defines, step.label, frame.bindings, where());
  }
  if (result.slot == kNoSlot) return;
  frame.slot(result.slot) = runtime::as_result(pool_, std::get<TensorType>(result.type), value,
                                               step.defines, step.label, frame.bindings, where());
}

}  // namespace litz::compiler
