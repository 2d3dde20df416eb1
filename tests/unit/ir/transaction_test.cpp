#include <gtest/gtest.h>

#include "ir/graph.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

std::vector<std::vector<uint32_t>> user_ids(const Graph& graph) {
  std::vector<std::vector<uint32_t>> ids;
  const auto add = [&](Value value) {
    ids.emplace_back();
    for (const Node* user : value.users()) ids.back().push_back(user->id());
  };
  for (const Value input : graph.inputs()) add(input);
  for (const Node* node : graph.in_order()) {
    for (const Value output : node->outputs()) add(output);
  }
  return ids;
}

TEST(Transaction, RollbackRestoresTextAndUseOrder) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 30);
    const std::string text = to_string(graph);
    const auto users = user_ids(graph);
    std::mt19937 random(seed);
    graph.begin_transaction();
    for (int i = 0; i < 60; ++i) random_edit(graph, random);
    graph.rollback_transaction();
    ASSERT_EQ(to_string(graph), text) << seed;
    ASSERT_EQ(user_ids(graph), users) << seed;
    verify(graph);
    EXPECT_FALSE(graph.in_transaction());
  }
}

TEST(Transaction, Nests) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 20);
    std::mt19937 random(seed);
    const std::string outer = to_string(graph);
    graph.begin_transaction();
    for (int i = 0; i < 10; ++i) random_edit(graph, random);
    const std::string inner = to_string(graph);
    graph.begin_transaction();
    for (int i = 0; i < 10; ++i) random_edit(graph, random);
    graph.rollback_transaction();
    EXPECT_EQ(to_string(graph), inner);
    graph.begin_transaction();
    for (int i = 0; i < 10; ++i) random_edit(graph, random);
    graph.commit_transaction();
    graph.rollback_transaction();
    EXPECT_EQ(to_string(graph), outer) << "an inner commit is undone with the outer transaction";
    verify(graph);
  }
}

TEST(Transaction, CommitKeepsEdits) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({2}));
  graph.begin_transaction();
  graph.create("aten.relu", {x});
  graph.commit_transaction();
  EXPECT_EQ(graph.node_count(), 1u);
  EXPECT_THROW(graph.commit_transaction(), InternalError);
  EXPECT_THROW(graph.rollback_transaction(), InternalError);
}

TEST(Transaction, UndoesArgumentsToo) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  graph.add_input("x", f32({2}));
  graph.add_input("y", f32({3}));
  const std::string text = to_string(graph);
  graph.begin_transaction();
  graph.erase_input(0);
  graph.add_input("x", f32({4}));
  graph.set_type(graph.input(0), f32({9}));
  graph.set_name(graph.input(0), "z");
  graph.rollback_transaction();
  EXPECT_EQ(to_string(graph), text);
}

TEST(Transaction, CommitChecksWhatWasTouched) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({2}));
  Node* a = graph.create("aten.relu", {x});
  Node* b = graph.create("aten.relu", {a->output()});
  graph.begin_transaction();
  graph.begin_transaction();
  graph.move_before(b, a);
  graph.commit_transaction();
  EXPECT_THROW(graph.commit_transaction(), InternalError);
  EXPECT_FALSE(graph.in_transaction());
  graph.begin_transaction();
  graph.move_before(a, b);
  graph.commit_transaction();
  verify(graph);
}

TEST(Transaction, OrderEdgesComeBackOnce) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({2}));
  Node* a = graph.create("aten.relu", {x});
  Node* b = graph.create("aten.relu", {x});
  graph.begin_transaction();
  graph.add_order_edge(a, b);
  graph.rollback_transaction();
  EXPECT_TRUE(graph.order_edges().empty());
  graph.add_order_edge(a, b);
  graph.begin_transaction();
  graph.erase(b);
  EXPECT_TRUE(graph.order_edges().empty());
  graph.rollback_transaction();
  graph.add_order_edge(a, b);
  EXPECT_EQ(graph.order_edges().size(), 1u);
}

}  // namespace
}  // namespace litz::ir
