// Positions of extremes, medians, modes.

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ArgReduction, TakesTheFirstOfEqualsAndNanFirst) {
  EXPECT_THAT(values(run("aten.argmax", {f32({4}, {1, 3, 3, 2})})), ElementsAre(1));
  EXPECT_THAT(values(run("aten.argmin", {f32({3}, {1, kNan, 0})})), ElementsAre(1));
  EXPECT_THAT(values(run("aten.argmax", {i64({2, 2}, {1, 2, 4, 3}), integer(1)})),
              ElementsAre(1, 0));
  EXPECT_THROW(run("aten.argmax", {f32({0}, {})}), Error);
}

TEST(ArgReduction, ExtremesComeWithPositions) {
  const auto smallest = run_all("aten.min.dim", {f32({2, 2}, {4, 3, 1, 2}), integer(0)});
  EXPECT_THAT(values(smallest[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(smallest[1]), ElementsAre(1, 1));
}

TEST(Median, IsTheLowerOfTwo) {
  EXPECT_THAT(values(run("aten.median", {f32({4}, {4, 1, 3, 2})})), ElementsAre(2));
  const auto along = run_all("aten.median.dim", {f32({2, 3}, {3, 1, 2, 4, 6, 5}), integer(1)});
  EXPECT_THAT(values(along[0]), ElementsAre(2, 5));
  EXPECT_THAT(values(along[1]), ElementsAre(2, 2));
}

TEST(Median, NanCountsUnlessLeftOut) {
  const Tensor x = f32({4}, {kNan, 1, 3, 2});
  EXPECT_TRUE(std::isnan(values(run("aten.median", {x}))[0]));
  EXPECT_THAT(values(run("aten.nanmedian", {x})), ElementsAre(2));
  EXPECT_TRUE(std::isnan(values(run("aten.nanmedian", {f32({1}, {kNan})}))[0]));
  EXPECT_TRUE(std::isnan(values(run("aten.median", {f32({0}, {})}))[0]));
  EXPECT_THAT(values(run("aten.nanmedian", {Tensor::zeros(DType::i8, {0})})), ElementsAre(0));
  EXPECT_THAT(values(run("aten.median", {Tensor::zeros(DType::bool_, {0})})), ElementsAre(1));
}

// The selection that PyTorch uses leaves these positions first.
TEST(Median, OfNanOnlyIsWhereSelectionLeavesOne) {
  constexpr std::array kPlaces{0, 0, 0, 2, 2, 3, 5, 6};
  for (size_t n = 1; n <= kPlaces.size(); ++n) {
    const std::vector<float> nans(n, kNan);
    const Tensor x = Tensor::of<float>(DType::f32, {static_cast<int64_t>(n)}, nans);
    const auto found = run_all("aten.nanmedian.dim", {x, integer(0)});
    EXPECT_TRUE(std::isnan(values(found[0])[0]));
    EXPECT_THAT(values(found[1]), ElementsAre(kPlaces[n - 1])) << n;
  }
}

TEST(Mode, IsTheSmallestOfTheMostFrequent) {
  const auto found = run_all("aten.mode", {i64({5}, {3, 1, 3, 1, 2})});
  EXPECT_THAT(values(found[0]), ElementsAre(1));
  EXPECT_THAT(values(found[1]), ElementsAre(3));
}

}  // namespace
}  // namespace litz::ops
