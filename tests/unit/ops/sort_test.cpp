// Orders and searches.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Sort, IsStableBothWays) {
  const Tensor x = i64({4}, {2, 1, 2, 1});
  EXPECT_THAT(values(run_all("aten.sort", {x})[1]), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(values(run_all("aten.sort", {x, integer(0), boolean(true)})[1]),
              ElementsAre(0, 2, 1, 3));
}

TEST(Sort, NanIsTheLargest) {
  const Tensor x = f32({3}, {1, kNan, 2});
  EXPECT_THAT(values(run("aten.argsort", {x})), ElementsAre(0, 2, 1));
  EXPECT_THAT(values(run_all("aten.topk", {x, integer(2)})[1]), ElementsAre(1, 2));
}

TEST(Sort, KthCountsFromOne) {
  const Tensor x = f32({2, 3}, {3, 1, 2, 6, 5, 4});
  const auto found = run_all("aten.kthvalue", {x, integer(2)});
  EXPECT_THAT(values(found[0]), ElementsAre(2, 5));
  EXPECT_THAT(values(found[1]), ElementsAre(2, 1));
  EXPECT_THROW(run_all("aten.kthvalue", {x, integer(0)}), Error);
}

// As PyTorch 2.15 gives them on CPUs.
TEST(Sort, EqualsStandWhereSelectionsLeaveThem) {
  const Tensor ones = f32({6}, {1, 1, 1, 1, 1, 1});
  EXPECT_THAT(values(run_all("aten.topk", {ones, integer(3)})[1]), ElementsAre(3, 5, 4));
  const Tensor x = i64({8}, {0, 2, 1, 2, 0, 2, 1, 2});
  EXPECT_THAT(values(run_all("aten.topk", {x, integer(5)})[1]), ElementsAre(1, 7, 5, 3, 6));
  const Tensor y = i64({6}, {2, 1, 2, 1, 2, 1});
  EXPECT_THAT(values(run_all("aten.kthvalue", {y, integer(3)})[1]), ElementsAre(1));
}

TEST(Sort, IsUnstableFromSeventeenElements) {
  const Tensor x = Tensor::zeros(DType::f32, {17});
  EXPECT_THAT(values(run("aten.argsort", {x})),
              ElementsAre(8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1));
  const auto stable = values(run("aten.argsort.stable", {x, boolean(true)}));
  EXPECT_TRUE(std::ranges::is_sorted(stable));
  EXPECT_THAT(values(run_all("aten.mode", {x})[1]), ElementsAre(1));
}

TEST(Search, LeftAndRightOfEquals) {
  const Tensor sequence = f32({4}, {1, 2, 2, 3});
  const Tensor x = f32({4}, {0, 2, 3, 4});
  EXPECT_THAT(values(run("aten.searchsorted.Tensor", {sequence, x})), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(values(run("aten.searchsorted.Tensor", {sequence, x, boolean(false), boolean(true)})),
              ElementsAre(0, 3, 4, 4));
  EXPECT_THAT(values(run("aten.bucketize.Tensor", {x, sequence})), ElementsAre(0, 1, 3, 4));
}

TEST(Search, ThroughASorter) {
  const Tensor sequence = f32({3}, {3, 1, 2});
  EXPECT_THAT(
      values(run("aten.searchsorted.Tensor", {sequence, f32({1}, {2.5f}), boolean(true),
                                              boolean(false), none(), i64({3}, {1, 2, 0})})),
      ElementsAre(2));
}

TEST(Search, SidesThatContradictAreRefused) {
  EXPECT_THROW(run("aten.searchsorted.Tensor",
                   {f32({1}, {1}), f32({1}, {1}), boolean(false), boolean(true), text("left")}),
               Error);
}

}  // namespace
}  // namespace litz::ops
