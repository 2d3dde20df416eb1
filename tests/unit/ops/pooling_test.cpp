// Windows at the edges of images: padding, rounding up, NaN, divisors.

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
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor line(std::initializer_list<float> values) {
  return f32({1, 1, static_cast<int64_t>(values.size())}, values);
}

Sizes sizes_of(const ir::ValueType& type) { return std::get<TensorType>(type).sizes; }

TEST(MaxPool, RoundsTheNumberOfWindowsUpOnlyInCeilMode) {
  const Tensor x = line({1, 2, 3, 4});
  const auto run_it = [&](bool ceil_mode) {
    return values(run("aten.max_pool1d", {x, integers({3}), integers({2}), integers({0}),
                                          integers({1}), boolean(ceil_mode)}));
  };
  EXPECT_THAT(run_it(false), ElementsAre(3));
  EXPECT_THAT(run_it(true), ElementsAre(3, 4));
}

TEST(MaxPool, ALastWindowMustStartInsideTheImageOrItsLeftPadding) {
  // Rounding up alone would give a third window that starts at 4, beyond 3 + 1.
  const auto types = infer("aten.max_pool1d", {line({1, 2, 3}), integers({2}), integers({2}),
                                               integers({1}), integers({1}), boolean(true)});
  EXPECT_EQ(sizes_of(types[0])[2], Expr(2));
}

TEST(MaxPool, PaddingIsLessThanEverything) {
  const auto results = run_all("aten.max_pool1d_with_indices",
                               {line({-5, -7, -6}), integers({2}), integers({2}), integers({1})});
  EXPECT_THAT(values(results[0]), ElementsAre(-5, -6));
  EXPECT_THAT(values(results[1]), ElementsAre(0, 2));
}

TEST(MaxPool, TheFirstOfEqualsAndTheLastNanAreFound) {
  const auto results = run_all("aten.max_pool1d_with_indices",
                               {line({2, 2, 1, kNan, kNan, 9}), integers({3}), integers({3})});
  EXPECT_EQ(values(results[0])[0], 2);
  EXPECT_TRUE(std::isnan(values(results[0])[1]));
  EXPECT_THAT(values(results[1]), ElementsAre(0, 4));
}

TEST(MaxPool, AWindowOfMinusInfinityPointsIntoTheImage) {
  const float low = static_cast<float>(-kInf);
  const auto results = run_all("aten.max_pool1d_with_indices",
                               {line({low, low}), integers({2}), integers({2}), integers({1})});
  EXPECT_THAT(values(results[1]), ElementsAre(0, 1));
}

TEST(MaxPool, PositionsCountWholeImages) {
  const Tensor x = f32({1, 2, 3}, {1, 5, 2, 7, 0, 9});
  const auto results =
      run_all("aten.max_pool2d_with_indices", {x, integers({2, 2}), integers({1})});
  EXPECT_THAT(values(results[0]), ElementsAre(7, 9));
  EXPECT_THAT(values(results[1]), ElementsAre(3, 5));
}

TEST(MaxPool, TooMuchPaddingIsRefused) {
  EXPECT_THROW(
      run("aten.max_pool1d", {line({1, 2, 3}), integers({2}), integers({2}), integers({2})}),
      Error);
}

TEST(MaxPool, GradientsGoWhereTheMaximaWere) {
  const Tensor grad = f32({1, 1, 2}, {10, 20});
  const Tensor self = f32({1, 2, 2}, {1, 2, 3, 4});
  const Tensor indices = Tensor::of(DType::i64, {1, 1, 2}, std::initializer_list<int64_t>{3, 3});
  EXPECT_THAT(values(run("aten.max_pool2d_with_indices_backward",
                         {grad, self, integers({2, 1}), integers({1, 1}), integers({0, 0}),
                          integers({1, 1}), boolean(false), indices})),
              ElementsAre(0, 0, 0, 30));
}

TEST(AvgPool, CountsPaddingWhenAsked) {
  const auto run_it = [&](bool counts) {
    return values(
        run("aten.avg_pool2d", {f32({1, 1, 3}, {2, 4, 6}), integers({1, 2}), integers({1, 2}),
                                integers({0, 1}), boolean(true), boolean(counts)}));
  };
  EXPECT_THAT(run_it(true), ElementsAre(1, 5));
  EXPECT_THAT(run_it(false), ElementsAre(2, 5));
}

TEST(AvgPool, WindowsBeyondThePaddingCountLess) {
  // The second window covers one element; what lies beyond is no padding.
  EXPECT_THAT(values(run("aten.avg_pool2d", {f32({1, 1, 3}, {2, 4, 6}), integers({1, 2}),
                                             integers({1, 2}), integers({0, 0}), boolean(true)})),
              ElementsAre(3, 6));
}

TEST(AvgPool, TakesAnyDivisorButZero) {
  const Tensor x = f32({1, 1, 2}, {2, 4});
  const auto pool = [&](int64_t divisor) {
    return values(run("aten.avg_pool2d", {x, integers({1, 2}), integers({1, 2}), integers({0, 0}),
                                          boolean(false), boolean(true), integer(divisor)}));
  };
  EXPECT_THAT(pool(4), ElementsAre(1.5));
  EXPECT_THROW(pool(0), Error);
}

TEST(AvgPool, GradientsAreSharedOutOverWindows) {
  const Tensor grad = f32({1, 1, 2}, {2, 6});
  const Tensor self = f32({1, 1, 4}, {0, 0, 0, 0});
  EXPECT_THAT(values(run("aten.avg_pool2d_backward",
                         {grad, self, integers({1, 2}), integers({1, 2}), integers({0, 0}),
                          boolean(false), boolean(true), none()})),
              ElementsAre(1, 1, 3, 3));
}

TEST(AvgPool, IntegersDivideTowardsZero) {
  EXPECT_THAT(
      values(run("aten.avg_pool2d_backward",
                 {i64({1, 1, 1}, {-7}), i64({1, 1, 2}, {1, 1}), integers({1, 2}), integers({1, 2}),
                  integers({0, 0}), boolean(false), boolean(true), none()})),
      ElementsAre(-3, -3));
  EXPECT_THAT(values(run("aten.avg_pool2d", {i64({1, 1, 2}, {-2, -3}), integers({1, 2})})),
              ElementsAre(-2));
}

}  // namespace
}  // namespace litz::ops
