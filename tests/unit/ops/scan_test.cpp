// Scans, differences and integrals.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Scan, SumsRunAlongTheDimension) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(values(run("aten.cumsum", {x, integer(0)})), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(values(run("aten.cumprod", {x, integer(-1)})), ElementsAre(1, 2, 3, 12));
}

TEST(Scan, SmallIntegersAddUpAsInt64) {
  const Tensor x = Tensor::of(DType::u8, {2}, std::initializer_list<uint8_t>{200, 200});
  const Tensor sums = run("aten.cumsum", {x, integer(0)});
  EXPECT_EQ(sums.dtype(), DType::i64);
  EXPECT_THAT(values(sums), ElementsAre(200, 400));
}

TEST(Scan, RunningExtremesTakeTheLastOfEquals) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto largest = run_all("aten.cummax", {f32({5}, {1, 1, 0, nan, 7}), integer(0)});
  EXPECT_THAT(values(largest[1]), ElementsAre(0, 1, 1, 3, 3));
  const auto smallest = run_all("aten.cummin", {f32({3}, {2, 3, 2}), integer(0)});
  EXPECT_THAT(values(smallest[0]), ElementsAre(2, 2, 2));
  EXPECT_THAT(values(smallest[1]), ElementsAre(0, 0, 2));
}

TEST(Scan, ExponentialsKeepInfinities) {
  const auto low = static_cast<float>(-kInf);
  EXPECT_THAT(values(run("aten.logcumsumexp", {f32({3}, {low, low, 0}), integer(0)})),
              ElementsAre(-kInf, -kInf, 0));
}

TEST(Diff, RepeatsAndJoins) {
  const Tensor x = i64({3}, {1, 4, 9});
  EXPECT_THAT(values(run("aten.diff", {x, integer(2)})), ElementsAre(2));
  EXPECT_THAT(values(run("aten.diff", {x, integer(1), integer(0), i64({1}, {0}), i64({1}, {9})})),
              ElementsAre(1, 3, 5, 0));
  EXPECT_THAT(values(run("aten.diff", {x, integer(0)})), ElementsAre(1, 4, 9));
  const Tensor none = run("aten.diff", {x, integer(std::numeric_limits<int64_t>::max())});
  EXPECT_EQ(none.sizes(), std::vector<int64_t>{0});
}

TEST(Integral, TrapezoidsOfAnyWidth) {
  const Tensor y = f32({3}, {1, 3, 5});
  EXPECT_THAT(values(run("aten.trapezoid.dx", {y, integer(2)})), ElementsAre(12));
  EXPECT_THAT(values(run("aten.cumulative_trapezoid.x", {y, f32({3}, {0, 1, 3})})),
              ElementsAre(2, 10));
  EXPECT_THAT(values(run("aten.trapezoid.dx", {i64({2, 0}, {})})), ElementsAre(0, 0));
}

TEST(Gradient, EdgesOfFirstAndSecondOrder) {
  const Tensor x = f32({4}, {0, 1, 4, 9});
  EXPECT_THAT(values(run("aten.gradient.scalarint", {x})), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(values(run("aten.gradient.scalarint", {x, number(2), none(), integer(2)})),
              ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace litz::ops
