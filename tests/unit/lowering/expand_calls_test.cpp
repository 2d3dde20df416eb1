#include "lowering/expand_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "lowering/lower.h"
#include "ops/op_table.h"

namespace litz::lowering {
namespace {

using ::testing::ElementsAre;

LoweredProgram lowered(const char* text, std::unique_ptr<ir::Module>& module) {
  module = ir::read_module(text, ops::standard_ops());
  return lower(*module->find_graph("main"));
}

constexpr const char* kTwoCalls = R"(
graph @layer(%x: f32[2, 3], %w: f32[3]) -> (f32[2, 3]) {
  %a = aten.add.Tensor(%x, %w)
  %s = aten.sin(%a)
  return %s
}

graph @main(%x: f32[2, 3], %v: f32[3], %w: f32[3]) -> (f32[2, 3]) {
  %a = higher_order.invoke_subgraph(@layer, [%x, %v])
  %b = higher_order.invoke_subgraph(@layer, [%a, %w])
  return %b
})";

TEST(ExpandCalls, StepsTakeThePlaceOfCallsInSlotsOfTheirOwn) {
  std::unique_ptr<ir::Module> module;
  LoweredProgram program = lowered(kTwoCalls, module);
  EXPECT_EQ(to_string(program), R"(plan @0 main (#0, #1, #2)
  #7 = splice @1 [#0, #1] [] [] frees #0 #1
  #12 = splice @1 [#7, #2] [] [] frees #7 #2
  return [#12]
plan @1 layer (#0, #1)
  #2 = kernel add_tensor #1 #0 #2 frees #1 #0
  #3 = kernel sin #2 #3 frees #2
  return [#3]
)");
  EXPECT_THAT(homes_of_plans(program), ElementsAre(0, 0));
  EXPECT_THAT(copies_of_plans(program), ElementsAre(1, 2));
  expand_calls(program);
  EXPECT_EQ(to_string(program), R"(plan @0 main (#0, #1, #2)
  #5 = kernel add_tensor #1 #0 #5 frees #1 #0
  #7 = kernel sin #5 #7 frees #5
  #10 = kernel add_tensor #2 #7 #10 frees #2 #7
  #12 = kernel sin #10 #12 frees #10
  return [#12]
)");
  EXPECT_EQ(program.plans[0].steps[3].label, "%s = aten.sin, call 2 of 2 of @layer");
}

TEST(ExpandCalls, NestedCallsAndPlansThatAreCalledOtherwise) {
  std::unique_ptr<ir::Module> module;
  LoweredProgram program = lowered(R"(
graph @inner(%x: f32[2]) -> (f32[2]) {
  %s = aten.sin(%x)
  return %s
}

graph @outer(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.invoke_subgraph(@inner, [%x])
  %b = higher_order.invoke_subgraph(@inner, [%a])
  return %b
}

graph @main(%p: bool[], %x: f32[2]) -> (f32[2], f32[2]) {
  %a = higher_order.invoke_subgraph(@outer, [%x])
  %b = higher_order.cond(%p, @inner, @outer, [%a])
  return %a, %b
})",
                                   module);
  EXPECT_THAT(copies_of_plans(program), ElementsAre(1, 5, 2));
  EXPECT_THAT(homes_of_plans(program), ElementsAre(0, 1, 2));
  expand_calls(program);
  ASSERT_EQ(program.plans.size(), 3u);
  EXPECT_EQ(program.plans[0].steps.size(), 3u);
  EXPECT_EQ(program.plans[2].steps.size(), 2u);
  EXPECT_EQ(std::get<ControlStep>(program.plans[0].steps[2].work).plans, (std::vector<int>{1, 2}));
}

TEST(ExpandCalls, ResultsThatAreOperandsAndOtherSizesStayCalls) {
  std::unique_ptr<ir::Module> module;
  LoweredProgram program = lowered(R"(
sym s0 in [2, 8] hint 3
sym s1 in [2, 8] hint 4

graph @turned(%x: f32[2, 3]) -> (f32[3, 2]{1, 3}) {
  %t = aten.permute(%x, [1, 0])
  return %t
}

graph @main(%x: f32[2, 3]) -> (f32[3, 2]{1, 3}) {
  %a = higher_order.invoke_subgraph(@turned, [%x])
  return %a
})",
                                   module);
  expand_calls(program);
  ASSERT_EQ(program.plans.size(), 2u);
  EXPECT_EQ(std::get<ControlStep>(program.plans[0].steps[0].work).kind, ControlKind::call);
}

}  // namespace
}  // namespace litz::lowering
