#include "random_graph.h"

#include "tiny_ops.h"

namespace litz::ir {
namespace {

size_t below(std::mt19937& random, size_t bound) { return random() % bound; }

// Values that stand before `position`; all are f32[4, 6] so that any may replace any.
std::vector<Value> candidates(Graph& graph, const Node* position) {
  std::vector<Value> values = graph.inputs();
  for (Node* node = graph.first(); node != nullptr && node != position; node = node->next()) {
    for (const Value output : node->outputs()) {
      if (output.type() == f32({4, 6})) values.push_back(output);
    }
  }
  return values;
}

Node* random_call(Graph& graph, const std::vector<Value>& values, std::mt19937& random) {
  const auto pick = [&] { return values[below(random, values.size())]; };
  switch (below(random, 9)) {
    case 0:
      return graph.create("aten.relu", {pick()});
    case 1:
      return graph.create("aten.add.Tensor", {pick(), pick()});
    case 2:
      return graph.create("aten.add.Tensor", {pick(), Expr::real(0.1), 3});
    case 3:
      return graph.create("aten.std_mean", {pick()});
    case 4:
      return graph.create("aten.permute", {pick(), Scalars{1, 0}});
    case 5:
      return graph.create("aten.cat", {std::vector<Value>{pick(), pick(), pick()}});
    case 6:
      return graph.create("aten.split.Tensor", {pick(), 2});
    case 7:
      return graph.create("aten._assert_scalar", {Expr::boolean(true), std::string("a\"\n")});
    default:
      return graph.create("aten.nonzero", {pick()});
  }
}

void decorate(Graph& graph, Node* node, std::mt19937& random) {
  if (below(random, 2) == 0 && node->output_count() > 0) graph.set_name(node->output(), "v_1");
  if (below(random, 8) == 0 && node->output_count() > 1) graph.set_name(node->output(1), "second");
  if (below(random, 6) == 0) graph.set_annotations(node, {{"region", "1"}, {"a b", "c\td"}});
  if (below(random, 6) == 0) graph.set_location(node, {"dir/f.py", 7, "layer.0", ""});
}

Node* any_node(Graph& graph, std::mt19937& random) {
  const std::vector<Node*> nodes = graph.in_order();
  return nodes.empty() ? nullptr : nodes[below(random, nodes.size())];
}

void replace_some_uses(Graph& graph, Node* node, std::mt19937& random) {
  if (node->output_count() == 0 || node->output().type() != f32({4, 6})) return;
  const std::vector<Value> values = candidates(graph, node);
  const Value to = values[below(random, values.size())];
  if (below(random, 2) == 0) {
    graph.replace_uses(node->output(), to);
  } else {
    graph.replace_uses_if(node->output(), to, [](const Node& user) { return user.id() % 2 == 0; });
  }
}

void move_to_end(Graph& graph, Node* node) {
  for (const Value output : node->outputs()) {
    for (const Node* user : output.users()) {
      if (user != graph.return_node()) return;
    }
  }
  for (const auto& edge : graph.order_edges()) {
    if (edge.first == node) return;
  }
  graph.move_before(node, graph.return_node());
}

}  // namespace

Graph& random_graph(Module& module, uint32_t seed, size_t count, const std::string& name) {
  std::mt19937 random(seed);
  Graph& graph = module.add_graph(name);
  graph.add_input("x", f32({4, 6}));
  graph.add_input("", f32({4, 6}));
  for (size_t i = 0; i < count; ++i) {
    decorate(graph, random_call(graph, candidates(graph, nullptr), random), random);
  }
  for (size_t i = 0; i < count / 10; ++i) {
    Node* a = any_node(graph, random);
    Node* b = any_node(graph, random);
    if (a->is_before(*b)) graph.add_order_edge(a, b);
  }
  const std::vector<Value> values = candidates(graph, nullptr);
  graph.set_outputs({values.back(), Attribute(), 3, values.front()});
  return graph;
}

void random_edit(Graph& graph, std::mt19937& random) {
  Node* node = any_node(graph, random);
  if (node == nullptr || below(random, 5) == 0) {
    Node* position = node == nullptr ? graph.return_node() : node;
    const auto scope = graph.insert_before(position);
    decorate(graph, random_call(graph, candidates(graph, position), random), random);
    return;
  }
  switch (below(random, 7)) {
    case 0:
      replace_some_uses(graph, node, random);
      break;
    case 1:
      graph.erase_if_unused(node);
      break;
    case 2:
      move_to_end(graph, node);
      break;
    case 3:
      if (node->is("aten.add.Tensor")) graph.set_argument(node, "alpha", 5);
      if (node->is("aten.relu")) graph.set_input(node, 0, graph.input(0));
      break;
    case 4:
      decorate(graph, node, random);
      break;
    case 5:
      if (Node* other = any_node(graph, random); node->is_before(*other)) {
        graph.add_order_edge(node, other);
      }
      break;
    default:
      if (node->is("aten.cat")) {
        graph.set_argument(node, "tensors",
                           std::vector<Value>{graph.input(0), graph.input(1), graph.input(0)});
      } else {
        graph.set_outputs({graph.input(1), candidates(graph, nullptr).back()});
      }
  }
}

}  // namespace litz::ir
