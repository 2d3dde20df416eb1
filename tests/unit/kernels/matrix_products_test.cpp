// Matrix products against sums written out, over shapes, layouts and element types.

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include "library_call.h"
#include "types/fill.h"

namespace litz::kernels {
namespace {

/// One two-dimensional matrix in a layout: the values lie transposed, or with gaps.
enum class Lie { straight, transposed, gaps };

Tensor matrix(DType dtype, int64_t rows, int64_t columns, uint64_t seed, Lie lie) {
  const Tensor values = is_integer(dtype) ? fill_integers(dtype, {rows, columns}, seed, 100)
                                          : fill_floats(dtype, {rows, columns}, seed, 1, 0);
  switch (lie) {
    case Lie::straight:
      return values;
    case Lie::transposed:
      return values.clone({1, rows});
    case Lie::gaps:
      return values.clone({columns * 3 + 1, 2});
  }
  return values;
}

double product_at(const Tensor& a, const Tensor& b, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < a.sizes()[1]; ++k) sum += a.at({i, k}) * b.at({k, j});
  return sum;
}

void expect_product(const Tensor& a, const Tensor& b, const Tensor& result, double tolerance) {
  const Tensor left = a.to(DType::f64).contiguous();
  const Tensor right = b.to(DType::f64).contiguous();
  const auto* x = reinterpret_cast<const double*>(left.data());
  const auto* y = reinterpret_cast<const double*>(right.data());
  const int64_t depth = a.sizes()[1];
  const int64_t columns = b.sizes()[1];
  for (int64_t i = 0; i < a.sizes()[0]; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) sum += x[i * depth + k] * y[k * columns + j];
      ASSERT_NEAR(result.at({i, j}), sum, tolerance) << i << " " << j;
    }
  }
}

TEST(MatrixProducts, MatchSumsWrittenOutInEveryLayout) {
  const int64_t shapes[][3] = {{1, 1, 1},   {3, 5, 7},    {13, 33, 17}, {97, 70, 131},
                               {1, 600, 5}, {100, 1, 64}, {24, 64, 500}};
  for (const auto& [m, n, k] : shapes) {
    for (const Lie left : {Lie::straight, Lie::transposed, Lie::gaps}) {
      for (const Lie right : {Lie::straight, Lie::transposed}) {
        const Tensor a = matrix(DType::f32, m, k, 1, left);
        const Tensor b = matrix(DType::f32, k, n, 2, right);
        const Tensor result =
            call_library("matmul", {a, b}, {Tensor::empty(DType::f32, {m, n})})[0];
        expect_product(a, b, result, 1e-5 * static_cast<double>(k));
      }
    }
  }
}

TEST(MatrixProducts, MatchForEveryElementType) {
  for (const DType dtype : {DType::f64, DType::bf16, DType::f16, DType::i64, DType::i32}) {
    const Tensor a = matrix(dtype, 19, 40, 3, Lie::straight);
    const Tensor b = matrix(dtype, 40, 21, 4, Lie::transposed);
    const Tensor result = call_library("matmul", {a, b}, {Tensor::empty(dtype, {19, 21})})[0];
    expect_product(a, b, result, dtype == DType::bf16 ? 0.05 : dtype == DType::f16 ? 0.005 : 1e-12);
  }
}

TEST(MatrixProducts, ResultsOfHalvesMayBeWide) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 21, 40}, {19, 21, 40}, {130, 70, 300}}) {
      const Tensor a = matrix(dtype, m, k, 3, Lie::straight);
      const Tensor b = matrix(dtype, k, n, 4, Lie::transposed);
      const Tensor result = call_library("matmul", {a, b}, {Tensor::empty(DType::f32, {m, n})})[0];
      expect_product(a, b, result, 1e-4);
    }
  }
}

TEST(MatrixProducts, IntegersWrap) {
  const Tensor a = Tensor::of<int64_t>(DType::i8, {1, 2}, {100, 100});
  const Tensor result =
      call_library("matmul", {a, a.view({2, 1}, {1, 1}, 0)}, {Tensor::empty(DType::i8, {1, 1})})[0];
  EXPECT_EQ(result.int_at({0, 0}), static_cast<int8_t>(20000));
}

TEST(MatrixProducts, RoundingErrorsStaySmallWhenDeep) {
  const Tensor a = matrix(DType::f32, 8, 4096, 5, Lie::straight);
  const Tensor b = matrix(DType::f32, 4096, 8, 6, Lie::straight);
  const Tensor result = call_library("matmul", {a, b}, {Tensor::empty(DType::f32, {8, 8})})[0];
  expect_product(a, b, result, 1e-4);
}

TEST(MatrixProducts, BatchesBroadcast) {
  const Tensor a = fill_floats(DType::f32, {3, 1, 4, 5}, 7, 1, 0);
  const Tensor b = fill_floats(DType::f32, {2, 5, 6}, 8, 1, 0);
  const Tensor result =
      call_library("matmul", {a, b}, {Tensor::empty(DType::f32, {3, 2, 4, 6})})[0];
  for (int64_t x = 0; x < 3; ++x) {
    for (int64_t y = 0; y < 2; ++y) {
      double sum = 0;
      for (int64_t k = 0; k < 5; ++k) sum += a.at({x, 0, 3, k}) * b.at({y, k, 2});
      EXPECT_NEAR(result.at({x, y, 3, 2}), sum, 1e-5);
    }
  }
}

TEST(MatrixProducts, BatchJoinsRowsWhateverTheLayout) {
  const Tensor dense = fill_floats(DType::f32, {3, 4, 5}, 9, 1, 0);
  const Tensor weight = fill_floats(DType::f32, {6, 5}, 10, 1, 0);
  const Tensor bias = fill_floats(DType::f32, {6}, 11, 1, 0);
  for (const std::vector<int64_t>& strides :
       {std::vector<int64_t>{20, 5, 1}, {5, 15, 1}, {40, 10, 2}}) {
    const Tensor input = dense.clone(strides);
    const Tensor result =
        call_library("linear", {input, weight, bias}, {Tensor::empty(DType::f32, {3, 4, 6})})[0];
    double sum = bias.at({5});
    for (int64_t k = 0; k < 5; ++k) sum += dense.at({2, 1, k}) * weight.at({5, k});
    EXPECT_NEAR(result.at({2, 1, 5}), sum, 1e-5);
  }
}

TEST(MatrixProducts, VectorsCountAsRowsAndColumns) {
  const Tensor vector = fill_floats(DType::f32, {5}, 12, 1, 0);
  const Tensor square = fill_floats(DType::f32, {2, 5, 5}, 13, 1, 0);
  const Tensor dot = call_library("matmul", {vector, vector}, {Tensor::empty(DType::f32, {})})[0];
  const Tensor left =
      call_library("matmul", {vector, square}, {Tensor::empty(DType::f32, {2, 5})})[0];
  const Tensor right =
      call_library("matmul", {square, vector}, {Tensor::empty(DType::f32, {2, 5})})[0];
  double norm = 0, rows = 0, columns = 0;
  for (int64_t k = 0; k < 5; ++k) {
    norm += vector.at({k}) * vector.at({k});
    rows += vector.at({k}) * square.at({1, k, 3});
    columns += square.at({1, 3, k}) * vector.at({k});
  }
  EXPECT_NEAR(dot.at(std::initializer_list<int64_t>{}), norm, 1e-5);
  EXPECT_NEAR(left.at({1, 3}), rows, 1e-5);
  EXPECT_NEAR(right.at({1, 3}), columns, 1e-5);
}

TEST(MatrixProducts, ZeroBetaIgnoresNaNInTheAddend) {
  const Tensor a = matrix(DType::f32, 3, 4, 14, Lie::straight);
  const Tensor b = matrix(DType::f32, 4, 2, 15, Lie::straight);
  const Tensor nan = fill_constant(DType::f32, {2}, std::numeric_limits<double>::quiet_NaN());
  const Tensor none = call_library("scaled_matmul", {nan, a, b, int64_t{0}, int64_t{1}},
                                   {Tensor::empty(DType::f32, {3, 2})})[0];
  expect_product(a, b, none, 1e-5);
  const Tensor ones = fill_constant(DType::f32, {2}, 1);
  const Tensor scaled =
      call_library("scaled_matmul", {ones, a, b, 0.5, 2.0}, {Tensor::empty(DType::f32, {3, 2})})[0];
  EXPECT_NEAR(scaled.at({2, 1}), 0.5 + 2 * product_at(a, b, 2, 1), 1e-5);
}

TEST(MatrixProducts, DepthZeroGivesZeros) {
  const Tensor result =
      call_library("matmul", {Tensor::empty(DType::f32, {2, 0}), Tensor::empty(DType::f32, {0, 3})},
                   {fill_constant(DType::f32, {2, 3}, 7)})[0];
  EXPECT_EQ(result.at({1, 2}), 0);
}

TEST(MatrixProducts, ComplexPartsMix) {
  using C = std::complex<float>;
  const Tensor a = Tensor::of<C>(DType::c64, {1, 2}, {C(1, 2), C(3, -1)});
  const Tensor b = Tensor::of<C>(DType::c64, {2, 1}, {C(0, 1), C(2, 2)});
  const Tensor result = call_library("matmul", {a, b}, {Tensor::empty(DType::c64, {1, 1})})[0];
  EXPECT_EQ(result.complex_at(std::vector<int64_t>{0, 0}), (std::complex<double>(6, 5)));
}

TEST(MatrixProducts, BoolIsRefused) {
  const Tensor flags = Tensor::zeros(DType::bool_, {2, 2});
  EXPECT_THROW(call_library("matmul", {flags, flags}, {flags.clone()}), Error);
  const Tensor rows = Tensor::zeros(DType::bool_, {2, 0});
  const Tensor columns = Tensor::zeros(DType::bool_, {0, 2});
  const Tensor nothing =
      call_library("matmul", {rows, columns}, {fill_constant(DType::bool_, {2, 2}, 1)})[0];
  EXPECT_EQ(nothing.at({1, 1}), 0);
}

TEST(MatrixProducts, GroupsTakeTheirOwnMatrix) {
  const Tensor input = fill_floats(DType::f32, {4, 3}, 16, 1, 0);
  const Tensor weight = fill_floats(DType::f32, {2, 3, 2}, 17, 1, 0);
  const Tensor ends = Tensor::of<int32_t>(DType::i32, {2}, {1, 3});
  const Tensor result =
      call_library("grouped_matmul", {input, weight, ends}, {Tensor::empty(DType::f32, {4, 2})})[0];
  double sum = 0;
  for (int64_t k = 0; k < 3; ++k) sum += input.at({2, k}) * weight.at({1, k, 1});
  EXPECT_NEAR(result.at({2, 1}), sum, 1e-5);
  EXPECT_EQ(result.at({3, 0}), 0);
}

}  // namespace
}  // namespace litz::kernels
