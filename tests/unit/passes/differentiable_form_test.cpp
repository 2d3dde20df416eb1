#include "passes/differentiable_form.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "support/check.h"

namespace litz::passes {
namespace {

size_t calls_of(std::string_view op, std::span<const Pass> pipeline) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[2, 3], %i: i64[2, 3], %s: f32[2, 3]) -> (f32[2, 3]) {\n"
      "  %y = aten.scatter_reduce.two(%x, 1, %i, %s, \"amax\")\n"
      "  %z = aten.softmax.int(%y, 1)\n"
      "  return %z\n"
      "}\n",
      ops::standard_ops());
  PassContext context;
  run_pipeline(pipeline, *module, context);
  return module->find_graph("main")->in_order(op).size();
}

TEST(DifferentiableForm, KeepsOperatorsThatHaveGradients) {
  EXPECT_EQ(calls_of("aten.scatter_reduce.two", differentiable_pipeline()), 1U);
  EXPECT_EQ(calls_of("aten.scatter_reduce.two", import_pipeline()), 0U);
}

TEST(DifferentiableForm, ReplacesOthersByTheirDefinition) {
  EXPECT_EQ(calls_of("aten.softmax.int", differentiable_pipeline()), 0U);
  EXPECT_EQ(calls_of("aten._softmax", differentiable_pipeline()), 1U);
}

TEST(DifferentiableForm, RegionsWithoutGradientsGiveConstants) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = higher_order.wrap_with_set_grad_enabled(false, @body, [%x]) : f32[2]\n"
      "  return %y\n"
      "}\n"
      "graph @body(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = aten.sin(%x)\n"
      "  return %y\n"
      "}\n",
      ops::standard_ops());
  PassContext context;
  run_pipeline(differentiable_pipeline(), *module, context, {.run_twice = true});
  EXPECT_EQ(module->find_graph("main")->in_order("aten.sin").size(), 1U);
  EXPECT_EQ(module->find_graph("main")->in_order("aten.detach").size(), 1U);
}

TEST(DifferentiableForm, RefusesWritesThroughDetachedAliases) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = aten.sin(%x)\n"
      "  %d = aten.detach(%y)\n"
      "  %w = aten.mul_.Tensor(%d, 2.0)\n"
      "  %z = aten.cos(%y)\n"
      "  return %z\n"
      "}\n",
      ops::standard_ops());
  PassContext context;
  EXPECT_THROW(run_pipeline(differentiable_pipeline(), *module, context), Error);
}

}  // namespace
}  // namespace litz::passes
