// Child graphs. See child_graphs.h.

#include "ir/child_graphs.h"

#include <algorithm>
#include <unordered_map>

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {
namespace {

enum class Mark : uint8_t { unseen, open, done };

struct Walk {
  std::unordered_map<uint32_t, Mark> marks;
  std::vector<Graph*> order;
  const Graph* cycle = nullptr;
};

struct Frame {
  Graph* graph;
  std::vector<Graph*> children;
  size_t next = 0;
};

std::vector<GraphRef> references(const Node& node) {
  std::vector<GraphRef> found;
  for (const Argument& argument : node.arguments()) {
    if (!argument.is_attribute()) continue;
    if (const auto* child = std::get_if<GraphRef>(&argument.attribute())) found.push_back(*child);
  }
  return found;
}

std::vector<Graph*> all_children(const Graph& graph) {
  std::vector<Graph*> children;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const GraphRef child : references(*node)) {
      // The verifier walks graphs before it has checked their references.
      if (graph.module().contains(child)) children.push_back(&graph.module().graph(child));
    }
  }
  return children;
}

// Iterative, because the input controls the nesting depth.
void walk(Graph& root, Walk& state) {
  if (state.marks[root.id()] != Mark::unseen) return;
  std::vector<Frame> stack;
  const auto enter = [&](Graph& graph) {
    state.marks[graph.id()] = Mark::open;
    stack.push_back({&graph, all_children(graph)});
  };
  enter(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.children.size()) {
      state.marks[frame.graph->id()] = Mark::done;
      state.order.push_back(frame.graph);
      stack.pop_back();
      continue;
    }
    Graph* child = frame.children[frame.next++];
    const Mark mark = state.marks[child->id()];
    if (mark == Mark::open) state.cycle = child;
    if (mark == Mark::unseen) enter(*child);
  }
}

}  // namespace

std::vector<Graph*> child_graphs(const Node& node) {
  std::vector<Graph*> children;
  for (const GraphRef child : references(node)) {
    children.push_back(&node.graph().module().graph(child));
  }
  return children;
}

std::vector<Value> child_operands(const Node& node, const Graph& child) {
  for (const Argument& argument : node.arguments()) {
    if (argument.is_value_list() && argument.values().size() == child.input_count()) {
      return {argument.values().begin(), argument.values().end()};
    }
  }
  std::vector<Value> all;
  for (size_t i = 0; i < node.input_count(); ++i) all.push_back(node.input(i));
  return all;
}

std::vector<Graph*> post_order(Graph& graph) {
  Walk state;
  walk(graph, state);
  return std::move(state.order);
}

const Graph* recursive_graph(const Module& module) {
  Walk state;
  for (Graph* graph : module.graphs()) walk(*graph, state);
  return state.cycle;
}

Graph& clone_graph(const Graph& graph, std::string name) {
  Graph& copy = graph.module().add_graph(std::move(name));
  std::unordered_map<const ValueData*, Value> map;
  std::unordered_map<uint32_t, Node*> nodes;
  const auto mapped = [&](Value value) { return map.at(value.data()); };
  for (const Value input : graph.inputs()) {
    map.emplace(input.data(), copy.add_input(input.name(), input.type()));
  }
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    Node* twin = copy.clone(*node, mapped);
    nodes.emplace(node->id(), twin);
    for (size_t i = 0; i < node->output_count(); ++i) {
      map.emplace(node->output(i).data(), twin->output(i));
    }
  }
  std::vector<Argument> outputs;
  for (const Argument& output : graph.outputs()) {
    outputs.push_back(output.is_value() ? Argument(mapped(output.value())) : output);
  }
  copy.set_outputs(std::move(outputs));
  for (const auto& [first, second] : graph.order_edges()) {
    copy.add_order_edge(nodes.at(first->id()), nodes.at(second->id()));
  }
  return copy;
}

std::vector<Node*> callers(const Graph& graph) {
  std::vector<Node*> found;
  for (const Graph* each : graph.module().graphs()) {
    for (Node* node = each->first(); node != nullptr; node = node->next()) {
      if (std::ranges::count(references(*node), GraphRef{graph.id()}) > 0) found.push_back(node);
    }
  }
  return found;
}

Graph& exclusive_child(Node& call, std::string_view argument) {
  const Argument& given = call.argument(argument);
  const auto* ref = given.is_attribute() ? std::get_if<GraphRef>(&given.attribute()) : nullptr;
  check(ref != nullptr, "a child graph must be named by the argument:", call.op().name(), argument);
  Graph& child = call.graph().module().graph(*ref);
  const bool named_once = std::ranges::count(references(call), *ref) == 1;
  if (named_once && callers(child).size() == 1) return child;
  Graph& copy = clone_graph(child, child.name());
  call.graph().set_argument(&call, argument, GraphRef{copy.id()});
  return copy;
}

}  // namespace litz::ir
