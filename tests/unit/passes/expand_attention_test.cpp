#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The text after the pass on a machine with or without attention.
std::string expanded(const std::string& text, bool has_attention = false) {
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  context.machine.has_attention = has_attention;
  run_pass(*find_pass("expand-attention"), *module, context);
  EXPECT_EQ(run_pass(*find_pass("expand-attention"), *module, context), Changed::no);
  return ir::to_string(*module->find_graph("main"));
}

constexpr const char* kHalves = R"(
graph @main(%q: bf16[2, 4, 3, 8], %k: bf16[2, 4, 5, 8], %v: bf16[2, 4, 5, 6], %m: bool[3, 5]) -> (bf16[2, 4, 3, 6]) {
  %a = litz.attention(%q, %k, %v, %m, scale=0.5, safe=True)
  return %a
})";

TEST(ExpandAttention, ProductsOfHalvesHaveScoresInF32) {
  EXPECT_THAT(expanded(kHalves),
              AllOf(HasSubstr("litz.wide_matmul(%q, "), HasSubstr("aten.mul.Scalar"),
                    HasSubstr("aten.where.ScalarOther(%m, "), HasSubstr("aten._safe_softmax"),
                    HasSubstr("aten._to_copy"), HasSubstr("aten.matmul"),
                    Not(HasSubstr("litz.attention"))));
}

TEST(ExpandAttention, CausalOnesHaveATriangleAsMask) {
  EXPECT_THAT(expanded(R"(
graph @main(%q: f32[2, 3, 8], %k: f32[2, 5, 8], %v: f32[2, 5, 6]) -> (f32[2, 3, 6]) {
  %a = litz.attention(%q, %k, %v, scale=1.0, causal=True)
  return %a
})"),
              AllOf(HasSubstr("aten.full(size=[3, 5], fill_value=true, dtype=bool"),
                    HasSubstr("aten.tril("), HasSubstr("aten.where.ScalarOther("),
                    Not(HasSubstr("litz.attention"))));
}

TEST(ExpandAttention, MachinesWithACallKeepIt) {
  EXPECT_THAT(expanded(kHalves, true), HasSubstr("litz.attention"));
}

TEST(ExpandAttention, SinglesNeedNoCastAndMasksOfNumbersAreAdded) {
  EXPECT_THAT(expanded(R"(
graph @main(%q: f32[2, 3, 8], %k: f32[2, 5, 8], %v: f32[2, 5, 6], %m: f32[2, 3, 5]) -> (f32[2, 3, 6]) {
  %a = litz.attention(%q, %k, %v, %m, scale=1.0)
  return %a
})"),
              AllOf(HasSubstr("aten.matmul(%q, "), HasSubstr("aten.add.Tensor("),
                    HasSubstr("aten._softmax("), Not(HasSubstr("aten.mul.Scalar")),
                    Not(HasSubstr("_to_copy"))));
}

}  // namespace
}  // namespace litz::passes
