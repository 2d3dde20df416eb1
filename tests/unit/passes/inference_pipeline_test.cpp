// The whole pipeline over one graph that has something for every pass.

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

constexpr const char* kText =
    "graph @main(%x: f32[2, 4, 8], %w: f32[8, 8], %b: f32[8], %m: bool[4, 4]) -> (\n"
    "    f32[2, 4, 8], f32[2, 4, 8]) {\n"
    "  %f = aten.view(%x, [8, 8])\n"
    "  %t = aten.t(%w)\n"
    "  %a = aten.addmm(%b, %f, %t)\n"
    "  %q = aten.view(%a, [2, 4, 8])\n"
    "  %o = aten.mul.Tensor(%q, 1)\n"
    "  %k = aten.transpose.int(%q, 1, 2)\n"
    "  %s = aten.matmul(%o, %k)\n"
    "  %c = aten.mul.Scalar(%s, 0.5)\n"
    "  %n = aten.where.ScalarOther(%m, %c, -inf)\n"
    "  %p = aten._safe_softmax(%n, -1)\n"
    "  %y = aten.matmul(%p, %q)\n"
    "  %h:2 = aten.split.Tensor(%y, 4, 2)\n"
    "  %j = aten.cat([%h#0, %h#1], 2)\n"
    "  %d = aten._to_copy(%j, dtype=f64)\n"
    "  %e = aten._to_copy(%d, dtype=f32)\n"
    "  %u = aten.exp(%e)\n"
    "  %v = aten.exp(%j)\n"
    "  return %u, %v\n"
    "}\n";

std::string optimized() {
  const auto module = ir::read_module(kText, ops::standard_ops());
  PassContext context;
  run_pipeline(inference_pipeline(), *module, context, {.verify_each = true, .run_twice = true});
  return ir::to_string(*module);
}

TEST(InferencePipeline, LeavesWhatMatters) {
  const auto module = ir::read_module(kText, ops::standard_ops());
  PassContext context;
  run_pipeline(inference_pipeline(), *module, context);
  std::vector<std::string> names;
  for (const ir::Node* node : module->find_graph("main")->in_order()) {
    names.emplace_back(node->op().name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"aten.linear", "litz.attention", "aten.exp"}));
}

TEST(InferencePipeline, IsDeterministic) { EXPECT_EQ(optimized(), optimized()); }

// Whatever the limit, the program stays well formed.
TEST(InferencePipeline, MayStopAnywhere) {
  uint64_t rewrites = 1;
  for (uint64_t limit = 0; limit < rewrites; ++limit) {
    const auto module = ir::read_module(kText, ops::standard_ops());
    PassContext context;
    run_pipeline(inference_pipeline(), *module, context,
                 {.verify_each = true, .edit_limit = limit});
    EXPECT_EQ(context.rewrites, limit);
    if (limit == 0) {
      PassContext unlimited;
      run_pipeline(inference_pipeline(), *ir::read_module(kText, ops::standard_ops()), unlimited);
      rewrites = unlimited.rewrites;
    }
  }
}

}  // namespace
}  // namespace litz::passes
