#include "passes/constant_values.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/effects.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {

using ir::Node;
using ir::Value;

namespace {

bool is_static(const ir::ValueType& type) {
  const auto* tensor = std::get_if<TensorType>(&type);
  if (tensor == nullptr) return false;
  const auto is_constant = [](Expr size) { return size.is_constant(); };
  return std::ranges::all_of(tensor->sizes, is_constant) &&
         std::ranges::all_of(tensor->strides, is_constant) && tensor->offset.is_constant();
}

bool is_static(const ir::Argument& argument) {
  for (const Value value : argument.values()) {
    if (value && !is_static(value.type())) return false;
  }
  if (!argument.is_attribute()) return true;
  if (const auto* scalar = std::get_if<Expr>(&argument.attribute())) return scalar->is_constant();
  const auto* list = std::get_if<ir::Scalars>(&argument.attribute());
  return list == nullptr ||
         std::ranges::all_of(*list, [](Expr scalar) { return scalar.is_constant(); });
}

// True if the result's contents are never written.
bool is_uninitialized(const Node& node) {
  const std::string_view name = node.op().name();
  return name.starts_with("aten.empty") || name.starts_with("aten.new_empty") ||
         name.starts_with("aten.resize");
}

}  // namespace

std::vector<size_t> constant_inputs(const ir::Graph& graph, const PassContext& context) {
  std::vector<size_t> constant;
  if (context.program == nullptr || &context.program->graph() != &graph) return constant;
  const ir::Program& program = *context.program;
  // A tensor that shares the storage of a written weight changes with it.
  std::set<const Storage*> written;
  for (const ir::OutputSpec& output : program.outputs) {
    if (output.input < 0) continue;
    const Tensor& data = program.inputs[static_cast<size_t>(output.input)].data;
    if (data.defined()) written.insert(data.storage().get());
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    if (!is_weight(spec.kind) || !spec.data.defined()) continue;
    if (written.contains(spec.data.storage().get()) || !is_static(graph.input(i).type())) continue;
    constant.push_back(i);
  }
  return constant;
}

bool is_pure(const Node& node) {
  const ir::Trait impure = ir::Trait::random | ir::Trait::data_dependent | ir::Trait::higher_order |
                           ir::Trait::side_effect | ir::Trait::collective_start |
                           ir::Trait::collective_wait;
  if (node.op().definition == nullptr || ir::has(node.op().traits, impure)) return false;
  if (std::holds_alternative<ops::Structural>(ops::definition(node.op()).impl)) return false;
  if (is_uninitialized(node) || ir::has_effects(node) || node.output_count() == 0) return false;
  for (const Value output : node.outputs()) {
    if (!is_static(output.type())) return false;
  }
  return std::ranges::all_of(node.arguments(),
                             [](const ir::Argument& argument) { return is_static(argument); });
}

ConstantValues::ConstantValues(const ir::Graph& graph, const PassContext& context) {
  if (context.program == nullptr || &context.program->graph() != &graph) return;
  for (const size_t i : constant_inputs(graph, context)) values_.insert(graph.input(i).data());
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    bool constant = is_pure(*node);
    for (size_t i = 0; constant && i < node->input_count(); ++i)
      constant = contains(node->input(i));
    if (!constant) continue;
    for (const Value output : node->outputs()) values_.insert(output.data());
  }
}

namespace {

/// What some values are computed from.
struct Sources {
  std::vector<const Node*> nodes;  ///< In graph order.
  std::vector<size_t> inputs;
};

Sources sources_of(const ir::Graph& graph, std::span<const Value> values) {
  Sources sources;
  std::unordered_set<const ir::ValueData*> needed;
  for (const Value value : values) needed.insert(value.data());
  for (const Node* node = graph.last(); node != nullptr; node = node->prev()) {
    const bool is_needed = std::ranges::any_of(
        node->outputs(), [&](Value output) { return needed.contains(output.data()); });
    if (!is_needed) continue;
    sources.nodes.push_back(node);
    for (size_t i = 0; i < node->input_count(); ++i) needed.insert(node->input(i).data());
  }
  std::ranges::reverse(sources.nodes);
  for (size_t i = 0; i < graph.input_count(); ++i) {
    if (needed.contains(graph.input(i).data())) sources.inputs.push_back(i);
  }
  return sources;
}

}  // namespace

std::vector<Tensor> evaluate_constants(ir::Graph& graph, const PassContext& context,
                                       std::span<const Value> values) {
  const Sources sources = sources_of(graph, values);
  ir::Module& module = graph.module();
  ir::Graph& ahead = module.add_graph("constants");
  std::unordered_map<const ir::ValueData*, Value> copies;
  std::vector<Tensor> weights;
  for (const size_t i : sources.inputs) {
    const Value input = graph.input(i);
    copies[input.data()] = ahead.add_input(input.name(), input.type());
    weights.push_back(context.program->inputs[i].data);
  }
  for (const Node* node : sources.nodes) {
    const Node* copy = ahead.clone(*node, [&](Value value) { return copies.at(value.data()); });
    for (size_t i = 0; i < node->output_count(); ++i) {
      copies[node->output(i).data()] = copy->output(i);
    }
  }
  std::vector<ir::Argument> outputs;
  for (const Value value : values) outputs.emplace_back(copies.at(value.data()));
  ahead.set_outputs(std::move(outputs));
  std::vector<Tensor> results = context.evaluate(ahead, weights);
  module.erase_graph({ahead.id()});
  check(results.size() == values.size(), "an evaluator must give every result:", results.size(),
        values.size());
  return results;
}

}  // namespace litz::passes
