#include "autodiff/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autodiff/joint_graph.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"

namespace litz::autodiff {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kSine =
    "graph @main(%x: f32[4], %g: f32[4]) -> (f32[4], f32[4]) {\n"
    "  %e = aten.exp(%x)\n"
    "  %s = aten.sin(%e)\n"
    "  %c = aten.cos(%e)\n"
    "  %d = aten.mul.Tensor(%g, %c)\n"
    "  %dx = aten.mul.Tensor(%d, %e)\n"
    "  return %s, %dx\n"
    "}\n";

TEST(Split, RepeatsWhatIsNotSaved) {
  const auto module = ir::read_module(kSine, ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  const std::vector<ir::Value> saved{graph.input(0)};
  const size_t cotangents[] = {1};
  const Split parts = split(graph, cotangents, 1, saved);
  ir::verify(*module, {});
  EXPECT_THAT(ir::to_string(*parts.backward), HasSubstr("aten.exp(%x)"));
  EXPECT_EQ(parts.forward->outputs().size(), 2U);
  EXPECT_EQ(parts.backward->input_count(), 2U);
}

TEST(Split, LeavesOutWhatNobodyReads) {
  const auto module = ir::read_module(kSine, ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  std::vector<ir::Value> saved{graph.input(0)};
  for (const ir::Node* node : graph.in_order()) {
    if (node->is("aten.exp")) saved.push_back(node->output());
  }
  const size_t cotangents[] = {1};
  const Split parts = split(graph, cotangents, 1, saved);
  EXPECT_THAT(parts.saved, SizeIs(1));
  EXPECT_THAT(ir::to_string(*parts.backward), Not(HasSubstr("aten.exp")));
  EXPECT_THAT(ir::to_string(*parts.forward), Not(HasSubstr("aten.cos")));
}

// What is read by nobody but asserts something runs in the forward part.
TEST(Split, EffectsRunForward) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[4], %g: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %p = aten.gt.Scalar(%x, 0)\n"
      "  %all = aten.all(%p)\n"
      "  aten._assert_async.msg(%all, \"x is positive\")\n"
      "  %s = aten.sin(%x)\n"
      "  %d = aten.mul.Tensor(%g, %s)\n"
      "  return %s, %d\n"
      "}\n",
      ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  const std::vector<ir::Value> saved{graph.input(0)};
  const size_t cotangents[] = {1};
  const Split parts = split(graph, cotangents, 1, saved);
  EXPECT_THAT(ir::to_string(*parts.forward), HasSubstr("_assert_async"));
  EXPECT_THAT(ir::to_string(*parts.backward), Not(HasSubstr("_assert_async")));
}

}  // namespace
}  // namespace litz::autodiff
