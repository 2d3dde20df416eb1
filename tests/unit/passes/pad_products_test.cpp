#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string padded(const std::string& columns, const std::string& dtype = "bf16",
                   int64_t row_bytes = 16) {
  const std::string text = "graph @main(%x: " + dtype + "[2, 2048, 8], %w: " + dtype + "[" +
                           columns + ", 8]) -> (" + dtype + "[2, 2048, " + columns +
                           "]) {\n  %y = aten.linear(%x, %w)\n  return %y\n}\n";
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  context.machine.product_row_bytes = row_bytes;
  run_pass(*find_pass("pad-products"), *module, context);
  EXPECT_EQ(run_pass(*find_pass("pad-products"), *module, context), Changed::no);
  return ir::to_string(*module->find_graph("main"));
}

TEST(PadProducts, RowsOfOddLengthGetGaps) {
  const std::string text = padded("1001");
  EXPECT_THAT(text, HasSubstr(": bf16[2, 2048, 1001]{2064384, 1008, 1}"));
  EXPECT_THAT(text, HasSubstr("litz.restride(%y, stride=[2050048, 1001, 1])"));
  EXPECT_THAT(padded("1001", "f32"), HasSubstr("{2056192, 1004, 1}"));
}

TEST(PadProducts, OthersStay) {
  EXPECT_THAT(padded("1000"), Not(HasSubstr("litz.restride")));
  EXPECT_THAT(padded("9"), Not(HasSubstr("litz.restride")));  // Small.
  EXPECT_THAT(padded("1001", "bf16", 0), Not(HasSubstr("litz.restride")));
}

}  // namespace
}  // namespace litz::passes
