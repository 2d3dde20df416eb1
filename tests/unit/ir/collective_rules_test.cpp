#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

// The first finding in a graph with this body.
std::string finding(const std::string& body) {
  const auto module = module_of("graph @main(%x: f32[2], %y: f32[2]) {\n" + body + "\n}");
  const auto errors = verification_errors(*module);
  return errors.empty() ? "" : errors.front();
}

TEST(CollectiveRules, AcceptStartAndWait) {
  EXPECT_EQ(finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %b = aten.relu(%x)
  %w = _c10d_functional.wait_tensor(%a)
  return)"),
            "");
}

TEST(CollectiveRules, EveryStartHasAWait) {
  const std::string text = finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p") loc("f.py":12)
  return)");
  EXPECT_THAT(text, HasSubstr("every result of a collective must have a wait"));
  EXPECT_THAT(text, HasSubstr("%a = _c10d_functional.all_reduce(%x"));
  EXPECT_THAT(text, HasSubstr("(f.py:12)"));
}

TEST(CollectiveRules, EveryStartHasOneWaitOnly) {
  EXPECT_THAT(finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %w = _c10d_functional.wait_tensor(%a)
  %v = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("one wait only"));
}

TEST(CollectiveRules, CoalescedOnesHaveOneWaitForEachElement) {
  EXPECT_EQ(finding(R"(
  %q:2 = _c10d_functional.all_reduce_coalesced([%x, %y], reduce_op="sum", group_name="p")
  %v = _c10d_functional.wait_tensor(%q#0)
  %w = _c10d_functional.wait_tensor(%q#1)
  return)"),
            "");
  EXPECT_THAT(finding(R"(
  %q:2 = _c10d_functional.all_reduce_coalesced([%x, %y], reduce_op="sum", group_name="p")
  %v = _c10d_functional.wait_tensor(%q#0)
  return)"),
              HasSubstr("must have a wait (result 1)"));
}

TEST(CollectiveRules, ResultsAreReadThroughTheirWait) {
  EXPECT_THAT(finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %b = aten.relu(%a)
  %w = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("must be read through its wait"));
}

TEST(CollectiveRules, ReturnedResultsAreWaitedForByTheCaller) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  return %a
}
graph @later(%started: f32[2]) -> (f32[2]) {
  %w = _c10d_functional.wait_tensor(%started)
  return %w
})");
  EXPECT_TRUE(verification_errors(*module).empty());
}

TEST(CollectiveRules, WaitsWaitForCollectives) {
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x)
  %w = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("must wait for the result of a collective"));
}

}  // namespace
}  // namespace litz::ir
