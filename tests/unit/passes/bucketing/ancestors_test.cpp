#include "passes/bucketing/ancestors.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::passes {
namespace {

TEST(Ancestors, FollowOperandsOfADiamondAndItsTail) {
  const auto module = ir::read_module(R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %a = aten.relu(%x)
  %b = aten.exp(%a)
  %c = aten.neg(%a)
  %d = aten.add.Tensor(%b, %c)
  %e = aten.sin(%d)
  return %e
})",
                                      ops::standard_ops());
  const std::vector<ir::Node*> nodes = module->find_graph("main")->in_order();
  const Ancestors ancestors(*module->find_graph("main"), nodes);
  const std::vector<std::vector<bool>> expected{
      {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 1, 1, 0, 0}, {1, 1, 1, 1, 0}};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (size_t k = 0; k < nodes.size(); ++k) {
      EXPECT_EQ(ancestors.depends(i, k), expected[i][k]) << i << ' ' << k;
    }
  }
}

TEST(Ancestors, OfLongChainsAreAllBefore) {
  const auto module =
      ir::read_module("graph @main(%x: f32[4]) {\n  return %x\n}", ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  ir::Value value = graph.input(0);
  for (int i = 0; i < 1100; ++i) value = graph.create("aten.exp", {value})->output();
  const std::vector<ir::Node*> nodes = graph.in_order();
  const Ancestors ancestors(graph, nodes);
  for (size_t i = 0; i < nodes.size(); i += 37) {
    for (size_t k = 0; k < nodes.size(); k += 11) EXPECT_EQ(ancestors.depends(i, k), k < i);
  }
}

TEST(Ancestors, FollowSizesThatDependOnData) {
  const auto module = ir::read_module(R"(
sym u0 in [0, 4]

graph @main(%x: f32[4]) -> (f32[u0]) {
  %n = aten.nonzero(%x) : i64[u0, 1]
  %e = aten.exp(%x)
  %f = aten.full([u0], 0.0) : f32[u0]
  return %f
})",
                                      ops::standard_ops());
  const std::vector<ir::Node*> nodes = module->find_graph("main")->in_order();
  const Ancestors ancestors(*module->find_graph("main"), nodes);
  EXPECT_TRUE(ancestors.depends(2, 0));
  EXPECT_FALSE(ancestors.depends(2, 1));
}

}  // namespace
}  // namespace litz::passes
