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

TEST(Resample, WantsSizesOrFactors) {
  EXPECT_THROW(run("aten.upsample_nearest1d.vec", {line({1, 2}), none(), none()}), Error);
}

}  // namespace
}  // namespace litz::ops
