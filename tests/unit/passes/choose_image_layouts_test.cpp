// Layouts of images on machines whose convolutions multiply channels. The other machines are in
// tests/ir/passes/choose_image_layouts.ir.

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

const machine::FunctionFacts* facts(std::string_view name) {
  static const machine::FunctionFacts kImages{.layouts = machine::OperandLayouts::images};
  return name == "convolution" ? &kImages : nullptr;
}

std::string with_layouts(const std::string& text) {
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  context.machine.function = facts;
  context.machine.layouts.converted = 2;
  run_pass(*find_pass("choose-image-layouts"), *module, context);
  EXPECT_EQ(run_pass(*find_pass("choose-image-layouts"), *module, context), Changed::no);
  return ir::to_string(*module->find_graph("main"));
}

constexpr const char* kConvolution = ", none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)\n  ";

/// Two convolutions of planes with a function between them; the caller gets planes.
std::string two_convolutions(const std::string& dtype, const std::string& between) {
  const std::string image = dtype + "[4, 16, 8, 8]";
  const std::string weight = dtype + "[16, 16, 3, 3]";
  return "graph @main(%x: " + image + ", %w: " + weight + ") -> (" + image +
         ") {\n  %a = aten.convolution(%x, %w" + kConvolution + between +
         "%c = aten.convolution(%b, %w" + kConvolution + "return %c\n}\n";
}

TEST(ImagesWithChannels, AreInsideOfThePrograms) {
  const std::string text = with_layouts(two_convolutions("bf16", "%b = aten.relu(%a)\n  "));
  EXPECT_THAT(text, AllOf(HasSubstr("litz.restride(%x, stride=[1024, 1, 128, 16])"),
                          HasSubstr("litz.restride(%w, stride=[144, 1, 48, 16])"),
                          HasSubstr("aten.relu(%a) : bf16[4, 16, 8, 8]{1024, 1, 128, 16}")));
  // The caller gets planes.
  EXPECT_THAT(text, HasSubstr("litz.restride(%c, stride=[1024, 64, 8, 1])"));
}

TEST(ImagesWithChannels, SinglesStayAsTheyAre) {
  EXPECT_THAT(with_layouts(two_convolutions("f32", "%b = aten.relu(%a)\n  ")),
              Not(HasSubstr("litz.restride")));
}

TEST(ImagesWithChannels, ViewsThatNeedPlanesKeepTheirs) {
  const std::string between =
      "%f = aten.view(%a, [4, 1024])\n  %g = aten.relu(%f)\n  %b = aten.view(%g, [4, 16, 8, 8])\n "
      " ";
  const std::string text = with_layouts(two_convolutions("bf16", between));
  EXPECT_THAT(text, HasSubstr("aten.relu(%f) : bf16[4, 1024]"));
}

}  // namespace
}  // namespace litz::passes
