//   %y = higher_order.cond(%p, @yes, @no, [%x])
//   %d = higher_order.cond(%p, @yes_gradient, @no_gradient, [%x, %cotangent])

#include "autodiff/branches.h"

#include <algorithm>
#include <string>

#include "autodiff/reverse.h"
#include "ir/child_graphs.h"
#include "ir/graph_outline.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;

// Branches return alike, whatever their strides were.
Value in_rows(Value value) {
  Graph& graph = *value.graph();
  const ir::Attribute rows(MemoryFormat::contiguous);
  return graph.create("aten.clone", {value, rows})->output();
}

// Replaces the results of a copy of a branch by the gradients of its inputs; zeros where nothing
// depends on them.
ir::GraphRef differentiated(const Graph& branch, const Request& request) {
  Graph& graph = ir::clone_graph(branch, branch.name() + ".gradient");
  const Joint joint = add_gradients(graph, request);
  const std::vector<Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  std::vector<Argument> results;
  for (size_t k = 0; k < request.inputs.size(); ++k) {
    const Value input = graph.input(request.inputs[k]);
    const Value gradient = joint.gradients[k] ? outputs[*joint.gradients[k]].value()
                                              : graph.create("aten.zeros_like", {input})->output();
    results.emplace_back(in_rows(gradient));
  }
  graph.set_outputs(std::move(results));
  return {graph.id()};
}

}  // namespace

bool calls_branches(const Node& node) {
  return node.is("higher_order.cond") || node.is("higher_order.invoke_subgraph");
}

std::vector<std::pair<Value, Value>> branch_gradients(Node& node, std::span<const Value> gradients,
                                                      const std::function<bool(Value)>& is_wanted) {
  std::vector<Argument> arguments(node.arguments().begin(), node.arguments().end());
  const auto last = static_cast<size_t>(node.op().schema.find("operands"));
  std::vector<Value> operands(arguments[last].values().begin(), arguments[last].values().end());
  Request request;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] && is_wanted(operands[i])) request.inputs.push_back(i);
  }
  const std::vector<Value> wanted = operands;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    request.outputs.push_back(i);
    operands.push_back(in_rows(gradients[i]));
  }
  for (Argument& argument : arguments) {
    if (!argument.is_attribute()) continue;
    const auto* branch = std::get_if<ir::GraphRef>(&argument.attribute());
    if (branch == nullptr) continue;
    argument = differentiated(node.graph().module().graph(*branch), request);
  }
  arguments[last] = std::move(operands);
  const Node* made = node.graph().create(node.op(), std::move(arguments));
  std::vector<std::pair<Value, Value>> given;
  for (size_t k = 0; k < request.inputs.size(); ++k) {
    given.emplace_back(wanted[request.inputs[k]], made->output(k));
  }
  return given;
}

std::vector<std::pair<Value, Value>> stated_gradients(Node& node, std::span<const Value> gradients,
                                                      const std::function<bool(Value)>& is_wanted) {
  Graph& graph = node.graph();
  const std::span<const Value> operands = node.argument("operands").values();
  std::vector<Value> given(operands.begin(), operands.end());
  for (const Value result : node.outputs()) given.push_back(result);
  for (size_t i = 0; i < gradients.size(); ++i) {
    given.push_back(gradients[i] ? in_rows(gradients[i])
                                 : graph.create("aten.zeros_like", {node.output(i)})->output());
  }
  const auto ref = std::get<ir::GraphRef>(node.argument("backward").attribute());
  const std::vector<Argument> stated = ir::inline_graph(graph, graph.module().graph(ref), given);
  std::vector<std::pair<Value, Value>> found;
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!operands[i] || !is_wanted(operands[i]) || !stated[i].is_value()) continue;
    const TensorType& type = operands[i].tensor();
    const TensorType& gradient = stated[i].value().tensor();
    const bool fits = gradient.dtype == type.dtype &&
                      std::ranges::equal(gradient.sizes, type.sizes,
                                         [](Expr a, Expr b) { return known_equal(a, b); });
    require(fits, "a stated gradient must have the type and sizes of its argument", i, "that is",
            type, "but it is", gradient);
    found.emplace_back(operands[i], stated[i].value());
  }
  return found;
}

}  // namespace litz::autodiff
