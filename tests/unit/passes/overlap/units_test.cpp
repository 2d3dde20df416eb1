#include "passes/overlap/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRegion = R"(
graph @main(%x: f32[1000], %y: f32[1000], %g: f32[4, 4]) -> (f32[1000], f32[4, 4], f32[1000]) {
  %a = aten.mul.Tensor(%x, %y)
  %n = aten.neg(%y)
  %b = aten.add.Tensor(%a, %x)
  %m = aten.mm(%g, %g)
  %c = aten.exp(%b)
  return %c, %m, %n
})";

TEST(Units, NodesAreUnits) {
  const auto module = read(kRegion);
  const Units units(*module->find_graph("main"), {});
  EXPECT_EQ(units.all.size(), 5u);
  EXPECT_THAT(units.needs[2], ElementsAre(0));
  EXPECT_THAT(units.needed_by[2], ElementsAre(4));
  EXPECT_THAT(units.order, ElementsAre(0, 1, 2, 3, 4));
}

// Neighbours up to a product are joined if they are connected. Inputs count once.
TEST(Units, RegionsAreUnits) {
  const auto module = read(kRegion);
  const Units units(*module->find_graph("main"), {}, {.joins_regions = true});
  ASSERT_EQ(units.all.size(), 4u);
  EXPECT_THAT(units.all[0].nodes, ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(units.all[0].us, 3 * 4000 / 4000e3);
  EXPECT_THAT(units.needed_by[0], ElementsAre(3));
}

TEST(Units, CollectivesHaveGroupsAndKeys) {
  const auto module = read(R"(
graph @main(%x: f32[4], %y: f32[4], %h: bf16[4]) -> (f32[4], f32[4], bf16[4]) {
  %s0 = _c10d_functional.all_reduce(%x, "sum", "a")
  %s1 = _c10d_functional.all_reduce(%y, "sum", "a")
  %s2 = _c10d_functional.all_reduce(%h, "sum", "b")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  return %w0, %w1, %w2
})");
  const Units units(*module->find_graph("main"), simple_times());
  EXPECT_EQ(units.group_count, 2u);
  EXPECT_EQ(units.all[0].key, units.all[1].key);
  EXPECT_NE(units.all[0].key, units.all[2].key);
  EXPECT_EQ(units.all[0].us, 8);
  EXPECT_EQ(units.all[0].bytes, 32);
  EXPECT_EQ(units.all[4].start, 1u);
}

TEST(Units, TransfersKeepTheirPlaceAmongStarts) {
  const auto module = read(R"(
graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {
  %s0 = _c10d_functional.all_reduce(%x, "sum", "a")
  %s1 = _c10d_functional.irecv(%y, 1, 0, "b")
  %s2 = _c10d_functional.all_reduce(%y, "sum", "a")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  %r = aten.add.Tensor(%w1, %w2)
  return %w0, %r
})");
  const Units units(*module->find_graph("main"), simple_times());
  EXPECT_THAT(units.needs[1], ElementsAre(0));
  EXPECT_THAT(units.needs[2], ElementsAre(1));
}

// Exact ancestors, also by other edges: what `bitset` tests check in PyTorch.
TEST(Units, KeptDependencesIncludeOrderingEdges) {
  const auto module = read(kRegion);
  ir::Graph& graph = *module->find_graph("main");
  const auto nodes = graph.in_order();
  graph.add_order_edge(nodes[1], nodes[3]);
  const Units units(graph, {});
  EXPECT_THAT(units.needs[3], ElementsAre(1));
}

}  // namespace
}  // namespace litz::passes
