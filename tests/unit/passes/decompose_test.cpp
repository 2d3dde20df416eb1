#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/expand_node.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

TEST(Decompose, LeavesNothingDecomposable) {
  const auto module = parse(
      "graph @main(%x: f32[2, 3], %w: f32[4, 3], %b: f32[4]) -> (f32[2, 4]) {\n"
      "  %y = aten.linear(%x, %w, %b)\n"
      "  %z = aten.softmax.int(%y, 1)\n"
      "  return %z\n"
      "}\n");
  PassContext context;
  EXPECT_EQ(run_pass(*find_pass("decompose"), *module, context), Changed::yes);
  for (const ir::Node* node : module->find_graph("main")->in_order()) {
    EXPECT_FALSE(is_decomposable(*node, true)) << node->op().name();
  }
  EXPECT_EQ(run_pass(*find_pass("decompose"), *module, context), Changed::no);
}

TEST(Decompose, WritersWaitForFunctionalForm) {
  const auto module = parse(
      "graph @main(%x: f32[2, 3, 4], %m: f32[3], %v: f32[3]) -> (f32[2, 3, 4]) {\n"
      "  %y = aten.batch_norm(%x, none, none, %m, %v, true, 0.1, 1e-05, true)\n"
      "  return %y\n"
      "}\n");
  const ir::Node* node = module->find_graph("main")->first();
  EXPECT_TRUE(writes_operands(*node));
  EXPECT_FALSE(is_decomposable(*node, false));
  EXPECT_TRUE(is_decomposable(*node, true));
}

TEST(Decompose, ResultsKeepTheirNames) {
  const auto module = parse(
      "graph @main(%x: f32[2, 3], %w: f32[4, 3], %b: f32[4]) -> (f32[2, 4]) {\n"
      "  %y = aten.linear(%x, %w, %b)\n"
      "  return %y\n"
      "}\n");
  PassContext context;
  run_pass(*find_pass("decompose"), *module, context);
  EXPECT_EQ(module->find_graph("main")->outputs()[0].value().name(), "y");
}

}  // namespace
}  // namespace litz::passes
