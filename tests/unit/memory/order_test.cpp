#include "memory/order.h"

#include <vector>

#include <gtest/gtest.h>

#include "library_plan.h"
#include "lowering/last_use.h"

namespace litz::memory {
namespace {

std::vector<lowering::Slot> results_of(const lowering::Plan& plan) {
  std::vector<lowering::Slot> slots;
  for (const lowering::Step& step : plan.steps) slots.push_back(step.results[0].slot);
  return slots;
}

TEST(OrderForMemory, RunsWhatFreesFirst) {
  // Two chains that each blow up and shrink: one after the other, not side by side.
  lowering::Plan plan = empty_plan(6);
  plan.steps.push_back(library_step({0}, 1, 1000));
  plan.steps.push_back(library_step({0}, 2, 1000));
  plan.steps.push_back(library_step({1}, 3, 1));
  plan.steps.push_back(library_step({2}, 4, 1));
  plan.steps.push_back(library_step({3, 4}, 5, 1));
  add_output(plan, 5);
  lowering::mark_dead_slots(plan);
  const OrderReport report = order_for_memory(plan);
  EXPECT_LT(report.peak_after, 0.6 * report.peak_before);
  EXPECT_EQ(plan.steps[1].results[0].slot, 3);
}

TEST(OrderForMemory, KeepsAnOrderThatIsAsGood) {
  lowering::Plan plan = empty_plan(4);
  plan.steps.push_back(library_step({0}, 1, 1000));
  plan.steps.push_back(library_step({1}, 2, 1000));
  plan.steps.push_back(library_step({2}, 3, 1));
  add_output(plan, 3);
  lowering::mark_dead_slots(plan);
  const std::vector<lowering::Slot> before = results_of(plan);
  const OrderReport report = order_for_memory(plan);
  EXPECT_EQ(report.peak_after, report.peak_before);
  EXPECT_EQ(results_of(plan), before);
}

// A call that must keep its place divides the plan: the second chain cannot begin after the first.
TEST(OrderForMemory, MovesNothingAcrossAStepThatKeepsItsPlace) {
  lowering::Plan plan = empty_plan(7);
  plan.steps.push_back(library_step({0}, 1, 1000));
  plan.steps.push_back(library_step({0}, 2, 1000));
  plan.steps.push_back(library_step({0}, 6, 1));
  std::get<lowering::LibraryStep>(plan.steps.back().work).keeps_order = true;
  plan.steps.push_back(library_step({1}, 3, 1));
  plan.steps.push_back(library_step({2}, 4, 1));
  plan.steps.push_back(library_step({3, 4}, 5, 1));
  add_output(plan, 5);
  add_output(plan, 6);
  lowering::mark_dead_slots(plan);
  order_for_memory(plan);
  const std::vector<lowering::Slot> after = results_of(plan);
  EXPECT_EQ(after[2], 6);
}

}  // namespace
}  // namespace litz::memory
