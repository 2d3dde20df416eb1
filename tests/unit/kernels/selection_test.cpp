// Functions whose result sizes depend on data.

#include <limits>

#include <gtest/gtest.h>

#include "library_call.h"

namespace litz::kernels {
namespace {

std::vector<int64_t> values(const Tensor& tensor) {
  std::vector<int64_t> result;
  const Tensor dense = tensor.to(DType::i64).contiguous();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    result.push_back(reinterpret_cast<const int64_t*>(dense.data())[i]);
  }
  return result;
}

using Values = std::vector<int64_t>;

TEST(Selection, NonzeroListsCoordinatesInOrder) {
  const Tensor flags = Tensor::of<int64_t>(DType::i64, {2, 3}, {0, 5, 0, 1, 0, -1});
  const Tensor result = call_library("nonzero", {flags}, {Tensor()})[0];
  EXPECT_EQ(result.sizes(), (Values{3, 2}));
  EXPECT_EQ(values(result), (Values{0, 1, 1, 0, 1, 2}));
  const Tensor scalar = call_library("nonzero", {Tensor::scalar(DType::f32, 2)}, {Tensor()})[0];
  EXPECT_EQ(scalar.sizes(), (Values{1, 0}));
}

TEST(Selection, UniqueSortsAndCounts) {
  const Tensor self = Tensor::of<int64_t>(DType::i64, {2, 3}, {3, 1, 3, 2, 1, 3});
  const auto results =
      call_library("unique", {self, true, true, true}, {Tensor(), Tensor(), Tensor()});
  EXPECT_EQ(values(results[0]), (Values{1, 2, 3}));
  EXPECT_EQ(values(results[1]), (Values{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(results[1].sizes(), (Values{2, 3}));
  EXPECT_EQ(values(results[2]), (Values{2, 1, 3}));
}

TEST(Selection, EveryNaNIsDistinctAndLast) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor self = Tensor::of<double>(DType::f64, {4}, {nan, 1, nan, 0});
  const auto results =
      call_library("unique", {self, true, false, true}, {Tensor(), Tensor(), Tensor()});
  EXPECT_EQ(values(results[2]), (Values{1, 1, 1, 1}));
  EXPECT_EQ(results[0].at({1}), 1);
}

TEST(Selection, RunsStayInPlace) {
  const Tensor self = Tensor::of<int64_t>(DType::i64, {5}, {2, 2, 1, 2, 2});
  const auto results = call_library("unique_runs", {self, true, true, std::monostate()},
                                    {Tensor(), Tensor(), Tensor()});
  EXPECT_EQ(values(results[0]), (Values{2, 1, 2}));
  EXPECT_EQ(values(results[1]), (Values{0, 0, 1, 2, 2}));
  EXPECT_EQ(values(results[2]), (Values{2, 1, 2}));
}

TEST(Selection, UniqueLinesComparesWholeColumns) {
  const Tensor self = Tensor::of<int64_t>(DType::i64, {2, 3}, {2, 1, 2, 4, 3, 4});
  const auto results = call_library("unique_lines", {self, int64_t{1}, true, true, true},
                                    {Tensor(), Tensor(), Tensor()});
  EXPECT_EQ(results[0].sizes(), (Values{2, 2}));
  EXPECT_EQ(values(results[0]), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values(results[1]), (Values{1, 0, 1}));
}

TEST(Selection, BincountCountsOrAddsWeights) {
  const Tensor self = Tensor::of<int64_t>(DType::i64, {4}, {1, 3, 1, 0});
  EXPECT_EQ(values(call_library("bincount", {self, std::monostate(), int64_t{0}}, {Tensor()})[0]),
            (Values{1, 2, 0, 1}));
  const Tensor weights = Tensor::of<float>(DType::f32, {4}, {1, 2, 3, 4});
  const Tensor sums = call_library("bincount", {self, weights, int64_t{6}}, {Tensor()})[0];
  EXPECT_EQ(values(sums), (Values{4, 4, 0, 2, 0, 0}));
  EXPECT_EQ(sums.dtype(), DType::f32);
}

TEST(Selection, BincountRefusesNumbersWithoutABin) {
  for (const int64_t number : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    const Tensor self = Tensor::of<int64_t>(DType::i64, {1}, {number});
    EXPECT_THROW(call_library("bincount", {self, std::monostate(), int64_t{0}}, {Tensor()}), Error);
  }
}

TEST(Selection, RepeatInterleaveListsPositions) {
  const Tensor repeats = Tensor::of<int64_t>(DType::i64, {3}, {2, 0, 1});
  const Tensor result =
      call_library("repeat_interleave", {repeats, std::monostate()}, {Tensor()})[0];
  EXPECT_EQ(values(result), (Values{0, 0, 2}));
}

}  // namespace
}  // namespace litz::kernels
