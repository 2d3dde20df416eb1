#include "passes/overlap/prices.h"

#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

TEST(NodePrices, GroupsHaveTheSizeThatTheProgramTells) {
  const auto module = read(R"(
graph @main(%x: f32[1024]) -> (f32[4096], f32[1024]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%x, 4, "a")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_reduce(%x, "sum", "a")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})");
  const ir::Graph& graph = *module->find_graph("main");
  EXPECT_EQ(group_sizes(graph).at("a"), 4);
  const NodePrices prices(graph, {});
  EXPECT_DOUBLE_EQ(prices.collective_us(*graph.in_order("_c10d_functional.all_reduce")[0]),
                   machine::collective_us(machine::Traffic::all_reduce, 8192, 4, {}));
}

TEST(NodePrices, AWorldOfOtherSizeGathersSmallerParts) {
  const auto module = read(R"(
graph @main(%x: f32[1024]) -> (f32[4096]) {
  %s = _c10d_functional.all_gather_into_tensor(%x, 4, "a")
  %w = _c10d_functional.wait_tensor(%s)
  return %w
})");
  const ir::Graph& graph = *module->find_graph("main");
  PriceOptions options;
  options.world = 64;
  EXPECT_DOUBLE_EQ(NodePrices(graph, options).collective_us(*graph.first()),
                   machine::collective_us(machine::Traffic::all_gather, 16384 + 256, 64, {}));
}

double operations(const std::string& inputs, const std::string& call) {
  const auto module = read("graph @main(" + inputs + ") {\n  %r = " + call + "\n  return %r\n}");
  return operations_of(*module->find_graph("main")->last());
}

TEST(NodePrices, ProductsConvolutionsAndAttentionMultiply) {
  EXPECT_EQ(operations("%a: f32[2, 3], %b: f32[3, 5]", "aten.mm(%a, %b)"), 2 * 2 * 3 * 5);
  EXPECT_EQ(operations("%c: f32[5], %a: f32[2, 3], %b: f32[3, 5]", "aten.addmm(%c, %a, %b)"),
            2 * 2 * 3 * 5);
  EXPECT_EQ(operations("%a: f32[4, 2, 3], %b: f32[4, 3, 5]", "aten.bmm(%a, %b)"),
            2 * 4 * 2 * 3 * 5);
  EXPECT_EQ(operations("%x: f32[2, 6, 8, 8], %w: f32[4, 3, 3, 3]",
                       "aten.convolution(%x, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 2)"),
            2 * (2 * 4 * 8 * 8) * (3 * 3 * 3));
  EXPECT_EQ(operations("%q: f32[2, 4, 7, 16], %k: f32[2, 4, 9, 16], %v: f32[2, 4, 9, 8]",
                       "aten.scaled_dot_product_attention(%q, %k, %v)"),
            2 * (2 * 4) * 7 * 9 * (16 + 8));
  EXPECT_EQ(operations("%x: f32[8]", "aten.relu(%x)"), 0);
}

// A user function comes first, then measured times, then formulas.
TEST(NodePrices, FirstChoiceIsTheEstimator) {
  const auto module = read(R"(
graph @main(%x: f32[1024]) -> (f32[1024]) {
  %a = aten.relu(%x)
  %b = aten.clone(%a)
  %c = aten.neg(%b)
  return %c
})");
  const ir::Graph& graph = *module->find_graph("main");
  auto measured = std::make_shared<machine::MeasuredTimes>();
  measured->add({"aten.relu", "f32", 0}, 8192, 7);
  measured->add({"aten.clone", "f32", 0}, 8192, 9);
  PriceOptions options;
  options.measured = measured;
  options.estimate = [](const ir::Node& node) -> std::optional<double> {
    if (node.is("aten.clone")) return 3;
    return std::nullopt;
  };
  const NodePrices prices(graph, options);
  const auto nodes = graph.in_order();
  EXPECT_EQ(prices.compute_us(*nodes[0]), 7);
  EXPECT_EQ(prices.compute_us(*nodes[1]), 3);
  EXPECT_DOUBLE_EQ(prices.compute_us(*nodes[2]), 8192 / 4000e3);
  EXPECT_FALSE(prices.is_heavy(*nodes[0]));
  EXPECT_TRUE(prices.is_heavy(*nodes[1]));
}

// A scalar argument that only a call knows has an estimate.
TEST(NodePrices, SymbolicSizesAreEstimated) {
  const auto module = read(R"(
sym s0 in [2, 4096]

graph @main(%x: f32[s0, 8], %y: f32[8, 8]) -> (f32[s0, 8]) {
  %a = aten.mm(%x, %y)
  return %a
})");
  EXPECT_GT(
      NodePrices(*module->find_graph("main"), {}).compute_us(*module->find_graph("main")->first()),
      0);
}

}  // namespace
}  // namespace litz::passes
