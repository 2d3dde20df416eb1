#include "types/compare.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor floats(std::vector<int64_t> sizes, std::initializer_list<float> values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), values);
}

TEST(Compare, EqualTensors) {
  Comparison result = compare(floats({2}, {1, kNaN}), floats({2}, {1, kNaN}), 0, 0);
  EXPECT_TRUE(result.matches());
  EXPECT_EQ(result.worst_absolute, 0);
  EXPECT_EQ(result.message(), "all 2 elements equal");
}

TEST(Compare, ReportsTheWorstElement) {
  Comparison result =
      compare(floats({2, 2}, {1, 2, 3, 4.5F}), floats({2, 2}, {1, 2.25F, 3, 4}), 0, 0.3);
  EXPECT_FALSE(result.matches());
  EXPECT_EQ(result.mismatch_count, 1);
  EXPECT_EQ(result.worst_absolute, 0.5);
  EXPECT_EQ(result.worst_relative(), 0.125);
  EXPECT_EQ(result.worst_index, (std::vector<int64_t>{1, 1}));
  EXPECT_THAT(result.message(),
              HasSubstr("1 of 4 elements differ; worst at [1, 1]: 4.5, expected 4"));
}

TEST(Compare, ToleranceIsRelativeToTheExpectedElement) {
  EXPECT_TRUE(compare(floats({1}, {101}), floats({1}, {100}), 0.01, 0).values_match());
  EXPECT_FALSE(compare(floats({1}, {102}), floats({1}, {100}), 0.01, 0).values_match());
  EXPECT_TRUE(compare(floats({1}, {102}), floats({1}, {100}), 0.01, 1).values_match());
}

TEST(Compare, NonFiniteValuesMatchOnlyThemselves) {
  EXPECT_TRUE(compare(floats({1}, {kInfinity}), floats({1}, {kInfinity}), 0, 0).matches());
  for (auto [actual, expected] : {std::pair(kInfinity, -kInfinity),
                                  {1.F, kInfinity},
                                  {kInfinity, 1.F},
                                  {kNaN, 1.F},
                                  {1.F, kNaN},
                                  {kNaN, kInfinity}}) {
    Comparison result = compare(floats({1}, {actual}), floats({1}, {expected}), 1, 1e30);
    EXPECT_EQ(result.mismatch_count, 1) << actual << ' ' << expected;
    EXPECT_EQ(result.worst_absolute, kInfinity);
  }
}

TEST(Compare, IntegersAndBooleansAreExact) {
  int64_t large = (int64_t{1} << 62);
  Comparison result = compare(Tensor::scalar_int(DType::i64, large + 1),
                              Tensor::scalar_int(DType::i64, large), 1, 100);
  EXPECT_EQ(result.mismatch_count, 1);
  EXPECT_EQ(result.worst_absolute, 1);
  EXPECT_THAT(result.message(), HasSubstr("4611686018427387905, expected 4611686018427387904"));
  EXPECT_FALSE(compare(Tensor::of<bool>(DType::bool_, {1}, {true}),
                       Tensor::of<bool>(DType::bool_, {1}, {false}), 1, 1)
                   .matches());
}

TEST(Compare, ComplexErrorIsADistance) {
  using Complex = std::complex<float>;
  Comparison result = compare(Tensor::of<Complex>(DType::c64, {1}, {Complex(4, 5)}),
                              Tensor::of<Complex>(DType::c64, {1}, {Complex(1, 1)}), 0, 0);
  EXPECT_EQ(result.worst_absolute, 5);
  Comparison same_nan = compare(Tensor::of<Complex>(DType::c64, {1}, {Complex(kNaN, 5)}),
                                Tensor::of<Complex>(DType::c64, {1}, {Complex(kNaN, 5)}), 0, 0);
  EXPECT_TRUE(same_nan.matches());
}

TEST(Compare, OtherDtypesOrSizesAreReported) {
  Comparison dtype =
      compare(floats({1}, {1}), Tensor::scalar(DType::f64, 1).view({1}, {1}, 0), 0, 0);
  EXPECT_FALSE(dtype.matches());
  EXPECT_TRUE(dtype.values_match());
  EXPECT_THAT(dtype.message(), HasSubstr("dtype f32 is not the expected f64"));
  Comparison sizes = compare(floats({2, 1}, {1, 2}), floats({2}, {1, 2}), 0, 0);
  EXPECT_FALSE(sizes.matches());
  EXPECT_EQ(sizes.message(), "sizes [2, 1] are not the expected [2]");
}

TEST(Compare, StridedSidesAndEmptyTensors) {
  Tensor base = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  Tensor transposed = base.view({3, 2}, {1, 3}, 0);
  EXPECT_TRUE(compare(transposed, floats({3, 2}, {0, 3, 1, 4, 2, 5}), 0, 0).matches());
  EXPECT_TRUE(compare(floats({0}, {}), floats({0}, {}), 0, 0).matches());
  EXPECT_THROW(compare(base, base, -1, 0), Error);
}

}  // namespace
}  // namespace litz
