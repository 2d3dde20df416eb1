// Views: their types, and what they show.

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<int64_t>;

TestArgument dtype(DType type) { return ir::Attribute(type); }

TEST(ViewDtype, ShowsBytesAsOtherElements) {
  const Tensor ones = f32({2, 1}, {1, -1});
  const Tensor bits = run("aten.view.dtype", {ones, dtype(DType::i32)});
  EXPECT_THAT(values(bits), ElementsAre(0x3f800000, -0x40800000));
  const Tensor halves = run("aten.view.dtype", {ones, dtype(DType::i16)});
  EXPECT_EQ(halves.sizes(), (Numbers{2, 2}));
  EXPECT_THAT(values(halves), ElementsAre(0, 0x3f80, 0, -0x4080));
  const Tensor pairs = run("aten.view.dtype", {f32({2, 2}, {1, 2, 3, 4}), dtype(DType::c64)});
  EXPECT_EQ(pairs.sizes(), (Numbers{2, 1}));
  EXPECT_THAT(values(run("aten.imag", {pairs})), ElementsAre(2, 4));
}

TEST(ViewDtype, LargerElementsMustFit) {
  EXPECT_THROW(run("aten.view.dtype", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), dtype(DType::f64)}), Error);
  EXPECT_THROW(run("aten.view.dtype", {f32({}, {1}), dtype(DType::i16)}), Error);
  const Tensor turned = f32({2, 3}, {1, 2, 3, 4, 5, 6}).view({3, 2}, {1, 3}, 0);
  EXPECT_THROW(run("aten.view.dtype", {turned, dtype(DType::i16)}), Error);
  EXPECT_EQ(run("aten.view.dtype", {turned, dtype(DType::i32)}).strides(), (Numbers{1, 3}));
}

TEST(Triangles, MayBeginAnywhere) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  for (const int64_t far : {int64_t{9}, std::numeric_limits<int64_t>::max()}) {
    EXPECT_THAT(values(run("aten.triu", {x, integer(far)})), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(values(run("aten.tril", {x, integer(far)})), ElementsAre(1, 2, 3, 4));
  }
}

TEST(BoolSums, AreAnyAndAll) {
  const Tensor x = f32({2, 2}, {2, 0, 0.5F, 3});
  EXPECT_THAT(
      values(run("aten.prod.dim_int", {x, integer(1), boolean(false), dtype(DType::bool_)})),
      ElementsAre(0, 1));
  EXPECT_THAT(
      values(run("aten.sum.dim_IntList", {x, integers({0}), boolean(false), dtype(DType::bool_)})),
      ElementsAre(1, 1));
}

TEST(Vander, FallsUnlessIncreasing) {
  const Tensor x = i64({2}, {2, 3});
  EXPECT_THAT(values(run("aten.vander", {x, integer(3)})), ElementsAre(4, 2, 1, 9, 3, 1));
  EXPECT_THAT(values(run("aten.vander", {x, none(), boolean(true)})), ElementsAre(1, 2, 1, 3));
  const Tensor one = run("aten.linalg_vander", {f32({}, {2}), integer(3)});
  EXPECT_EQ(one.sizes(), (Numbers{1, 3}));
  EXPECT_THAT(values(one), ElementsAre(1, 2, 4));
  EXPECT_THROW(run("aten.linalg_vander", {f32({}, {2})}), Error);
}

TEST(AsStrided, RefusesToLeadBackward) {
  EXPECT_THROW(run("aten.as_strided", {f32({4}, {1, 2, 3, 4}), integers({2}), integers({-1})}),
               Error);
  EXPECT_THROW(run("aten.as_strided", {f32({4}, {1, 2, 3, 4}), integers({-2}), integers({1})}),
               Error);
  EXPECT_THROW(
      run("aten.as_strided", {f32({4}, {1, 2, 3, 4}), integers({2}), integers({1}), integer(-1)}),
      Error);
}

TEST(ViewsByData, LieWhereNumbersSay) {
  const Tensor x = f32({3, 2}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(values(run("aten.narrow.Tensor", {x, integer(0), i64({}, {-2}), integer(2)})),
            (std::vector<double>{2, 3, 4, 5}));
  // Places count from the end where they are negative, and are clamped.
  const std::vector<Tensor> parts =
      run_all("aten.tensor_split.tensor_indices_or_sections", {x, i64({3}, {-1, 1, 7})});
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(values(parts[0]), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(parts[1].sizes(), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(values(parts[2]), (std::vector<double>{2, 3, 4, 5}));
  EXPECT_EQ(parts[3].sizes(), (std::vector<int64_t>{0, 2}));
}

}  // namespace
}  // namespace litz::ops
