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

std::string rewritten(const std::string& dtype, const std::string& attributes,
                      double converted = 2) {
  const std::string text = "graph @main(%x: " + dtype + "[2, 3, 8, 12], %w: " + dtype +
                           "[16, 3, 4, 4], %b: " + dtype + "[16]) -> (" + dtype +
                           "[2, 16, 2, 3]) {\n  %y = aten.convolution(%x, %w, %b, " + attributes +
                           ", false, [0, 0], 1)\n  return %y\n}\n";
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  context.machine.layouts.converted = converted;
  run_pass(*find_pass("multiply-patches"), *module, context);
  return ir::to_string(*module->find_graph("main"));
}

TEST(MultiplyPatches, WindowsThatDoNotOverlapAreAProduct) {
  EXPECT_THAT(rewritten("bf16", "[4, 4], [0, 0], [1, 1]"),
              AllOf(HasSubstr("aten.view(%x, size=[2, 3, 2, 4, 3, 4])"),
                    HasSubstr("aten.permute(%0, dims=[0, 2, 4, 1, 3, 5])"),
                    HasSubstr("bf16[2, 2, 3, 48]"), HasSubstr("aten.view(%w, size=[16, 48])"),
                    HasSubstr("aten.linear("), HasSubstr("dims=[0, 3, 1, 2]"),
                    HasSubstr("litz.restride("), Not(HasSubstr("aten.convolution"))));
}

TEST(MultiplyPatches, OthersStay) {
  const auto stays = [](const std::string& text) {
    return text.find("aten.convolution") != std::string::npos;
  };
  EXPECT_TRUE(stays(rewritten("f32", "[4, 4], [0, 0], [1, 1]")));
  EXPECT_TRUE(stays(rewritten("bf16", "[4, 4], [0, 0], [1, 1]", 0)));
}

}  // namespace
}  // namespace litz::passes
