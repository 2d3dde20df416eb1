// Reverse mode on small graphs: which nodes it adds, and what it refuses.

#include "autodiff/reverse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

std::string joint_text(std::string_view text, const Request& request) {
  const auto module = parse(text);
  add_gradients(*module->find_graph("main"), request);
  return ir::to_string(*module);
}

std::string refusal(std::string_view text, const Request& request) {
  try {
    joint_text(text, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Reverse, MultipliesCotangentsByDerivatives) {
  const std::string text = joint_text(
      "graph @main(%x: f32[3]) -> (f32[3]) {\n"
      "  %y = aten.exp(%x)\n"
      "  return %y\n"
      "}\n",
      {.inputs = {0}, .outputs = {0}});
  EXPECT_THAT(text, HasSubstr("%cotangent_0: f32[3]"));
  EXPECT_THAT(text, HasSubstr("aten.mul.Tensor(%cotangent_0, %y)"));
}

TEST(Reverse, SumsOverWhatWasBroadcast) {
  const std::string text = joint_text(
      "graph @main(%x: f32[2, 3], %b: f32[3]) -> (f32[2, 3]) {\n"
      "  %y = aten.add.Tensor(%x, %b)\n"
      "  return %y\n"
      "}\n",
      {.inputs = {0, 1}, .outputs = {0}});
  EXPECT_THAT(text, HasSubstr("aten.sum.dim_IntList(%cotangent_0, dim=[0]"));
}

TEST(Reverse, AddsTheGradientsOfAllUses) {
  const auto module = parse(
      "graph @main(%x: f32[3]) -> (f32[3], f32[3]) {\n"
      "  %y = aten.sin(%x)\n"
      "  %z = aten.cos(%x)\n"
      "  return %y, %z\n"
      "}\n");
  const Joint joint =
      add_gradients(*module->find_graph("main"), {.inputs = {0}, .outputs = {0, 1}});
  EXPECT_THAT(joint.cotangents, ElementsAre(1, 2));
  EXPECT_THAT(joint.gradients, ElementsAre(std::optional<size_t>(2)));
  EXPECT_THAT(ir::to_string(*module), HasSubstr("aten.add.Tensor"));
}

TEST(Reverse, GradientsThatNothingNeedsAreAbsent) {
  const auto module = parse(
      "graph @main(%x: f32[3], %y: f32[3]) -> (f32[3]) {\n"
      "  %d = aten.detach(%y)\n"
      "  %z = aten.mul.Tensor(%x, %d)\n"
      "  return %z\n"
      "}\n");
  const Joint joint =
      add_gradients(*module->find_graph("main"), {.inputs = {0, 1}, .outputs = {0}});
  EXPECT_TRUE(joint.gradients[0].has_value());
  EXPECT_FALSE(joint.gradients[1].has_value());
}

TEST(Reverse, ALossMayBeItsOwnCotangent) {
  const std::string text = joint_text(
      "graph @main(%x: f32[3]) -> (f32[]) {\n"
      "  %y = aten.sum(%x)\n"
      "  return %y\n"
      "}\n",
      {.inputs = {0}, .outputs = {0}, .cotangents = Cotangents::ones});
  EXPECT_THAT(text, Not(HasSubstr("%cotangent_0")));
  EXPECT_THAT(text, HasSubstr("aten.ones_like"));
}

TEST(Reverse, ResultsThatAreInputsPassTheirCotangent) {
  const auto module = parse("graph @main(%x: f32[3]) -> (f32[3]) {\n  return %x\n}\n");
  const Joint joint = add_gradients(*module->find_graph("main"), {.inputs = {0}, .outputs = {0}});
  EXPECT_TRUE(joint.gradients[0].has_value());
}

TEST(Reverse, NamesTheOperatorAndTheNodeWithoutAGradient) {
  const std::string text = refusal(
      "graph @main(%x: f32[3]) -> (f32[3]) {\n"
      "  %steps = aten.floor_divide(%x, 2.0)\n"
      "  return %steps\n"
      "}\n",
      {.inputs = {0}, .outputs = {0}});
  EXPECT_THAT(text, HasSubstr("aten.floor_divide"));
  EXPECT_THAT(text, HasSubstr("%steps"));
}

TEST(Reverse, NamesAnArgumentWithoutAGradient) {
  const std::string text = refusal(
      "graph @main(%a: f32[3], %x: f32[3]) -> (f32[3]) {\n"
      "  %y = aten.igamma(%a, %x)\n"
      "  return %y\n"
      "}\n",
      {.inputs = {0}, .outputs = {0}});
  EXPECT_THAT(text, HasSubstr("aten.igamma self"));
}

TEST(Reverse, RefusesIntegers) {
  EXPECT_THAT(refusal("graph @main(%x: i64[3]) -> (i64[3]) {\n  return %x\n}\n",
                      {.inputs = {0}, .outputs = {0}}),
              HasSubstr("only floating and complex inputs have gradients"));
}

TEST(Reverse, CanBeRepeated) {
  const auto module = parse(
      "graph @main(%x: f32[]) -> (f32[]) {\n"
      "  %y = aten.sin(%x)\n"
      "  return %y\n"
      "}\n");
  ir::Graph& graph = *module->find_graph("main");
  for (size_t order = 0; order < 3; ++order) {
    const Joint joint =
        add_gradients(graph, {.inputs = {0}, .outputs = {order}, .cotangents = Cotangents::ones});
    ASSERT_TRUE(joint.gradients[0].has_value());
  }
}

}  // namespace
}  // namespace litz::autodiff
