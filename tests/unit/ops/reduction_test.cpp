// Reductions far from 0 and of nothing.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

// Half of the elements are 1 above the others.
Tensor steps_at(float offset, int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(offset + static_cast<float>(i % 2));
  return Tensor::of(DType::f32, {1, count}, std::span<const float>(values));
}

TEST(Variance, KeepsItsDigitsFarFromZero) {
  const Tensor x = steps_at(1e6F, 4096);
  EXPECT_THAT(values(run("aten.var.correction", {x, none(), integer(0)})), ElementsAre(0.25));
  EXPECT_THAT(values(run("aten.std.correction", {x, integers({1}), integer(0)})), ElementsAre(0.5));
}

TEST(Variance, NothingHasNone) {
  const Tensor nothing = Tensor::empty(DType::f32, {0, 1});
  const auto got = values(run("aten.var.correction", {nothing, integers({0}), integer(-1)}));
  EXPECT_TRUE(std::isnan(got[0]));
}

TEST(Variance, CorrectionsThatAreNoNumberLeaveNothing) {
  const auto got =
      values(run("aten.var.correction", {f32({2}, {1, 3}), none(), number(std::nan(""))}));
  EXPECT_TRUE(std::isinf(got[0]));
}

// 1 + 2^-8 is 1 in bf16, where elements are added; a mean is rounded at its end only.
TEST(Reductions, StatedDTypesComeFirst) {
  const Tensor x = f32({2}, {1.00390625F, -1});
  const auto sum = [&](const char* op, DType dtype) {
    return values(run(op, {x, ir::Attribute(dtype)}))[0];
  };
  EXPECT_EQ(sum("aten.sum", DType::bf16), 0);
  EXPECT_NE(sum("aten.sum", DType::f16), 0);
  EXPECT_EQ(sum("aten.mean", DType::bf16), 0.001953125);
  // 3 * 0.1 in f32 squared and added in f64.
  const Tensor norm = run("aten.linalg_vector_norm", {f32({1, 2}, {0.1F, 0.1F}), integer(2), none(),
                                                      boolean(false), ir::Attribute(DType::f64)});
  EXPECT_EQ(values(norm)[0], std::sqrt(2 * double{0.1F} * double{0.1F}));
}

TEST(Norms, OneElementDoesNotOverflow) {
  EXPECT_THAT(
      values(run("aten.linalg_vector_norm", {f32({2, 1}, {-1e30F, 2}), integer(2), integers({1})})),
      ElementsAre(1e30F, 2));
}

TEST(Norms, KeepTheirDigitsFarFromZero) {
  const Tensor x = steps_at(1e6F, 4096);
  const auto normalized =
      run_all("aten.native_layer_norm", {x, integers({4096}), none(), none(), number(0)});
  EXPECT_THAT(values(normalized[2]), Each(DoubleNear(2, 1e-6)));
  const Tensor image = x.view({1, 1, 4096}, {4096, 4096, 1}, 0);
  const auto group = values(run("aten.group_norm", {image, integer(1)}));
  EXPECT_THAT(group[0], DoubleNear(-1, 1e-4));
  EXPECT_THAT(group[1], DoubleNear(1, 1e-4));
}

TEST(Norms, SumsOfPowersOfNothingAreZero) {
  for (const double order : {2.0, -1.0, double{INFINITY}, -double{INFINITY}}) {
    EXPECT_EQ(values(run("aten.linalg__powsum", {f32({0, 2}, {}), number(order)})).at(0), 0);
  }
}

TEST(Reductions, WithoutIdentityWantElements) {
  const Tensor empty = Tensor::zeros(DType::f32, {0, 0});
  for (const char* op : {"aten.amax", "aten.amin"}) {
    EXPECT_THROW(run(op, {empty, integers({1})}), Error);
    EXPECT_THROW(run(op, {empty, integers({})}), Error);
  }
  for (const char* op : {"aten.max.dim", "aten.median.dim", "aten.mode"}) {
    EXPECT_THROW(run(op, {empty, integer(1)}), Error);
  }
  EXPECT_THROW(run("aten.linalg_vector_norm", {empty, number(INFINITY), integers({1})}), Error);
  EXPECT_THROW(run("aten.linalg_vector_norm", {empty, number(-1), integers({1})}), Error);
  EXPECT_EQ(run("aten.linalg_vector_norm", {empty, number(0.5), integers({1})}).numel(), 0);
  const Tensor rows = Tensor::zeros(DType::f32, {0, 3});
  EXPECT_EQ(run("aten.amax", {rows, integers({1})}).numel(), 0);
  EXPECT_THAT(values(run("aten.linalg_matrix_norm", {rows, number(INFINITY)})), ElementsAre(0));
}

TEST(Pad, TakesAwayWhatIsThere) {
  const Tensor x = f32({3}, {1, 2, 3});
  EXPECT_THAT(values(run("aten.constant_pad_nd", {x, integers({-2, 1})})), ElementsAre(3, 0));
  EXPECT_THROW(run("aten.constant_pad_nd", {x, integers({2, -4})}), Error);
}

}  // namespace
}  // namespace litz::ops
