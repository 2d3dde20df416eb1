// Operators with a body, a library call, or a view: one step each.

#include <array>
#include <utility>

#include "lowering/graph_lowering.h"
#include "lowering/lower.h"
#include "ops/bodies.h"
#include "ops/op_table.h"
#include "ops/random_streams.h"
#include "support/check.h"

namespace litz::lowering {
namespace {

/// Bodies look up types through it; it infers none.
class NoInference : public ir::InferContext {
 public:
  explicit NoInference(ir::Module& module) : module_(module) {}

  ir::Module& module() override { return module_; }

  Expr data_dependent(int /*ordinal*/, Interval /*range*/) override {
    fail(ErrorCode::internal, "a body must not ask for new symbols");
  }

 private:
  ir::Module& module_;
};

/// Gives bodies that draw random numbers the stream of their node.
class KernelContext final : public NoInference, public ops::StreamContext {
 public:
  explicit KernelContext(const ir::Node& node)
      : NoInference(node.graph().module()), stream_(ir::stream_of(node)) {}

  int64_t stream() const override { return stream_; }

 private:
  int64_t stream_;
};

/// Library calls that draw random numbers receive the key and their stream after all arguments.
void add_random_source(const ir::Node& node, LibraryStep& step) {
  LibraryOperand key;
  key.attribute = ops::seed_symbol(node.graph().module());
  step.arguments.push_back(std::move(key));
  LibraryOperand stream;
  stream.attribute = Expr(ir::stream_of(node));
  step.arguments.push_back(std::move(stream));
}

std::vector<ir::ValueType> types_of(const ir::Node& node) {
  std::vector<ir::ValueType> types;
  for (const ir::Value output : node.outputs()) types.push_back(output.type());
  return types;
}

bool all_scalars(std::span<const ir::Value> values) {
  for (const ir::Value value : values) {
    if (!value || !ir::is_scalar(value.type())) return false;
  }
  return !values.empty();
}

}  // namespace

void GraphLowering::lower_kernel(ir::Node& node, const ops::OpDef& op) {
  KernelContext context(node);
  const ops::Call call(node.op(), node.arguments(), &context);
  add_kernel(node, ops::build_kernel(op, call, types_of(node)), kNoSlot);
}

void GraphLowering::lower_update(ir::Node& node, const ir::OpInfo& functional) {
  const ops::OpDef& op = ops::definition(functional);
  require(op.updates_self, ErrorCode::unsupported,
          "in-place operators must be made functional before lowering:", node.op().name());
  NoInference context(graph_.module());
  const ops::Call call(functional, node.arguments(), &context);
  // If self's memory must not change, the kernel updates a copy of it; self itself is not read
  // later.
  const bool updates = can_update(node);
  ops::BoundKernel bound = ops::build_kernel(
      op, call, types_of(node), updates ? ops::UpdatedMemory::self : ops::UpdatedMemory::fresh);
  add_kernel(node, std::move(bound), updates ? slot_of(node.input(0)) : kNoSlot);
}

bool GraphLowering::can_update(const ir::Node& node) const {
  const ir::Value self = node.input(0);
  if (!std::get_if<TensorType>(&node.output().type()) || self.tensor() != node.output().tensor()) {
    return false;
  }
  const auto memory = [&](ir::Value value) {
    return slot_memories_[static_cast<size_t>(slot_of(value))].memory;
  };
  if (!memories_[memory(self)].is_writable) return false;
  for (size_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i).is_tensor() && memory(node.input(i)) == memory(self)) return false;
  }
  return true;
}

/// `over` is the slot whose memory the result reuses; kNoSlot: it gets new memory.
void GraphLowering::add_kernel(const ir::Node& node, ops::BoundKernel bound, Slot over) {
  KernelStep step;
  step.kernel = std::move(bound.kernel);
  // Results get their slots with the step, after its operands.
  const size_t step_index = plan_.steps.size();
  const std::vector<Slot> all_over(over == kNoSlot ? 0 : node.output_count(), over);
  add_step(node, KernelStep{}, true, all_over);
  for (const ops::KernelBinding& binding : bound.bindings) {
    const bool is_result = binding.source == ops::KernelBinding::Source::result;
    const ir::Value value = is_result ? node.output(binding.result) : binding.operand;
    BufferSlot buffer{slot_of(value), std::nullopt};
    if (binding.restrided) buffer.restrided = binding.type;
    step.buffers.push_back(std::move(buffer));
  }
  for (const Result& result : plan_.steps[step_index].results) {
    check(result.slot == kNoSlot || result.allocate || result.over != kNoSlot,
          "the sizes of a kernel's results must be known before it runs:", node.op().name());
  }
  plan_.steps[step_index].work = std::move(step);
}

void GraphLowering::lower_library(ir::Node& node, const ops::Library& library) {
  if (ir::has(node.op().traits, ir::Trait::collective_wait)) return lower_wait(node, library);
  LibraryStep step = library_step(node, std::string(library.function));
  step.keeps_order = ir::has(node.op().traits, ir::Trait::collective_start);
  if (ir::has(node.op().traits, ir::Trait::random)) add_random_source(node, step);
  add_step(node, std::move(step), true);
}

/// A wait's result is in the memory that the collective fills. The wait reads the collective's
/// operands as well, so that their memory is not used again before it.
void GraphLowering::lower_wait(ir::Node& node, const ops::Library& library) {
  LibraryStep step = library_step(node, std::string(library.function));
  step.keeps_order = true;
  LibraryOperand kept;
  kept.is_list = true;
  const ir::Value awaited = node.input(0);
  const ir::Node* start = awaited.producer();
  const bool is_started_here =
      start != nullptr && ir::has(start->op().traits, ir::Trait::collective_start);
  if (is_started_here) {
    for (size_t i = 0; i < start->input_count(); ++i) {
      if (start->input(i).is_tensor()) kept.slots.push_back(slot_of(start->input(i)));
    }
  }
  step.arguments.push_back(std::move(kept));
  const Slot memory = slot_of(awaited);
  const std::array over{memory};
  const bool fills = is_started_here && memory_of(memory).is_writable &&
                     awaited.tensor() == node.output().tensor();
  add_step(node, std::move(step), true,
           fills ? std::span<const Slot>(over) : std::span<const Slot>());
}

LibraryStep GraphLowering::library_step(const ir::Node& node, std::string function) const {
  LibraryStep step;
  step.function = std::move(function);
  for (const ir::Argument& argument : node.arguments()) {
    LibraryOperand operand;
    if (argument.is_value()) {
      const ir::Value value = argument.value();
      if (value.is_tensor()) {
        operand.slots.push_back(slot_of(value));
      } else if (ir::is_scalar(value.type())) {
        operand.attribute = value.scalar().value;
      }
    } else if (argument.is_value_list() && all_scalars(argument.values())) {
      ir::Scalars scalars;
      for (const ir::Value value : argument.values()) scalars.push_back(value.scalar().value);
      operand.attribute = std::move(scalars);
    } else if (argument.is_value_list()) {
      operand.is_list = true;
      for (const ir::Value value : argument.values()) {
        operand.slots.push_back(value ? slot_of(value) : kNoSlot);
      }
    } else {
      operand.attribute = argument.attribute();
    }
    step.arguments.push_back(std::move(operand));
  }
  return step;
}

/// Asserts that an expanded size is 1 or the target, where only a call can decide.
void GraphLowering::assert_expands(const ir::Node& node) {
  const TensorType& from = node.input(0).tensor();
  const TensorType& to = node.output().tensor();
  for (size_t d = 0; d < from.rank(); ++d) {
    const Expr size = from.sizes[d];
    const Expr target = to.sizes[to.rank() - from.rank() + d];
    const Expr fits = logical_or(eq(size, 1), eq(size, target));
    if (fits.is_constant() || known_equal(size, target)) continue;
    Step step;
    step.work = AssertStep{fits, "expand: a size must be 1 or the expanded size"};
    step.label = describe(node, labels_);
    step.location = node.location();
    plan_.steps.push_back(std::move(step));
  }
}

void GraphLowering::lower_views(ir::Node& node) {
  ir::Value source;
  for (const ir::Argument& argument : node.arguments()) {
    if (argument.is_value() && argument.value().is_tensor()) {
      source = argument.value();
      break;
    }
  }
  require(static_cast<bool>(source), "a view needs a tensor to look at:", node.op().name());
  const Slot from = slot_of(source);
  for (const ir::Value output : node.outputs()) {
    require(output.is_tensor() && take_unknown(output.type()).empty(), ErrorCode::unsupported,
            "the sizes of a view must follow from those of its source and from numbers before it:",
            node.op().name());
    if (!output.has_uses()) continue;
    if (node.is("aten.expand")) assert_expands(node);
    ViewStep view{from, output.tensor(), source.tensor().offset, source.tensor().dtype};
    Step step;
    step.work = std::move(view);
    step.label = describe(node, labels_);
    step.location = node.location();
    step.results.push_back({add_slot(output, from), output.type(), false});
    plan_.steps.push_back(std::move(step));
  }
}

}  // namespace litz::lowering
