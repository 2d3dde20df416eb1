// Which elements of a computed mask hide a key, and what becomes of the call. tests/ir/passes has the
// programs.

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();

/// The text after the pass, whose evaluator gives these elements for the mask.
std::string simplified(const Tensor& mask, bool evaluates = true) {
  std::string sizes;
  for (const int64_t size : mask.sizes()) {
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  }
  const std::string type =
      std::string(mask.dtype() == DType::bool_ ? "bool" : "f32") + "[" + sizes + "]";
  ir::Program program;
  program.module = ir::read_module(
      "graph @main(%q: f32[2, 3, 8], %k: f32[2, 3, 8], %v: f32[2, 3, 8], %w: " + type +
          ") -> (f32[2, 3, 8]) {\n  %m = aten.clone(%w)\n" +
          "  %a = litz.attention(%q, %k, %v, %m, scale=1.0)\n" + "  return %a\n}\n",
      ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.functional = true;
  program.inputs.resize(4);
  program.inputs[3].kind = ir::InputKind::constant;
  program.inputs[3].target = "w";
  program.inputs[3].data = mask;
  program.outputs.resize(1);
  PassContext context{.program = &program};
  if (evaluates) {
    context.evaluate = [&](ir::Graph&, std::span<const Tensor>) { return std::vector{mask}; };
  }
  run_pass(*find_pass("simplify-masks"), *program.module, context);
  return ir::to_string(program.graph());
}

Tensor added(std::vector<int64_t> sizes, const std::vector<float>& values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), std::span<const float>(values));
}

/// What lies behind the diagonal hides by this number.
Tensor triangle(float hidden) { return added({3, 3}, {0, hidden, hidden, 0, 0, hidden, 0, 0, 0}); }

TEST(SimplifyMasks, WhatLeavesNothingOfAScoreHides) {
  for (const float hidden : {-kInf, kLowest, -1e30F}) {
    EXPECT_THAT(simplified(triangle(hidden)),
                AllOf(HasSubstr("causal=true"), Not(HasSubstr("%m, scale"))));
  }
  EXPECT_THAT(simplified(triangle(kInf).to(DType::bool_)), HasSubstr("%m, scale"));
}

TEST(SimplifyMasks, WhatOnlyLowersAScoreIsAdded) {
  for (const float added : {-1e9F, -65504.0F, 1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THAT(simplified(triangle(added)), HasSubstr("%m, scale"));
  }
}

TEST(SimplifyMasks, MasksThatHideNothingAreDropped) {
  EXPECT_THAT(simplified(added({3, 3}, std::vector<float>(9))),
              AllOf(Not(HasSubstr("causal")), Not(HasSubstr("%m, scale"))));
}

// A row for all queries is a triangle of one row, which hides other keys.
TEST(SimplifyMasks, ATriangleOfOtherSizesIsNotCausal) {
  EXPECT_THAT(simplified(added({1, 3}, {0, -kInf, -kInf})), HasSubstr("%m, scale"));
}

TEST(SimplifyMasks, OneOfEqualMatricesIsEnough) {
  const std::vector<float> first{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> both = first;
  both.insert(both.end(), first.begin(), first.end());
  EXPECT_THAT(simplified(added({2, 3, 3}, both)), HasSubstr("aten.slice.Tensor(%m, "));
  both[17] = 9;
  EXPECT_THAT(simplified(added({2, 3, 3}, both)), Not(HasSubstr("aten.slice")));
}

TEST(SimplifyMasks, NothingIsKnownWithoutAnEvaluator) {
  EXPECT_THAT(simplified(triangle(-kInf), false), HasSubstr("%m, scale"));
}

}  // namespace
}  // namespace litz::passes
