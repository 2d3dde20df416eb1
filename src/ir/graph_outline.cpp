// Outlining and inlining. See graph_outline.h.

#include "ir/graph_outline.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/effects.h"
#include "ir/topological_sort.h"
#include "support/check.h"

namespace litz::ir {
namespace {

std::vector<Node*> in_graph_order(std::span<Node* const> nodes) {
  std::vector<Node*> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end(), [](Node* a, Node* b) { return a->is_before(*b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

using NodeSet = std::unordered_set<const Node*>;

bool reads_any(const Node& node, const NodeSet& set) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (set.contains(node.input(i).producer())) return true;
  }
  return false;
}

bool effects_trade_places(std::span<Node* const> sorted, const NodeSet& set) {
  bool inside = false;
  bool outside = false;
  for (Node* node = sorted.front(); node != sorted.back(); node = node->next()) {
    (set.contains(node) ? inside : outside) |= has_effects(*node);
  }
  return outside && (inside || has_effects(*sorted.back()));
}

struct Boundary {
  std::vector<Value> operands;
  std::vector<Value> results;
};

Boundary boundary(std::span<Node* const> sorted, const NodeSet& set) {
  Boundary found;
  std::vector<Value>& operands = found.operands;
  for (const Node* node : sorted) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Value value = node->input(i);
      if (!set.contains(value.producer())) operands.push_back(value);
    }
    for (const Value output : node->outputs()) {
      const std::vector<Node*> users = output.users();
      const bool leaves = std::any_of(users.begin(), users.end(),
                                      [&](const Node* user) { return !set.contains(user); });
      if (leaves) found.results.push_back(output);
    }
  }
  std::unordered_set<const ValueData*> seen;
  std::erase_if(operands, [&](Value value) { return !seen.insert(value.data()).second; });
  return found;
}

Graph& copy_out(Graph& graph, std::span<Node* const> sorted, const Boundary& boundary,
                std::string name) {
  Graph& child = graph.module().add_graph(std::move(name));
  std::unordered_map<const ValueData*, Value> map;
  for (const Value operand : boundary.operands) {
    map.emplace(operand.data(), child.add_input(operand.name(), operand.type()));
  }
  for (const Node* node : sorted) {
    const Node* copy = child.clone(*node, [&](Value value) { return map.at(value.data()); });
    for (const Value output : node->outputs()) {
      map.emplace(output.data(), copy->output(output.index()));
    }
  }
  std::vector<Argument> outputs;
  for (const Value result : boundary.results) outputs.emplace_back(map.at(result.data()));
  child.set_outputs(std::move(outputs));
  return child;
}

}  // namespace

bool is_convex(std::span<Node* const> nodes) {
  const std::vector<Node*> sorted = in_graph_order(nodes);
  if (sorted.empty()) return true;
  const NodeSet set(sorted.begin(), sorted.end());
  NodeSet outside;  // Nodes that depend on the set without being in it.
  for (Node* node = sorted.front(); node != sorted.back(); node = node->next()) {
    if (set.contains(node)) {
      if (reads_any(*node, outside)) return false;
    } else if (reads_any(*node, set) || reads_any(*node, outside)) {
      outside.insert(node);
    }
  }
  return !reads_any(*sorted.back(), outside);
}

Excerpt copy_nodes(std::span<Node* const> nodes, std::string name, bool all_results) {
  const std::vector<Node*> sorted = in_graph_order(nodes);
  check(!sorted.empty(), "a graph of copied nodes must have some:", name);
  const NodeSet set(sorted.begin(), sorted.end());
  Boundary edges = boundary(sorted, set);
  if (all_results) {
    edges.results.clear();
    for (const Node* node : sorted) {
      for (const Value output : node->outputs()) edges.results.push_back(output);
    }
  }
  Graph& copy = copy_out(sorted.front()->graph(), sorted, edges, std::move(name));
  return {&copy, std::move(edges.operands), std::move(edges.results)};
}

Outlined outline(std::span<Node* const> nodes, std::string name, const MakeCall& make_call) {
  const std::vector<Node*> sorted = in_graph_order(nodes);
  check(!sorted.empty(), "an outlined set must not be empty:", name);
  check(is_convex(sorted), "an outlined set must not depend on itself through other nodes:", name);
  const NodeSet set(sorted.begin(), sorted.end());
  check(!effects_trade_places(sorted, set), "outlining must not reorder effects:", name);
  Graph& graph = sorted.front()->graph();
  const Boundary edges = boundary(sorted, set);
  Graph& child = copy_out(graph, sorted, edges, std::move(name));

  std::vector<ValueType> types;
  for (const Value result : edges.results) types.push_back(result.type());
  Node* call = nullptr;
  {
    const auto scope = graph.insert_after(sorted.back());
    call = make_call(graph, {child.id()}, edges.operands, std::move(types));
  }
  check(call->output_count() == edges.results.size(),
        "a call must have the results of its graph:", child.name());
  std::vector<std::string> names;
  for (size_t i = 0; i < edges.results.size(); ++i) {
    names.push_back(edges.results[i].name());
    graph.replace_uses(edges.results[i], call->output(i));
  }
  for (auto node = sorted.rbegin(); node != sorted.rend(); ++node) graph.erase(*node);
  for (size_t i = 0; i < names.size(); ++i) graph.set_name(call->output(i), names[i]);
  // Readers between the moved nodes now precede the call.
  sort_topologically(graph);
  return {&child, call};
}

std::vector<Argument> inline_graph(Graph& graph, const Graph& child,
                                   std::span<const Value> operands) {
  check(&graph != &child, "a graph cannot be inlined into itself:", graph.name());
  check(operands.size() == child.input_count(),
        "a call must give every argument of a graph:", child.name(), operands.size(),
        child.input_count());
  std::unordered_map<const ValueData*, Value> map;
  for (size_t i = 0; i < operands.size(); ++i) map.emplace(child.input(i).data(), operands[i]);
  std::unordered_map<const Node*, Node*> nodes;
  for (const Node* node = child.first(); node != nullptr; node = node->next()) {
    Node* copy = graph.clone(*node, [&](Value value) { return map.at(value.data()); });
    nodes.emplace(node, copy);
    for (const Value output : node->outputs()) {
      map.emplace(output.data(), copy->output(output.index()));
    }
  }
  for (const auto& [first, second] : child.order_edges()) {
    graph.add_order_edge(nodes.at(first), nodes.at(second));
  }
  std::vector<Argument> outputs;
  for (const Argument& output : child.outputs()) {
    outputs.push_back(output.is_value() ? Argument(map.at(output.value().data())) : output);
  }
  return outputs;
}

void inline_call(Node* call, const Graph& child, std::span<const Value> operands) {
  Graph& graph = call->graph();
  std::vector<Argument> outputs;
  {
    const auto scope = graph.insert_before(call);
    outputs = inline_graph(graph, child, operands);
  }
  check(outputs.size() == call->output_count(),
        "a call must have the results of its graph:", child.name(), outputs.size(),
        call->output_count());
  for (const Value result : call->outputs()) {
    if (!result.has_uses()) continue;
    const Argument& output = outputs[result.index()];
    check(output.is_value(), "a result that is read must be a value to be inlined:", child.name(),
          result.index());
    graph.replace_uses(result, output.value());
  }
  graph.erase(call);
}

}  // namespace litz::ir
