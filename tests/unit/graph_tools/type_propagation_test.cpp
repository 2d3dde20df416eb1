#include "graph_tools/type_propagation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/random_graph.h"
#include "ir/tiny_ops.h"
#include "ir/verifier.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string type_of(const Graph& graph, std::string_view name) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const Value output : node->outputs()) {
      if (output.name() == name) return to_string(output.type());
    }
  }
  return "no " + std::string(name);
}

Node* node_named(const Graph& graph, std::string_view name) {
  for (Node* node : graph.in_order()) {
    if (node->output_count() > 0 && node->output().name() == name) return node;
  }
  return nullptr;
}

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TypePropagation, SymbolsOfArgumentsBecomeSizes) {
  const auto module = module_of(R"(
sym s0 in [1, 64]

graph @main(%x: f32[s0, 4], %w: f32[4, 6]) -> (f32[s0, 6]) {
  %a = aten.mm(%x, %w) : f32[s0, 6]
  %r = aten.rand(size=[s0, 6]) : f32[s0, 6]
  %b = aten.add.Tensor(%a, %r) : f32[s0, 6]
  return %b
})");
  Graph& graph = graph_of(*module);
  const TypeUpdate update =
      propagate_types(graph, std::vector<ValueType>{f32({8, 4}), graph.input(1).type()});
  EXPECT_EQ(type_of(graph, "b"), "f32[8, 6]");
  EXPECT_EQ(type_of(graph, "r"), "f32[8, 6]");
  EXPECT_THAT(to_string(graph), HasSubstr("size=[8, 6]"));
  EXPECT_EQ(update.inferred, 3u);
  verify(*module);
}

TEST(TypePropagation, ConstantSizesMayChange) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 4], %w: f32[4, 6]) -> (f32[2, 6], f32[4, 6]) {
  %a = aten.mm(%x, %w) : f32[2, 6]
  %b = aten.relu(%w) : f32[4, 6]
  return %a, %b
})");
  Graph& graph = graph_of(*module);
  const TypeUpdate update =
      propagate_types(graph, std::vector<ValueType>{f32({3, 4}), f32({4, 6})});
  EXPECT_EQ(type_of(graph, "a"), "f32[3, 6]");
  EXPECT_EQ(update.inferred, 1u) << "what reads nothing new is left alone";
  EXPECT_EQ(update.changed, 1u);
}

TEST(TypePropagation, ArgumentsMustAgreeAboutSymbols) {
  const std::string_view text = R"(
sym s0 in [1, 64]

graph @main(%x: f32[s0], %y: f32[s0]) -> (f32[s0]) {
  %a = aten.add.Tensor(%x, %y) : f32[s0]
  return %a
})";
  const auto module = module_of(text);
  Graph& graph = graph_of(*module);
  const std::string before = to_string(graph);
  EXPECT_THAT(error_of([&] {
                propagate_types(graph, std::vector<ValueType>{f32({3}), f32({4})});
              }),
              HasSubstr("must agree about their symbols"));
  EXPECT_EQ(to_string(graph), before);
}

// Two nodes may have one symbol, when the same mask was counted twice.
constexpr const char* kSharedCount = R"(
sym u0 in [0, 64]

graph @main(%x: f32[8], %y: f32[8], %w: i64[3, 1]) -> (i64[u0 + 3, 1], i64[u0, 1]) {
  %a = aten.nonzero(%x) : i64[u0, 1]
  %b = aten.nonzero(%x) : i64[u0, 1]
  %c = aten.cat([%a, %w]) : i64[u0 + 3, 1]
  %d = aten.clone(%b) : i64[u0, 1]
  return %c, %d
})";

TEST(TypePropagation, SymbolsStayWhenRepeated) {
  const auto module = module_of(kSharedCount);
  Graph& graph = graph_of(*module);
  const std::string before = to_string(graph);
  for (int i = 0; i < 3; ++i) {
    const TypeUpdate update = infer_types(graph);
    EXPECT_EQ(update.changed, 0u);
    EXPECT_EQ(update.fresh_symbols, 0u);
    EXPECT_EQ(to_string(graph), before);
  }
  propagate_types(graph, std::vector<ValueType>{f32({9}), f32({8}), graph.input(2).type()});
  EXPECT_EQ(type_of(graph, "c"), "i64[u0 + 3, 1]");
}

TEST(TypePropagation, EditsThatBreakATieMakeAFreshSymbol) {
  const auto module = module_of(kSharedCount);
  Graph& graph = graph_of(*module);
  Node* b = node_named(graph, "b");
  graph.set_input(b, 0, graph.input(1));
  const TypeUpdate update = update_types(graph, std::vector<Node*>{b});
  EXPECT_EQ(update.fresh_symbols, 1u);
  EXPECT_EQ(type_of(graph, "a"), "i64[u0, 1]");
  EXPECT_THAT(type_of(graph, "b"), Not(HasSubstr("u0")));
  EXPECT_EQ(type_of(graph, "d"), type_of(graph, "b"));
  // Nobody else has the new symbol, so it stays.
  EXPECT_EQ(update_types(graph, std::vector<Node*>{b}).changed, 0u);
}

TEST(TypePropagation, UpdatesStopWhereTypesStayEqual) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 4], %y: f32[2, 5], %w: f32[4, 6], %v: f32[5, 6]) -> (f32[2, 6], f32[2, 4]) {
  %a = aten.relu(%x) : f32[2, 4]
  %b = aten.mm(%a, %w) : f32[2, 6]
  %c = aten.relu(%b) : f32[2, 6]
  %d = aten.relu(%x) : f32[2, 4]
  return %c, %d
})");
  Graph& graph = graph_of(*module);
  Node* a = node_named(graph, "a");
  Node* b = node_named(graph, "b");
  graph.set_input(a, 0, graph.input(1));
  graph.set_input(b, 1, graph.input(3));
  const TypeUpdate update = update_types(graph, std::vector<Node*>{b, a});
  EXPECT_EQ(type_of(graph, "a"), "f32[2, 5]");
  EXPECT_EQ(update.inferred, 2u)
      << "the product has the type it had, so nothing behind it is asked";
  EXPECT_EQ(update.changed, 1u);
  verify(*module);
}

TEST(TypePropagation, UpdatesVisitEachNodeOnceInOrder) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 60);
    const std::string before = to_string(graph);
    const std::vector<Node*> nodes = graph.in_order();
    const TypeUpdate update = update_types(graph, nodes);
    EXPECT_LE(update.inferred, nodes.size());
    EXPECT_EQ(to_string(graph), before) << seed;
  }
}

TEST(TypePropagation, ErrorsNameTheNodeAndUndoEverything) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 4], %w: f32[4, 6]) -> (f32[2, 6]) {
  %a = aten.relu(%x) : f32[2, 4]
  %b = aten.mm(%a, %w) : f32[2, 6] loc("model.py":12)
  return %b
})");
  Graph& graph = graph_of(*module);
  const std::string before = to_string(graph);
  const std::string error = error_of([&] {
    propagate_types(graph, std::vector<ValueType>{f32({2, 4, 1}), f32({4, 6})});
  });
  EXPECT_THAT(error, HasSubstr("mm takes matrices"));
  EXPECT_THAT(error, HasSubstr("while executing %b = aten.mm(%a, %w)"));
  EXPECT_THAT(error, HasSubstr("model.py:12"));
  EXPECT_EQ(to_string(graph), before);
}

TEST(TypePropagation, NodesWithoutInferenceAreErrorsOrPinned) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 4]) -> (f32[1, 2]) {
  %a = aten.avg_pool2d(%x, kernel_size=[2, 2]) : f32[1, 2]
  %b = aten.relu(%a) : f32[1, 2]
  return %b
})");
  Graph& graph = graph_of(*module);
  const std::vector<ValueType> types{f32({4, 4})};
  EXPECT_THAT(error_of([&] { propagate_types(graph, types); }),
              HasSubstr("cannot follow a change of types"));
  const TypeUpdate update = propagate_types(graph, types, {.keep_pinned = true, .child_types = {}});
  ASSERT_EQ(update.pinned.size(), 1u);
  EXPECT_EQ(update.pinned[0], node_named(graph, "a"));
  EXPECT_EQ(type_of(graph, "b"), "f32[1, 2]");
}

constexpr const char* kThreeCalls = R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %a = higher_order.call(@body, [%x]) : f32[2]
  %b = higher_order.call(@body, [%x]) : f32[2]
  %c = higher_order.call(@body, [%y]) : f32[2]
  return %a, %b, %c
}
graph @body(%x: f32[2]) -> (f32[2]) {
  %r = aten.relu(%x) : f32[2]
  return %r
})";

TEST(TypePropagation, ChildGraphsArePropagatedOncePerTypes) {
  const auto module = module_of(kThreeCalls);
  Graph& graph = graph_of(*module);
  const TypeUpdate update = propagate_types(graph, std::vector<ValueType>{f32({5}), f32({2})});
  EXPECT_EQ(update.child_graphs, 1u);
  EXPECT_EQ(type_of(graph, "a"), "f32[5]");
  EXPECT_EQ(type_of(graph, "b"), "f32[5]");
  EXPECT_EQ(type_of(graph, "c"), "f32[2]");
  EXPECT_EQ(module->graphs().size(), 3u);
  verify(*module);
}

TEST(TypePropagation, ChildGraphsThatNobodyCallsAnyMoreGo) {
  const auto module = module_of(kThreeCalls);
  Graph& graph = graph_of(*module);
  const TypeUpdate update = propagate_types(graph, std::vector<ValueType>{f32({5}), f32({7})});
  EXPECT_EQ(update.child_graphs, 2u);
  EXPECT_EQ(type_of(graph, "c"), "f32[7]");
  EXPECT_EQ(module->graphs().size(), 3u);
  verify(*module);
}

TEST(TypePropagation, CallsKeepTheirOwnSymbols) {
  const auto module = module_of(R"(
sym u0 in [0, 64]
sym u1 in [0, 64]
sym u2 in [0, 64]

graph @main(%x: f32[8]) -> (i64[u1, 1], i64[u2, 1]) {
  %a = higher_order.call(@body, [%x]) : i64[u1, 1]
  %b = higher_order.call(@body, [%x]) : i64[u2, 1]
  return %a, %b
}
graph @body(%x: f32[8]) -> (i64[u0, 1]) {
  %r = aten.nonzero(%x) : i64[u0, 1]
  return %r
})");
  Graph& graph = graph_of(*module);
  const std::string before = to_string(*module);
  infer_types(graph);
  EXPECT_EQ(to_string(*module), before);
  propagate_types(graph, std::vector<ValueType>{f32({9})});
  EXPECT_EQ(type_of(graph, "a"), "i64[u1, 1]");
  EXPECT_EQ(type_of(graph, "b"), "i64[u2, 1]");
}

}  // namespace
}  // namespace litz::ir
