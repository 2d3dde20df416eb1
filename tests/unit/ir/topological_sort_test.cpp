#include "ir/topological_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;

class TopologicalSort : public ::testing::Test {
 protected:
  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2}));
};

TEST_F(TopologicalSort, LeavesSortedGraphsAlone) {
  relu(relu(x)->output());
  EXPECT_FALSE(sort_topologically(graph));
}

TEST_F(TopologicalSort, RulesDifferInWhereDelayedNodesGo) {
  Node* late = relu(x);
  Node* b = relu(x);
  Node* c = relu(x);
  Node* d = relu(x);
  graph.set_input(late, 0, b->output());
  EXPECT_TRUE(sort_topologically(graph));
  EXPECT_THAT(graph.in_order(), ElementsAre(b, late, c, d)) << "first stood first";
  verify(graph);

  // Delayed by c, wanting to stand first; d depends on nothing.
  graph.move_before(late, b);
  graph.set_input(late, 0, c->output());
  EXPECT_TRUE(sort_topologically(graph, SortRule::after_inputs));
  EXPECT_THAT(graph.in_order(), ElementsAre(b, c, late, d));
  verify(graph);
}

TEST_F(TopologicalSort, ObeysExtraAndOrderingEdges) {
  Node* a = relu(x);
  Node* b = relu(x);
  Node* c = relu(x);
  const std::pair<Node*, Node*> extra[] = {{c, a}};
  EXPECT_TRUE(sort_topologically(graph, SortRule::earliest, extra));
  EXPECT_THAT(graph.in_order(), ElementsAre(b, c, a));
  graph.add_order_edge(a, b);
  EXPECT_TRUE(sort_topologically(graph));
  EXPECT_THAT(graph.in_order(), ElementsAre(c, a, b));
}

TEST_F(TopologicalSort, NamesNodesOnCycles) {
  Node* a = relu(x);
  Node* b = relu(a->output());
  graph.set_input(a, 0, b->output());
  for (const SortRule rule : {SortRule::earliest, SortRule::after_inputs}) {
    try {
      sort_topologically(graph, rule);
      FAIL();
    } catch (const InternalError& error) {
      EXPECT_THAT(error.message(), ::testing::HasSubstr("graph has cycles"));
      EXPECT_THAT(error.message(), ::testing::HasSubstr("%0 = aten.relu(%1)"));
    }
  }
}

TEST_F(TopologicalSort, SortsShuffledGraphs) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Graph& random = random_graph(module, seed, 60, "random");
    std::mt19937 shuffle(seed);
    for (int i = 0; i < 100; ++i) {
      const std::vector<Node*> nodes = random.in_order();
      random.move_before(nodes[shuffle() % nodes.size()], nodes[shuffle() % nodes.size()]);
    }
    sort_topologically(random, seed % 2 == 0 ? SortRule::earliest : SortRule::after_inputs);
    verify(random);
    EXPECT_FALSE(sort_topologically(random));
  }
}

}  // namespace
}  // namespace litz::ir
