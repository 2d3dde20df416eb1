// Walks a graph in order: inputs, nodes, outputs, then last uses.

#include "lowering/graph_lowering.h"

#include <algorithm>
#include <utility>

#include "lowering/last_use.h"
#include "lowering/lower.h"
#include "support/check.h"

namespace litz::lowering {
namespace {

void add_symbols(std::span<const Expr> exprs, std::vector<SymbolId>& symbols) {
  for (const Expr& expr : exprs) {
    for (const SymbolId symbol : free_symbols(expr)) symbols.push_back(symbol);
  }
}

}  // namespace

std::vector<SymbolId> symbols_of(const ir::ValueType& type) {
  std::vector<SymbolId> symbols;
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    add_symbols(tensor->sizes, symbols);
    add_symbols(tensor->strides, symbols);
    add_symbols({&tensor->offset, 1}, symbols);
  } else if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) {
    add_symbols({&scalar->value, 1}, symbols);
  }
  return symbols;
}

int ProgramLowering::plan_of(ir::Graph& graph, const SymbolSet& known, std::vector<bool> writable) {
  if (std::ranges::find(writable, true) == writable.end()) writable.clear();
  const auto [found, is_new] = plans_.emplace(std::pair(graph.id(), writable), -1);
  if (!is_new) {
    check(found->second >= 0, "graphs must not call themselves:", graph.name());
    return found->second;
  }
  Plan plan = GraphLowering(*this, graph, known, std::move(writable)).run();
  found->second = static_cast<int>(program_.plans.size());
  program_.plans.push_back(std::move(plan));
  return found->second;
}

LoweredProgram ProgramLowering::finish() && {
  // Callees were lowered first; the main graph came last and belongs first.
  const int last = static_cast<int>(program_.plans.size()) - 1;
  const auto moved = [last](int plan) { return plan == last ? 0 : plan + 1; };
  std::rotate(program_.plans.begin(), program_.plans.end() - 1, program_.plans.end());
  for (Plan& plan : program_.plans) {
    for (Step& step : plan.steps) {
      if (auto* control = std::get_if<ControlStep>(&step.work)) {
        for (int& child : control->plans) child = moved(child);
      }
    }
  }
  program_.pool = &module_.exprs();
  return std::move(program_);
}

GraphLowering::GraphLowering(ProgramLowering& program, ir::Graph& graph, const SymbolSet& known,
                             std::vector<bool> writable)
    : program_(program),
      graph_(graph),
      known_(known),
      labels_(graph),
      writable_(std::move(writable)) {
  plan_.name = graph.name();
}

Plan GraphLowering::run() {
  add_inputs();
  for (ir::Node* node : graph_.in_order()) {
    try {
      lower_node(*node);
    } catch (Error& error) {
      error.add_note("while lowering " + describe(*node, labels_));
      throw;
    }
  }
  add_outputs();
  plan_.slot_count = static_cast<int>(slot_memories_.size());
  mark_dead_slots(plan_);
  return std::move(plan_);
}

void GraphLowering::add_inputs() {
  for (const ir::Value input : graph_.inputs()) {
    const size_t position = plan_.input_slots.size();
    plan_.input_types.push_back(input.type());
    plan_.input_slots.push_back(input.is_tensor() && input.has_uses() ? add_slot(input) : kNoSlot);
    if (plan_.input_slots.back() != kNoSlot) {
      memory_of(plan_.input_slots.back()).is_writable =
          position < writable_.size() && writable_[position];
    }
    for (const SymbolId symbol : take_unknown(input.type())) plan_.defines.push_back(symbol);
  }
}

void GraphLowering::add_outputs() {
  for (const ir::Argument& output : graph_.outputs()) {
    ControlOperand leaf;
    if (output.is_value()) {
      leaf = operand(output.value());
    } else if (output.is_value_list()) {
      fail(ErrorCode::internal, "outputs of a graph are single values:", graph_.name());
    } else if (const auto* scalar = std::get_if<Expr>(&output.attribute())) {
      leaf.scalar = *scalar;
    } else if (const auto* text = std::get_if<std::string>(&output.attribute())) {
      leaf.text = *text;
    } else {
      require(output.is_none(), ErrorCode::unsupported,
              "an output must be a tensor, a number, a text or None:", graph_.name());
    }
    plan_.outputs.push_back(std::move(leaf));
  }
}

void GraphLowering::lower_node(ir::Node& node) {
  if (node.op().origin != ir::OpOrigin::table) return lower_user(node);
  require(node.op().definition != nullptr, ErrorCode::unsupported,
          "this operator is not implemented:", node.op().name());
  if (node.op().functional != nullptr) return lower_update(node, *node.op().functional);
  const ops::OpDef& op = ops::definition(node.op());
  if (std::holds_alternative<ops::View>(op.impl)) {
    lower_views(node);
  } else if (const auto* library = std::get_if<ops::Library>(&op.impl)) {
    lower_library(node, *library);
  } else if (std::holds_alternative<ops::Structural>(op.impl)) {
    lower_structural(node);
  } else if (std::holds_alternative<ops::Decompose>(op.impl)) {
    fail(ErrorCode::unsupported,
         "this operator must be decomposed before lowering:", node.op().name());
  } else {
    lower_kernel(node, op);
  }
}

Slot GraphLowering::slot_of(ir::Value value) const {
  const auto found = slots_.find(value.data());
  check(found != slots_.end(), "a tensor must be defined before it is read:", value.name());
  const SlotMemory& own = slot_memories_[static_cast<size_t>(found->second)];
  require(own.version == memories_[own.memory].version, ErrorCode::unsupported,
          "a value must not be read after its memory was overwritten:", value.name());
  return found->second;
}

Slot GraphLowering::add_slot(ir::Value value, Slot shared) {
  const auto slot = static_cast<Slot>(slot_memories_.size());
  slots_.emplace(value.data(), slot);
  if (shared != kNoSlot) {
    const size_t memory = slot_memories_[static_cast<size_t>(shared)].memory;
    slot_memories_.push_back({memory, memories_[memory].version});
  } else {
    slot_memories_.push_back({memories_.size(), 0});
    memories_.emplace_back();
  }
  return slot;
}

ControlOperand GraphLowering::operand(ir::Value value) const {
  ControlOperand result;
  if (!value) return result;
  if (value.is_tensor()) {
    result.slot = slot_of(value);
  } else if (ir::is_scalar(value.type())) {
    result.scalar = value.scalar().value;
  }
  return result;  // Tokens and absent results carry no data.
}

std::vector<ControlOperand> GraphLowering::operands(const ir::Argument& argument) const {
  std::vector<ControlOperand> result;
  for (const ir::Value value : argument.values()) result.push_back(operand(value));
  if (!argument.is_attribute()) return result;
  if (const auto* scalar = std::get_if<Expr>(&argument.attribute())) {
    result.push_back({kNoSlot, *scalar, {}});
  } else if (const auto* scalars = std::get_if<ir::Scalars>(&argument.attribute())) {
    for (const Expr& entry : *scalars) result.push_back({kNoSlot, entry, {}});
  }
  return result;
}

std::vector<SymbolId> GraphLowering::take_unknown(const ir::ValueType& type) {
  std::vector<SymbolId> unknown;
  for (const SymbolId symbol : symbols_of(type)) {
    if (known_.insert(symbol).second) unknown.push_back(symbol);
  }
  return unknown;
}

Step& GraphLowering::add_step(const ir::Node& node, decltype(Step::work) work, bool allocated,
                              std::span<const Slot> over) {
  check(over.empty() || over.size() == node.output_count(),
        "memory must be told for every result or for none:", node.op().name());
  Step step;
  step.work = std::move(work);
  step.label = describe(node, labels_);
  step.location = node.location();
  for (const ir::Value output : node.outputs()) {
    Result result;
    result.type = output.type();
    const std::vector<SymbolId> unknown = take_unknown(output.type());
    step.defines.insert(step.defines.end(), unknown.begin(), unknown.end());
    const Slot taken = over.empty() ? kNoSlot : over[output.index()];
    if (output.is_tensor() && taken != kNoSlot) {
      ++memory_of(taken).version;
      result.over = taken;
      result.slot = add_slot(output, taken);
    } else if (output.is_tensor()) {
      result.slot = add_slot(output);
      // A size that an earlier result of this step binds is also unknown before the step runs.
      const bool is_known = std::ranges::none_of(symbols_of(output.type()), [&](SymbolId symbol) {
        return std::ranges::count(step.defines, symbol) > 0;
      });
      result.allocate = allocated && is_known;
      memory_of(result.slot).is_writable = result.allocate;
    }
    step.results.push_back(std::move(result));
  }
  const auto* control = std::get_if<ControlStep>(&step.work);
  if (control != nullptr && control->kind != ControlKind::splice) {
    // Results of control flow may alias its operands.
    for (const Slot slot : slots_read(step)) {
      if (slot != kNoSlot) memory_of(slot).is_writable = false;
    }
  }
  return plan_.steps.emplace_back(std::move(step));
}

LoweredProgram lower(ir::Graph& main) {
  ProgramLowering program(main.module());
  program.plan_of(main, {});
  return std::move(program).finish();
}

LoweredProgram lower(ir::Program& program) {
  std::vector<bool> overwritable(program.inputs.size());
  for (const ir::OutputSpec& output : program.outputs) {
    if (ir::is_mutation(output.kind)) overwritable.at(static_cast<size_t>(output.input)) = true;
  }
  ProgramLowering lowering(*program.module);
  lowering.plan_of(program.graph(), {}, std::move(overwritable));
  return std::move(lowering).finish();
}

}  // namespace litz::lowering
