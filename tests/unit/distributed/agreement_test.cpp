#include "distributed/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "support/check.h"

namespace litz::distributed {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What each of two ranks says.
std::vector<std::string> answers(const Starts& first, const Starts& second) {
  SimulatedWorld world({.ranks = 2, .groups = {{"tp", {1, 0}}}});
  std::vector<std::string> answers;
  for (const std::exception_ptr& error : world.try_run([&](const auto& rank) {
         require_agreement(rank->rank() == 0 ? first : second, *rank);
       })) {
    answers.emplace_back();
    try {
      if (error != nullptr) std::rethrow_exception(error);
    } catch (const Error& thrown) {
      answers.back() = thrown.what();
    }
  }
  return answers;
}

TEST(Agreement, OfEqualStarts) {
  const Starts starts{{"0", {"sum", "max"}}, {"tp", {"gather"}}};
  EXPECT_THAT(answers(starts, starts), Each(IsEmpty()));
}

TEST(Agreement, TheFirstDifferenceIsNamed) {
  const auto said = answers({{"tp", {"a", "b", "c"}}}, {{"tp", {"a", "x"}}});
  EXPECT_THAT(said, Each(HasSubstr("in the same order")));
  EXPECT_THAT(said[0], HasSubstr("tp 1 b"));
  EXPECT_THAT(said[1], HasSubstr("tp 1 x"));
}

TEST(Agreement, AGroupThatOneRankLacksEndsInAnError) {
  const auto said = answers({{"0", {"a"}}}, {});
  EXPECT_THAT(said[0], AllOf(HasSubstr("rank 1 ended before"), HasSubstr("all_gather")));
}

}  // namespace
}  // namespace litz::distributed
