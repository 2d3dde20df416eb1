#include "machine/executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::machine {
namespace {

TEST(Executors, AreListedOnce) {
  EXPECT_THAT(executor_names(), testing::ElementsAre("interpreter", "cpu", "cudagraphs"));
  EXPECT_EQ(executor_list(),
            "interpreter (the reference), cpu (the default), cudagraphs (recorded)");
}

TEST(Executors, RegionsAreNotRecorded) {
  EXPECT_THAT(region_executors(), testing::ElementsAre("interpreter", "cpu"));
}

}  // namespace
}  // namespace litz::machine
