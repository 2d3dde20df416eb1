// Plans of small graphs, as text: which steps there are, and when slots die.

#include "lowering/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::lowering {
namespace {

using ::testing::HasSubstr;

std::string plan_of(const char* text) {
  const auto module = ir::read_module(text, ops::standard_ops());
  return to_string(lower(*module->find_graph("main")));
}

std::string error_of(const char* text) {
  try {
    plan_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Lower, MakesOneStepPerNodeAndFreesAtTheLastUse) {
  EXPECT_EQ(plan_of(R"(
graph @main(%x: f32[2, 3], %y: f32[3, 4]) -> (f32[2, 4]) {
  %a = aten.relu(%x)
  %b = aten.mm(%a, %y)
  %c = aten.add.Tensor(%b, %b)
  return %c
})"),
            R"(plan @0 main (#0, #1)
  #2 = kernel relu #0 #2 frees #0
  #3 = library matmul #2 #1 frees #2 #1
  #4 = kernel add_tensor #3 #4 frees #3
  return [#4]
)");
}

TEST(Lower, RefusesViewsOfSizesThatNobodyTells) {
  EXPECT_THAT(error_of(R"(
sym u0 in [0, 4]
graph @main(%x: f32[4, 5]) {
  %a = aten.slice.Tensor(%x, dim=1, start=u0)
  return %a
})"),
              HasSubstr("must follow from those of its source"));
}

// The wait's result is the memory that the collective fills; its operand lives until then.
TEST(Lower, AWaitKeepsTheOperandsOfItsCollective) {
  EXPECT_EQ(plan_of(R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %a = aten.relu(%x)
  %s = _c10d_functional.all_reduce(%a, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  return %w
})"),
            R"(plan @0 main (#0)
  #1 = kernel relu #0 #1 frees #0
  #2 = library all_reduce #1
  #3 over #2 = library wait #2 #1 frees #2 #1
  return [#3]
)");
}

TEST(Lower, ViewsShareAndOutlastTheirSource) {
  EXPECT_EQ(plan_of(R"(
graph @main(%x: f32[2, 3]) -> (f32[3, 2]{1, 3}) {
  %a = aten.relu(%x)
  %b = aten.permute(%a, [1, 0])
  return %b
})"),
            R"(plan @0 main (#0)
  #1 = kernel relu #0 #1 frees #0
  #2 = view #1 as f32[3, 2]{1, 3} frees #1
  return [#2]
)");
}

TEST(Lower, UnreadInputsHaveNoSlotAndUnreadResultsDieAtOnce) {
  EXPECT_EQ(plan_of(R"(
graph @main(%x: f32[2], %unread: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  return %x
})"),
            R"(plan @0 main (#0, _)
  #1 = kernel relu #0 #1 frees #1
  return [#0]
)");
}

TEST(Lower, ChildGraphsBecomePlansAfterTheMainOne) {
  const std::string text = plan_of(R"(
graph @yes(%x: f32[2]) -> (f32[2]) {
  %r = aten.relu(%x)
  return %r
}
graph @no(%x: f32[2]) -> (f32[2]) {
  return %x
}
graph @main(%p: bool[], %x: f32[2]) -> (f32[2]) {
  %y = higher_order.cond(%p, @yes, @no, [%x])
  return %y
})");
  EXPECT_THAT(text, HasSubstr("plan @0 main"));
  EXPECT_THAT(text, HasSubstr("cond @1 @2 if #0 [#1] [] []"));
  EXPECT_THAT(text, HasSubstr("plan @1 yes"));
}

TEST(Lower, AssertionsThatAlwaysHoldVanish) {
  const std::string text = plan_of(R"(
sym s0 in [2, 16]
graph @main(%x: f32[s0]) -> () {
  aten._assert_scalar(s0 >= 2, "small")
  aten._assert_scalar(s0 >= 4, "less small")
  return
})");
  EXPECT_THAT(text, Not(HasSubstr("2 <= s0")));
  EXPECT_THAT(text, HasSubstr("assert"));
}

TEST(Lower, AssertionsAboutDataAreKernels) {
  EXPECT_EQ(plan_of(R"(
graph @main(%p: bool[1], %x: f32[2]) -> (f32[2]) {
  aten._assert_async.msg(%p, "must hold")
  return %x
})"),
            R"(plan @0 main (#0, #1)
  kernel assert #0 frees #0
  return [#1]
)");
}

TEST(Lower, RefusesWhatIsNotFunctionalByNameAndNode) {
  const std::string error = error_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu_(%x) loc("layer.py":41)
  return %a
})");
  EXPECT_THAT(error, HasSubstr("functional"));
  EXPECT_THAT(error, HasSubstr("while lowering %a = aten.relu_ (layer.py:41)"));
}

TEST(Lower, RefusesWhatMustBeDecomposed) {
  EXPECT_THAT(error_of(R"(
graph @main(%x: f32[2, 3]) -> (f32[6]) {
  %a = aten.reshape(%x, [6])
  return %a
})"),
              HasSubstr("decomposed"));
}

}  // namespace
}  // namespace litz::lowering
