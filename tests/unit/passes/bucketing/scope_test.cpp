#include "passes/bucketing/scope.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/bucketing/selection.h"

namespace litz::passes {
namespace {

class Scope : public ::testing::Test {
 protected:
  std::string in_scope(BucketScope scope) {
    const ScopeFilter filter(graph_, scope);
    std::string names;
    for (ir::Node* node : graph_.in_order()) {
      const auto kind = bucketed_kind(*node);
      if (kind && filter(bucket_member(node), *kind)) {
        names += (names.empty() ? "" : " ") + std::string(node->output().name());
      }
    }
    return names;
  }

  // %n is also part of a norm; %i needs two inputs.
  std::unique_ptr<ir::Module> module_ = ir::read_module(R"(
graph @main(%p: f32[4, 4], %q: f32[4, 4]) -> (f32[8, 4], f32[8, 4], f32[8, 4], f32[2, 4], f32[2, 2], f32[2, 4], f32[]) {
  %g0 = _c10d_functional.all_gather_into_tensor(%p, 2, "0")
  %v0 = _c10d_functional.wait_tensor(%g0)
  %h = aten.neg(%q)
  %g1 = _c10d_functional.all_gather_into_tensor(%h, 2, "0")
  %v1 = _c10d_functional.wait_tensor(%g1)
  %i = aten.add.Tensor(%p, %q)
  %g2 = _c10d_functional.all_gather_into_tensor(%i, 2, "0")
  %v2 = _c10d_functional.wait_tensor(%g2)
  %s0 = _c10d_functional.reduce_scatter_tensor(%i, "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.reduce_scatter_tensor(%i, "sum", 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %r = aten.slice.Tensor(%w1, 1, 0, 2)
  %t = aten.neg(%r)
  %s2 = _c10d_functional.reduce_scatter_tensor(%i, "sum", 2, "0")
  %w2 = _c10d_functional.wait_tensor(%s2)
  %n = aten.mul.Tensor(%w2, %w2)
  %m = aten.sum(%n)
  return %v0, %v1, %v2, %w0, %t, %w2, %m
})",
                                                        ops::standard_ops());
  ir::Graph& graph_ = *module_->find_graph("main");
};

TEST_F(Scope, PatternsSeeOneStep) { EXPECT_EQ(in_scope(BucketScope::fsdp), "g0 s0"); }

TEST_F(Scope, RecursivePatternsSeeAllSteps) {
  EXPECT_EQ(in_scope(BucketScope::fsdp_recursive), "g0 g1 s0 s1");
}

TEST_F(Scope, AMarkDecides) {
  ir::Node* node = graph_.in_order("_c10d_functional.all_gather_into_tensor")[2];
  graph_.set_annotations(node, {{"collective_role", "parameter_gather"}});
  EXPECT_EQ(in_scope(BucketScope::fsdp), "g0 g2 s0");
  EXPECT_EQ(in_scope(BucketScope::fsdp_recursive), "g0 g1 g2 s0 s1");
}

TEST_F(Scope, AllIsAll) { EXPECT_EQ(in_scope(BucketScope::all), "g0 g1 g2 s0 s1 s2"); }

}  // namespace
}  // namespace litz::passes
