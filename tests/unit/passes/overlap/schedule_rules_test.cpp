#include "passes/overlap/schedule_rules.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

using ::testing::HasSubstr;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

class ScheduleRulesTest : public ::testing::Test {
 protected:
  std::unique_ptr<ir::Module> module_ = read(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %s0 = _c10d_functional.all_reduce(%x, "sum", "0")
  %s1 = _c10d_functional.all_reduce(%y, "sum", "0")
  %m = aten.mm(%x, %y)
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %n = aten.mm(%m, %w0)
  return %n, %w1
})");
  ir::Graph& graph_ = *module_->find_graph("main");

  ir::Node* node(size_t i) { return graph_.in_order()[i]; }
};

TEST_F(ScheduleRulesTest, AnOrderThatStaysIsRight) {
  EXPECT_EQ(ScheduleRules(graph_, simple_times(), true).broken(graph_, kUnlimited), "");
}

TEST_F(ScheduleRulesTest, StartsMayNotOvertakeEachOtherIfRanksDiffer) {
  const ScheduleRules strict(graph_, simple_times(), true);
  const ScheduleRules usual(graph_, simple_times(), false);
  graph_.move_before(node(1), node(0));
  EXPECT_THAT(strict.broken(graph_, kUnlimited), HasSubstr("depends on"));
  EXPECT_EQ(usual.broken(graph_, kUnlimited), "");
}

TEST_F(ScheduleRulesTest, ComputationMustNotWaitLonger) {
  const ScheduleRules rules(graph_, simple_times(), false);
  graph_.move_before(node(2), node(5));
  EXPECT_THAT(rules.broken(graph_, kUnlimited), HasSubstr("must not wait longer than 6"));
}

TEST_F(ScheduleRulesTest, ThePeakIsLimited) {
  const ScheduleRules rules(graph_, simple_times(), false);
  EXPECT_THAT(rules.broken(graph_, 10), HasSubstr("peak memory must be at most"));
}

TEST_F(ScheduleRulesTest, CollectivesStay) {
  const ScheduleRules rules(graph_, simple_times(), false);
  const auto scope = graph_.insert_before(graph_.return_node());
  graph_.create("_c10d_functional.all_reduce",
                {graph_.input(0), std::string("sum"), std::string("0")});
  EXPECT_THAT(rules.broken(graph_, kUnlimited), HasSubstr("of before"));
}

}  // namespace
}  // namespace litz::passes
