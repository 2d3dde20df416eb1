// Points of a grid: padding modes, corners, far points.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

double sample(float x, int64_t interpolation, int64_t padding, bool align_corners) {
  return values(run("aten.grid_sampler_2d",
                    {f32({1, 1, 1, 4}, {1, 2, 3, 4}), f32({1, 1, 1, 2}, {x, 0}),
                     integer(interpolation), integer(padding), boolean(align_corners)}))[0];
}

TEST(GridSample, CornersAreEndsOrEdges) {
  EXPECT_EQ(sample(-1, 0, 0, true), 1);
  EXPECT_EQ(sample(-1, 0, 0, false), 0.5);
  EXPECT_EQ(sample(0, 0, 0, true), 2.5);
}

TEST(GridSample, OutsideByPadding) {
  EXPECT_EQ(sample(3, 0, 0, true), 0);
  EXPECT_EQ(sample(3, 0, 1, true), 4);
  EXPECT_EQ(sample(1.5f, 1, 2, false), 3);  // 4.5 folds to 2.5, which rounds to even.
  EXPECT_TRUE(std::isnan(sample(std::numeric_limits<float>::infinity(), 0, 0, true)));
  EXPECT_EQ(sample(std::numeric_limits<float>::quiet_NaN(), 1, 0, true), 0);
  EXPECT_EQ(sample(std::numeric_limits<float>::quiet_NaN(), 0, 1, true), 1);
  EXPECT_EQ(sample(1e30f, 1, 1, true), 4);
}

TEST(GridSample, PointsOfVolumesThatAreNoneAreTheLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor volume = f32({1, 1, 1, 1, 4}, {1, 2, 3, 4});
  const Tensor point = f32({1, 1, 1, 1, 3}, {nan, 0, 0});
  const auto sampled = [&](int64_t padding) {
    return values(run("aten.grid_sampler_3d",
                      {volume, point, integer(0), integer(padding), boolean(false)}))[0];
  };
  EXPECT_EQ(sampled(0), 0);
  EXPECT_EQ(sampled(1), 4);
  EXPECT_EQ(sampled(2), 4);
}

TEST(GridSample, VolumesAreCubicAlongEachDimension) {
  const Tensor volume = f32({1, 1, 2, 1, 4}, {1, 2, 4, 8, 1, 2, 4, 8});
  const Tensor point = f32({1, 1, 1, 1, 3}, {0.25F, 0, 0});
  const auto sampled = [&](int64_t padding) {
    return values(run("aten.grid_sampler_3d",
                      {volume, point, integer(2), integer(padding), boolean(true)}))[0];
  };
  // Values of PyTorch.
  EXPECT_NEAR(sampled(1), 3.51416015625, 1e-5);
  EXPECT_NEAR(sampled(0), 4.173065185546875, 1e-5);
}

TEST(AffineGrid, IdentityGivesTheCentres) {
  const Tensor theta = f32({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  EXPECT_THAT(
      values(run("aten.affine_grid_generator", {theta, integers({1, 1, 1, 2}), boolean(false)})),
      ElementsAre(-0.5, 0, 0.5, 0));
}

}  // namespace
}  // namespace litz::ops
