#include "ir/graph_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/child_graphs.h"
#include "ir/effects.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

Node* make_call(Graph& graph, GraphRef child, std::span<const Value> operands,
                std::vector<ValueType> types) {
  return graph.create_typed(*graph.module().ops().find("higher_order.call"),
                            {child, std::vector<Value>(operands.begin(), operands.end())},
                            std::move(types));
}

TEST(Outline, OrdersArgumentsByUseAndResultsByPosition) {
  const auto module = module_of(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.relu(%y)
  %b = aten.add.Tensor(%a, %x)
  %c = aten.relu(%b)
  %d = aten.add.Tensor(%b, %c)
  return %d, %a
})");
  Graph& graph = graph_of(*module);
  const std::vector<Node*> nodes = graph.in_order();
  const Node* moved[] = {nodes[2], nodes[0], nodes[1]};
  Node* set[] = {nodes[2], nodes[0], nodes[1]};
  const Outlined outlined = outline(set, "body", make_call);
  EXPECT_TRUE(moved[0]->is_erased());
  EXPECT_EQ(outlined.call->graph().name(), "main");
  EXPECT_EQ(to_string(*module, {.types = false}),
            R"(graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {
  %a, %b, %c = higher_order.call(body=@body, operands=[%y, %x])
  %d = aten.add.Tensor(%b, %c)
  return %d, %a
}

graph @body(%y: f32[2], %x: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %a = aten.relu(%y)
  %b = aten.add.Tensor(%a, %x)
  %c = aten.relu(%b)
  return %a, %b, %c
}
)");
  verify(*module);
}

TEST(Outline, RefusesSetsThatDependOnThemselves) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %b = aten.relu(%a)
  %c = aten.add.Tensor(%a, %b)
  return %c
})");
  Graph& graph = graph_of(*module);
  const std::vector<Node*> nodes = graph.in_order();
  Node* ends[] = {nodes[0], nodes[2]};
  EXPECT_FALSE(is_convex(ends));
  EXPECT_THROW(outline(ends, "body", make_call), InternalError);
  Node* start[] = {nodes[0], nodes[1]};
  EXPECT_TRUE(is_convex(start));
}

TEST(Outline, MovesReadersBehindTheCall) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.relu(%x)
  %between = aten.gelu(%a)
  %b = aten.relu(%x)
  return %b, %between
})");
  Graph& graph = graph_of(*module);
  Node* set[] = {graph.first(), graph.last()};
  outline(set, "body", make_call);
  verify(*module);
  EXPECT_EQ(graph.first()->op().name(), "higher_order.call");
}

TEST(Outline, InlineUndoesOutline) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 24);
    const std::vector<Node*> nodes = graph.in_order();
    const size_t begin = seed % 12;
    // A contiguous range is convex and keeps its place, so inlining restores the very graph.
    const std::span<Node* const> set(nodes.data() + begin, 8);
    bool edges = false;
    for (const auto& [first, second] : graph.order_edges()) {
      for (const Node* node : set) edges = edges || node == first || node == second;
    }
    if (edges) continue;
    Graph& before = clone_graph(graph, "before");
    const Outlined outlined = outline(set, "body", make_call);
    verify(module);
    const std::vector<Value> operands(outlined.call->argument("operands").values().begin(),
                                      outlined.call->argument("operands").values().end());
    inline_call(outlined.call, *outlined.child, operands);
    verify(module);
    EXPECT_EQ(structural_difference(before, graph), "") << seed;
  }
}

TEST(PostOrder, VisitsCalleesFirst) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@b, [%x]) : f32[2]
  %c = higher_order.call(@c, [%a]) : f32[2]
  return %c
}
graph @b(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@c, [%x]) : f32[2]
  return %a
}
graph @c(%x: f32[2]) -> (f32[2]) {
  return %x
})");
  std::vector<std::string> names;
  for (const Graph* graph : post_order(graph_of(*module))) names.push_back(graph->name());
  EXPECT_THAT(names, ::testing::ElementsAre("c", "b", "main"));
  EXPECT_EQ(recursive_graph(*module), nullptr);
}

}  // namespace
}  // namespace litz::ir
