#include "runtime/trees/report.h"

#include <string>

#include <gtest/gtest.h>

namespace litz::runtime::trees {
namespace {

TEST(Report, describes_a_skip_with_function_place_and_reason) {
  Function function;
  function.name = "step";
  const Skip skip{SkipReason::mutated_inputs, {3}, 7, "(1 instances): add_ (model.py:4)", 1};
  EXPECT_EQ(describe(skip, function),
            "function 3 step after recording 7 was not recorded: mutated inputs (1 instances): "
            "add_ (model.py:4)");
}

TEST(Report, lists_functions_and_their_skips) {
  ContextReport report;
  report.counts.calls = 5;
  report.functions.push_back({.name = "step", .calls = 5, .skips = {}});
  report.functions[0].skips.push_back({SkipReason::unlisted_size, {0}, -1, "", 2});
  const std::string text = to_string(report);
  EXPECT_NE(text.find("5 calls"), std::string::npos);
  EXPECT_NE(text.find("step: 5 calls"), std::string::npos);
  EXPECT_NE(text.find("not recorded: unlisted size (2 calls)"), std::string::npos);
}

}  // namespace
}  // namespace litz::runtime::trees
