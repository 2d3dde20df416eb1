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

/// The program's text after the pass; its weight is a parameter.
std::string padded(const std::string& columns, const std::string& dtype = "bf16",
                   int64_t row_bytes = 16, ir::InputKind kind = ir::InputKind::parameter) {
  const std::string text = "graph @main(%x: " + dtype + "[2, 2048, 8], %w: " + dtype + "[" +
                           columns + ", 8]) -> (" + dtype + "[2, 2048, " + columns +
                           "]) {\n  %y = aten.linear(%x, %w)\n  return %y\n}\n";
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.inputs = {ir::InputSpec{.target = "x"}, ir::InputSpec{.kind = kind, .target = "w"}};
  program.inputs[1].data =
      Tensor::zeros(dtype == "f32" ? DType::f32 : DType::bf16, {std::stoll(columns), 8});
  program.outputs = {ir::OutputSpec{}};
  PassContext context;
  context.program = &program;
  context.machine.product_row_bytes = row_bytes;
  run_pass(*find_pass("pad-products"), *program.module, context);
  EXPECT_EQ(run_pass(*find_pass("pad-products"), *program.module, context), Changed::no);
  return ir::to_string(program.graph());
}

TEST(PadProducts, OddNumbersOfColumnsAreRoundedUp) {
  const std::string text = padded("1001");
  EXPECT_THAT(text,
              AllOf(HasSubstr("aten.constant_pad_nd(%w, pad=[0, 0, 0, 7]"),
                    HasSubstr(": bf16[2, 2048, 1008]"), HasSubstr("stride=[2050048, 1001, 1])")));
  EXPECT_THAT(padded("1001", "f32"), HasSubstr(": f32[2, 2048, 1004]"));
}

TEST(PadProducts, ABiasOfOneColumnStays) {
  ir::Program program;
  program.module = ir::read_module(R"(
graph @main(%x: f16[1024, 8], %w: f16[1031, 8], %b: f16[1]) -> (f16[1024, 1031]) {
  %y = aten.linear(%x, %w, %b)
  return %y
})",
                                   ops::standard_ops());
  program.inputs = {ir::InputSpec{.target = "x"},
                    ir::InputSpec{.kind = ir::InputKind::parameter, .target = "w"},
                    ir::InputSpec{.kind = ir::InputKind::parameter, .target = "b"}};
  program.inputs[1].data = Tensor::zeros(DType::f16, {1031, 8});
  program.inputs[2].data = Tensor::zeros(DType::f16, {1});
  program.outputs = {ir::OutputSpec{}};
  PassContext context;
  context.program = &program;
  context.machine.product_row_bytes = 16;
  run_pass(*find_pass("pad-products"), *program.module, context);
  EXPECT_THAT(ir::to_string(program.graph()), HasSubstr(", %b) : f16[1024, 1032]"));
}

TEST(PadProducts, OthersStay) {
  EXPECT_THAT(padded("1000"), Not(HasSubstr("litz.restride")));
  EXPECT_THAT(padded("9"), Not(HasSubstr("litz.restride")));  // Small.
  EXPECT_THAT(padded("1001", "bf16", 0), Not(HasSubstr("litz.restride")));
  // The weight differs from call to call.
  EXPECT_THAT(padded("1001", "bf16", 16, ir::InputKind::user), Not(HasSubstr("litz.restride")));
}

}  // namespace
}  // namespace litz::passes
