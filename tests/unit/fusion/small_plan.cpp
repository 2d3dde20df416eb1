#include "fusion/small_plan.h"

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "loops/interpreter.h"
#include "support/check.h"

namespace litz::fusion {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Slot;
using lowering::Step;

namespace {

Tensor filled(const TensorType& type, const Bindings& bindings, int seed) {
  Tensor tensor = Tensor::empty_strided(type.dtype, evaluate(type.sizes, bindings),
                                        evaluate(type.strides, bindings));
  std::vector<double> values(static_cast<size_t>(tensor.numel()));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto mixed = (i * 7919 + static_cast<size_t>(seed) * 104729 + 13) % 1009;
    values[i] = is_floating(type.dtype) ? static_cast<double>(mixed) / 97.0 - 5.0
                                        : static_cast<double>(mixed % 4);
  }
  tensor.copy_from(Tensor::of<double>(DType::f64, tensor.sizes(), std::span<const double>(values)));
  return tensor;
}

// As the runner of the compiler binds a type to storage.
Tensor restrided(const Tensor& tensor, const TensorType& type, const Bindings& bindings) {
  const int64_t item = item_size(type.dtype);
  const int64_t bytes =
      tensor.offset() * item_size(tensor.dtype()) + evaluate(type.offset, bindings) * item;
  return Tensor(type.dtype, evaluate(type.sizes, bindings), evaluate(type.strides, bindings),
                bytes / item, tensor.storage());
}

Tensor allocated(const TensorType& type, const Bindings& bindings) {
  return Tensor::empty_strided(type.dtype, evaluate(type.sizes, bindings),
                               evaluate(type.strides, bindings));
}

/// The buffers of a kernel.
class Buffers {
 public:
  Buffers(const std::vector<Tensor>& slots, const Bindings& bindings)
      : slots_(slots), bindings_(bindings) {}

  std::vector<Tensor> of(const KernelStep& kernel) const {
    std::vector<Tensor> buffers;
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      const lowering::BufferSlot& buffer = kernel.buffers[i];
      if (buffer.slot == kNoSlot) {
        buffers.push_back(allocated(kernel.kernel.buffers[i].type, bindings_));
        continue;
      }
      const Tensor& tensor = slots_[static_cast<size_t>(buffer.slot)];
      check(tensor.defined(), "a slot must be made before it is read:", buffer.slot);
      buffers.push_back(buffer.restrided ? restrided(tensor, *buffer.restrided, bindings_)
                                         : tensor);
    }
    return buffers;
  }

 private:
  const std::vector<Tensor>& slots_;
  const Bindings& bindings_;
};

void run_library(const lowering::LibraryStep& library, const Tensor& result,
                 const std::vector<Tensor>& slots, const Bindings& bindings) {
  std::vector<kernels::LibraryArgument> arguments;
  for (const lowering::LibraryOperand& operand : library.arguments) {
    if (operand.slots.empty()) {
      arguments.emplace_back(evaluate_real(std::get<Expr>(operand.attribute), bindings));
    } else {
      arguments.emplace_back(slots[static_cast<size_t>(operand.slots[0])]);
    }
  }
  std::vector<Tensor> results{result};
  kernels::LibraryCall call{library.function, arguments, results};
  kernels::find_library_function(library.function)(call);
}

}  // namespace

Slot SmallPlan::new_slot(const TensorType& type) {
  types_.push_back(type);
  return plan().slot_count++;
}

Slot SmallPlan::input(const TensorType& type) {
  const Slot slot = new_slot(type);
  plan().input_types.emplace_back(type);
  plan().input_slots.push_back(slot);
  return slot;
}

std::vector<Slot> SmallPlan::kernels(std::string_view text, std::vector<Slot> slots) {
  return kernels(loops::parse_kernel(text, pool), std::move(slots));
}

std::vector<Slot> SmallPlan::kernels(loops::Kernel built, std::vector<Slot> slots) {
  KernelStep kernel;
  kernel.kernel = std::move(built);
  loops::verify(kernel.kernel);
  Step step;
  std::vector<Slot> results;
  for (size_t i = 0; i < slots.size(); ++i) {
    const loops::Buffer& buffer = kernel.kernel.buffers[i];
    if (buffer.role == loops::BufferRole::output) {
      slots[i] = new_slot(buffer.type);
      results.push_back(slots[i]);
      step.results.push_back({slots[i], buffer.type, true});
    }
    kernel.buffers.push_back({slots[i], std::nullopt});
  }
  step.label = kernel.kernel.name;
  step.work = std::move(kernel);
  plan().steps.push_back(std::move(step));
  return results;
}

Slot SmallPlan::kernel(std::string_view text, std::vector<Slot> slots) {
  return kernels(text, std::move(slots)).at(0);
}

Slot SmallPlan::library(std::string function, const std::vector<Slot>& slots,
                        const TensorType& result, const std::vector<Expr>& numbers) {
  lowering::LibraryStep library;
  for (const Slot slot : slots) library.arguments.push_back({{slot}, false, {}});
  for (const Expr number : numbers) library.arguments.push_back({{}, false, number});
  Step step;
  step.label = function;
  library.function = std::move(function);
  step.work = std::move(library);
  step.results.push_back({new_slot(result), result, true});
  plan().steps.push_back(std::move(step));
  return plan().steps.back().results[0].slot;
}

Slot SmallPlan::view(Slot source, TensorType type) {
  const TensorType& from = types_[static_cast<size_t>(source)];
  Step step;
  step.work = lowering::ViewStep{source, type, from.offset, from.dtype};
  step.label = "view";
  const Slot slot = new_slot(type);
  step.results.push_back({slot, type, false});
  plan().steps.push_back(std::move(step));
  return slot;
}

void SmallPlan::output(Slot slot) {
  lowering::ControlOperand operand;
  operand.slot = slot;
  plan().outputs.push_back(std::move(operand));
}

std::vector<std::vector<std::byte>> SmallPlan::run(const lowering::LoweredProgram& of) const {
  const lowering::Plan& plan = of.plans[0];
  std::vector<Tensor> slots(static_cast<size_t>(plan.slot_count));
  const auto at = [&](Slot slot) -> Tensor& { return slots[static_cast<size_t>(slot)]; };
  for (size_t i = 0; i < plan.input_slots.size(); ++i) {
    at(plan.input_slots[i]) =
        filled(std::get<TensorType>(plan.input_types[i]), bindings, static_cast<int>(i));
  }
  for (const Step& step : plan.steps) {
    for (const lowering::Result& result : step.results) {
      if (result.allocate) {
        at(result.slot) = allocated(std::get<TensorType>(result.type), bindings);
      }
    }
    if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
      const Expr before = view->source_offset * item_size(view->source_dtype);
      TensorType type = view->type;
      type.offset = clean_div(type.offset * item_size(type.dtype) - before, item_size(type.dtype));
      at(step.results[0].slot) = restrided(at(view->source), type, bindings);
    } else {
      const auto* kernel = std::get_if<KernelStep>(&step.work);
      if (const auto* library = std::get_if<lowering::LibraryStep>(&step.work)) {
        run_library(*library, at(step.results[0].slot), slots, bindings);
        kernel = library->epilogue ? &*library->epilogue : nullptr;
      }
      if (kernel != nullptr) {
        loops::interpret(kernel->kernel, Buffers(slots, bindings).of(*kernel), bindings);
      }
    }
    for (const Slot slot : step.dead) at(slot) = Tensor();
  }
  std::vector<std::vector<std::byte>> results;
  for (const lowering::ControlOperand& output : plan.outputs) {
    const Tensor dense = at(output.slot).contiguous();
    const std::byte* data = dense.data();
    results.emplace_back(data, data + dense.numel() * item_size(dense.dtype()));
  }
  return results;
}

FusionReport SmallPlan::fuse_and_compare(const FusionOptions& options) {
  const auto before = run(program);
  FusionReport report;
  fuse(program, options, report);
  EXPECT_EQ(run(program), before) << to_string(report);
  return report;
}

std::vector<std::string> SmallPlan::kernel_texts() const {
  std::vector<std::string> texts;
  for (const Step& step : program.plans[0].steps) {
    if (const auto* kernel = std::get_if<KernelStep>(&step.work)) {
      texts.push_back(loops::to_string(kernel->kernel));
    }
    const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
    if (library != nullptr && library->epilogue) {
      texts.push_back(loops::to_string(library->epilogue->kernel));
    }
  }
  return texts;
}

}  // namespace litz::fusion
