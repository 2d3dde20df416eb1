#include "machine/executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::machine {
namespace {

TEST(Executors, AreListedOnce) {
  EXPECT_THAT(executor_names(), testing::ElementsAre("interpreter", "cpu"));
  EXPECT_EQ(executor_list(), "interpreter (the reference), cpu (the default)");
}

}  // namespace
}  // namespace litz::machine
