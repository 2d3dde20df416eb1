// Control operators check the graphs that they call (ops/families/control.cpp: C1, C2).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::ops {
namespace {

using testing::HasSubstr;

std::string mistakes(const std::string& text) {
  const ir::ParseResult result = ir::parse_module(text, standard_ops());
  std::string all;
  for (const ir::Diagnostic& error : result.errors) all += error.message + "\n";
  return all;
}

const std::string kSin =
    "graph @sin(%v: f32[3]) -> (f32[3]) {\n  %s = aten.sin(%v)\n  return %s\n}\n";
const std::string kWide =
    "graph @wide(%v: f32[3]) -> (f64[3]) {\n"
    "  %s = aten._to_copy(%v, dtype=f64)\n  return %s\n}\n";
const std::string kTest =
    "graph @test(%v: f32[3]) -> (bool[]) {\n  %s = aten.sum(%v)\n"
    "  %c = aten.gt.Scalar(%s, 0)\n  return %c\n}\n";

std::string main_of(const std::string& call, const std::string& type) {
  return "graph @main(%p: bool[], %x: f32[3], %y: f32[4]) -> (" + type + ") {\n  %r = " + call +
         "\n  return %r\n}\n";
}

TEST(Control, BranchesReturnAlike) {
  EXPECT_EQ(mistakes(kSin + main_of("higher_order.cond(%p, @sin, @sin, [%x])", "f32[3]")), "");
  EXPECT_THAT(
      mistakes(kSin + kWide + main_of("higher_order.cond(%p, @sin, @wide, [%x])", "f32[3]")),
      HasSubstr("C2"));
}

TEST(Control, OperandsMatchTheGraph) {
  EXPECT_THAT(mistakes(kSin + main_of("higher_order.cond(%p, @sin, @sin, [%y])", "f32[3]")),
              HasSubstr("C1"));
  EXPECT_THAT(mistakes(kSin + main_of("higher_order.invoke_subgraph(@sin, [%x, %x])", "f32[3]")),
              HasSubstr("C1"));
}

TEST(Control, LoopsReturnWhatTheyCarry) {
  EXPECT_EQ(
      mistakes(kSin + kTest + main_of("higher_order.while_loop(@test, @sin, [%x])", "f32[3]")), "");
  EXPECT_THAT(
      mistakes(kWide + kTest + main_of("higher_order.while_loop(@test, @wide, [%x])", "f32[3]")),
      HasSubstr("C2"));
}

TEST(Control, MapsStackTheirResults) {
  const std::string row =
      "graph @row(%v: f32[3]) -> (f32[3]) {\n  %s = aten.sin(%v)\n  return %s\n}\n";
  EXPECT_EQ(mistakes(row + "graph @main(%m: f32[5, 3]) -> (f32[5, 3]) {\n"
                           "  %r = higher_order.map_impl(@row, [%m])\n  return %r\n}\n"),
            "");
}

TEST(Control, ScansReturnTheCarryAndTheStack) {
  const std::string step =
      "graph @step(%c: f32[3], %v: f32[3]) -> (f32[3], f32[3]) {\n"
      "  %s = aten.add.Tensor(%c, %v)\n  %t = aten.mul.Tensor(%s, 2.0)\n  return %s, %t\n}\n";
  EXPECT_EQ(
      mistakes(step + "graph @main(%i: f32[3], %m: f32[5, 3]) -> (f32[3], f32[5, 3]) {\n"
                      "  %r:2 = higher_order.scan(@step, [%i], [%m])\n  return %r#0, %r#1\n}\n"),
      "");
}

}  // namespace
}  // namespace litz::ops
