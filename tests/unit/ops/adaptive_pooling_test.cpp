// Windows that divide an image, and maxima put back.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

TEST(AdaptivePool, WindowsOverlapWhereSizesDoNotDivide) {
  const Tensor x = f32({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_THAT(values(run("aten.adaptive_avg_pool1d", {x, integers({2})})), ElementsAre(2, 4));
  const auto largest = run_all("aten.adaptive_max_pool1d", {x, integers({3})});
  EXPECT_THAT(values(largest[0]), ElementsAre(2, 4, 5));
  EXPECT_THAT(values(largest[1]), ElementsAre(1, 3, 4));
}

TEST(AdaptivePool, MoreWindowsThanElementsRepeatThem) {
  const Tensor x = f32({1, 1, 2}, {1, 2});
  EXPECT_THAT(values(run("aten.adaptive_avg_pool1d", {x, integers({3})})), ElementsAre(1, 1.5, 2));
}

TEST(AdaptivePool, OneWindowIsTheMean) {
  const Tensor x = f32({1, 2, 2}, {1, 2, 3, 6});
  EXPECT_THAT(values(run("aten.adaptive_avg_pool2d", {x, integers({1, 1})})), ElementsAre(3));
}

TEST(AdaptivePool, OneWindowIsTheMeanOfAnyDimensions) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 6});
  const Tensor mean = run("aten.adaptive_avg_pool2d", {x, integers({1, 1})});
  EXPECT_EQ(mean.sizes(), (std::vector<int64_t>{1, 1}));
  EXPECT_THAT(values(mean), ElementsAre(3));
  EXPECT_THROW(run("aten.adaptive_avg_pool2d", {x, integers({2, 2})}), Error);
  EXPECT_THROW(run("aten._adaptive_avg_pool2d", {x, integers({1, 1})}), Error);
}

TEST(AdaptivePool, GradientsAreSharedOutOverWindows) {
  // Windows of three over five elements; the third lies in both.
  EXPECT_THAT(values(run("aten._adaptive_avg_pool2d_backward",
                         {f32({1, 1, 2}, {3, 6}), f32({1, 1, 5}, {0, 0, 0, 0, 0})})),
              ElementsAre(1, 1, 3, 2, 2));
}

TEST(AdaptivePool, NanWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto largest =
      run_all("aten.adaptive_max_pool2d", {f32({1, 1, 4}, {nan, 3, 1, 2}), integers({1, 2})});
  EXPECT_TRUE(std::isnan(values(largest[0])[0]));
  EXPECT_THAT(values(largest[1]), ElementsAre(0, 3));
}

TEST(FractionalPool, WindowsFollowTheRandomNumber) {
  const Tensor x = f32({1, 1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor samples = f32({1, 1, 2}, {0, 0});
  const auto largest =
      run_all("aten.fractional_max_pool2d", {x, integers({1, 2}), integers({1, 3}), samples});
  EXPECT_THAT(values(largest[0]), ElementsAre(2, 3, 5));
  EXPECT_THAT(values(largest[1]), ElementsAre(1, 2, 4));
}

TEST(Unpool, PutsElementsBackAndChecksPlaces) {
  const Tensor x = f32({1, 1, 2}, {5, 6});
  EXPECT_THAT(values(run("aten.max_unpool2d", {x, i64({1, 1, 2}, {3, 0}), integers({2, 2})})),
              ElementsAre(6, 0, 0, 5));
  EXPECT_THROW(run("aten.max_unpool2d", {x, i64({1, 1, 2}, {4, 0}), integers({2, 2})}), Error);
  EXPECT_THAT(values(run("aten.max_unpool2d", {x, i64({1, 1, 2}, {3, 0}), integers({4, 0})})),
              ::testing::IsEmpty());
}

TEST(AdaptivePooling, TheMeanOfNothingIsNan) {
  const Tensor mean =
      run("aten.adaptive_avg_pool1d", {Tensor::zeros(DType::f32, {2, 0}), integers({1})});
  EXPECT_EQ(mean.sizes(), (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(std::isnan(mean.at({0, 0})));
  EXPECT_THROW(
      run("aten._adaptive_avg_pool2d", {Tensor::zeros(DType::f32, {2, 0, 3}), integers({1, 1})}),
      Error);
}

}  // namespace
}  // namespace litz::ops
