#include "ir/dead_code.h"

#include <gtest/gtest.h>

#include "ir/effects.h"
#include "ir/printer.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

// Eliminates dead code in @main and compares what is left of its body.
void expect_left(const std::string& body, const std::string& left, bool changed,
                 const DeadCodeOptions& options = {}) {
  const auto wrap = [](const std::string& text) {
    return "graph @main(%x: f32[2], %y: f32[2]) -> (f32[2]) {\n" + text + "  return %x\n}\n";
  };
  const auto module = module_of(wrap(body));
  Graph& graph = graph_of(*module);
  EXPECT_EQ(eliminate_dead_code(graph, options), changed) << body;
  EXPECT_EQ(to_string(graph, {.types = false}), wrap(left)) << body;
}

TEST(DeadCode, ErasesUnusedNodesAndChains) {
  expect_left("  %a = aten.add.Tensor(%x, %y)\n", "", true);
  expect_left("  %a = aten.relu(%x)\n  %b = aten.relu(%a)\n", "", true);
}

TEST(DeadCode, KeepsArguments) {
  expect_left("", "", false);
  expect_left("  %a = aten.relu(%y)\n", "", true);
}

TEST(DeadCode, KeepsAssertions) {
  const std::string body = "  aten._assert_scalar(true, assert_msg=\"x\")\n";
  const std::string printed = "  aten._assert_scalar(self=true, assert_msg=\"x\")\n";
  expect_left(body, printed, false);
}

TEST(DeadCode, KeepsWritesToIntermediatesAndOutArguments) {
  const std::string in_place = "  %a = aten.clone(%x)\n  %b = aten.add_.Tensor(%a, %y)\n";
  expect_left(in_place, in_place, false);
  const std::string out = "  %a = aten.clone(%x)\n  %b = aten.add.out(%x, %y, out=%a)\n";
  expect_left(out, out, false);
}

TEST(DeadCode, KeepsCollectives) {
  const std::string body = "  %a = c10d.all_reduce(%x)\n  %b = aten.relu(%a)\n";
  expect_left(body, "  %a = c10d.all_reduce(%x)\n", true);
}

TEST(DeadCode, KeepsStartsOfCollectivesAndTheirWaits) {
  const std::string body =
      "  %a = _c10d_functional.all_reduce(%x, reduce_op=\"sum\", group_name=\"0\")\n"
      "  %b = _c10d_functional.wait_tensor(%a)\n";
  expect_left(body, body, false);
}

TEST(DeadCode, KeepsWritesToArguments) {
  const std::string body = "  %a = aten.add_.Tensor(%x, %y)\n";
  expect_left(body + "  %b = aten.relu(%a)\n", body, true);
}

TEST(DeadCode, ErasesChainsLongerThanAnyStack) {
  std::string body = "  %v0 = aten.relu(%x)\n";
  for (int i = 1; i < 5000; ++i) {
    body += "  %v" + std::to_string(i) + " = aten.relu(%v" + std::to_string(i - 1) + ")\n";
  }
  expect_left(body, "", true);
}

TEST(DeadCode, KeepsWhatTheCallerNames) {
  DeadCodeOptions options;
  options.keep = [](const Node& node) { return node.is("aten.gelu"); };
  expect_left("  %a = aten.gelu(%x)\n  %b = aten.relu(%a)\n", "  %a = aten.gelu(%x)\n", true,
              options);
}

TEST(DeadCode, ErasesUnusedRandomNumbers) { expect_left("  %a = aten.rand(size=[2])\n", "", true); }

TEST(DeadCode, EffectsOfChildGraphsCount) {
  const auto module = module_of(R"(
graph @pure(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %dead = aten.relu(%a)
  return %a
}
graph @writes(%x: f32[2]) -> (f32[2]) {
  %a = aten.add_.Tensor(%x, 1)
  return %a
}
graph @outer(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@writes, [%x])
  return %a
}
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %used = higher_order.call(@pure, [%x])
  %unused = higher_order.call(@pure, [%x])
  %kept = higher_order.call(@outer, [%x])
  return %x, %used
})");
  Graph& graph = graph_of(*module);
  EXPECT_TRUE(has_effects(graph_of(*module, "outer")));
  EXPECT_FALSE(has_effects(graph_of(*module, "pure")));
  EXPECT_TRUE(eliminate_dead_code(graph));
  EXPECT_EQ(graph.node_count(), 2u);
  EXPECT_EQ(graph_of(*module, "pure").node_count(), 1u) << "child graphs are cleaned, too";
  EXPECT_FALSE(eliminate_dead_code(graph));
}

}  // namespace
}  // namespace litz::ir
