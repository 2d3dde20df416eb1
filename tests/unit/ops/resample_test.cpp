// Which input places an output of another size reads.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

Tensor line(std::initializer_list<float> values) {
  return f32({1, 1, static_cast<int64_t>(values.size())}, values);
}

TestArgument factors(double factor) { return ir::Attribute(ir::Scalars{Expr::real(factor)}); }

TEST(Nearest, FactorsMapByThemselves) {
  // Ratio 4 / 2 would read 0 and 2; the factor 0.6 reads floor(1 / 0.6).
  const Tensor x = line({0, 1, 2, 3});
  EXPECT_THAT(values(run("aten.upsample_nearest1d.vec", {x, integers({2}), none()})),
              ElementsAre(0, 2));
  EXPECT_THAT(values(run("aten.upsample_nearest1d.vec", {x, none(), factors(0.6)})),
              ElementsAre(0, 1));
}

TEST(Nearest, ExactTakesTheCentre) {
  const Tensor x = line({0, 1, 2, 3, 4});
  EXPECT_THAT(values(run("aten.upsample_nearest1d", {x, integers({2})})), ElementsAre(0, 2));
  EXPECT_THAT(values(run("aten._upsample_nearest_exact1d", {x, integers({2})})), ElementsAre(1, 3));
}

TEST(Linear, CornersOrCentres) {
  const Tensor x = line({0, 4});
  EXPECT_THAT(values(run("aten.upsample_linear1d", {x, integers({4}), boolean(false)})),
              ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(values(run("aten.upsample_linear1d", {x, integers({3}), boolean(true)})),
              ElementsAre(0, 2, 4));
}

TEST(Cubic, KeepsAConstantImage) {
  const Tensor x = f32({1, 1, 2, 2}, {3, 3, 3, 3});
  for (const double value :
       values(run("aten.upsample_bicubic2d", {x, integers({5, 3}), boolean(false)}))) {
    EXPECT_NEAR(value, 3, 1e-5);
  }
}

TEST(Antialias, AveragesWhatItShrinks) {
  const Tensor x = f32({1, 1, 1, 4}, {0, 0, 4, 4});
  const std::vector<double> got =
      values(run("aten._upsample_bilinear2d_aa", {x, integers({1, 1}), boolean(false)}));
  EXPECT_NEAR(got[0], 2, 1e-6);
}

TEST(Antialias, CopiesDimensionsThatKeepTheirSize) {
  const Tensor x = f32({1, 1, 1, 4}, {0, 1, 2, 3});
  const auto resize = [&](int64_t size, double factor) {
    return values(run("aten._upsample_bilinear2d_aa",
                      {x, integers({1, size}), boolean(false), none(), number(factor)}));
  };
  EXPECT_THAT(resize(4, 0.5), ElementsAre(0, 1, 2, 3));
  // The factor moves the last window out of the image.
  EXPECT_THAT(resize(3, 0.25), ElementsAre(1.5, 2.75, 0));
}

TEST(Nearest, FactorsOfKeptSizesDependOnTheKernel) {
  const Tensor x = f32({1, 1, 1, 4}, {0, 1, 2, 3});
  const auto resize = [&](std::string_view op) {
    return values(run(op, {x, integers({1, 4}), none(), number(0.5)}));
  };
  EXPECT_THAT(resize("aten.upsample_nearest2d"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(resize("aten._upsample_nearest_exact2d"), ElementsAre(1, 3, 3, 3));
  EXPECT_THAT(
      values(run("aten.upsample_nearest1d", {line({0, 1, 2, 3}), integers({4}), number(0.5)})),
      ElementsAre(0, 2, 3, 3));
}

TEST(Linear, KeptSizesWeighTheNeighbourWithZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto got = values(
      run("aten.upsample_linear1d", {line({1, infinity, 3}), integers({3}), boolean(false)}));
  EXPECT_EQ(got[0], 1);
  EXPECT_TRUE(std::isnan(got[1]));
}

TEST(LinearBackward, InfinitiesReachOnlyThePlacesThatWereRead) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      values(run("aten.upsample_linear1d_backward", {line({1, 1, infinity, 1, 1, 1}), integers({6}),
                                                     integers({1, 1, 3}), boolean(false)})),
      ElementsAre(infinity, infinity, 2));
}

// As PyTorch 2.15 gives them on CPUs.
TEST(Resample, BytesAreWeighedInFixedPoint) {
  const Tensor x = Tensor::of<uint8_t>(DType::u8, {1, 1, 1, 5}, {10, 20, 60, 250, 0});
  const auto resize = [&](std::string_view op, int64_t height, int64_t width) {
    return values(run(op, {x, integers({height, width}), boolean(false)}));
  };
  EXPECT_THAT(resize("aten.upsample_bilinear2d", 1, 3), ElementsAre(13, 60, 83));
  EXPECT_THAT(resize("aten.upsample_bicubic2d", 1, 8),
              ElementsAre(9, 11, 22, 28, 133, 251, 123, 0));
  EXPECT_THAT(resize("aten._upsample_bilinear2d_aa", 2, 3), ElementsAre(14, 93, 107, 14, 93, 107));
  EXPECT_THAT(resize("aten._upsample_bicubic2d_aa", 1, 3), ElementsAre(7, 101, 111));
}

TEST(Resample, WantsSizesOrFactors) {
  EXPECT_THROW(run("aten.upsample_nearest1d.vec", {line({1, 2}), none(), none()}), Error);
}

}  // namespace
}  // namespace litz::ops
