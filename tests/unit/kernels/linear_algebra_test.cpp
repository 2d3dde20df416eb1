// Factorizations by what they promise: products, orthogonality, solutions that solve.

#include <cmath>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/dense_matrix.h"
#include "kernels/factorizations.h"
#include "kernels/spectral.h"
#include "library_call.h"
#include "types/fill.h"

namespace litz::kernels {
namespace {

template <typename T>
Matrix<T> random_matrix(int64_t rows, int64_t columns, uint64_t seed) {
  const Tensor values = fill_floats(wide_dtype<T>(), {rows, columns}, seed, 1, 0);
  return BatchReader<T>(values, 2, {}).matrix(0);
}

template <typename T>
double difference(const Matrix<T>& a, const Matrix<T>& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.columns(), b.columns());
  double largest = 0;
  for (size_t i = 0; i < a.values().size(); ++i) {
    largest = std::max(largest, std::abs(a.values()[i] - b.values()[i]));
  }
  return largest;
}

template <typename T>
Matrix<T> scaled_columns(Matrix<T> m, const std::vector<double>& factors) {
  for (int64_t i = 0; i < m.rows(); ++i) {
    for (int64_t j = 0; j < m.columns(); ++j) {
      m(i, j) *= j < static_cast<int64_t>(factors.size()) ? factors[static_cast<size_t>(j)] : 0;
    }
  }
  return m;
}

template <typename T>
class LinearAlgebra : public ::testing::Test {};

using Types = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(LinearAlgebra, Types);

TYPED_TEST(LinearAlgebra, LuSolvesFromBothSides) {
  using T = TypeParam;
  const Matrix<T> a = random_matrix<T>(5, 5, 1);
  const Matrix<T> b = random_matrix<T>(5, 3, 2);
  const LuFactors<T> factors = lu_factor(a, true);
  EXPECT_EQ(factors.info, 0);
  Matrix<T> x = b;
  lu_solve(factors.packed, std::span(factors.pivots), false, x);
  EXPECT_LT(difference(a * x, b), 1e-12);
  x = b;
  lu_solve(factors.packed, std::span(factors.pivots), true, x);
  EXPECT_LT(difference(a.adjoint() * x, b), 1e-12);
}

TYPED_TEST(LinearAlgebra, CholeskyMultipliesBack) {
  using T = TypeParam;
  const Matrix<T> root = random_matrix<T>(4, 6, 3);
  const Matrix<T> a = root * root.adjoint();
  const CholeskyFactor<T> factor = cholesky_factor(a);
  EXPECT_EQ(factor.info, 0);
  EXPECT_LT(difference(factor.lower * factor.lower.adjoint(), a), 1e-12);
}

TYPED_TEST(LinearAlgebra, QrMultipliesBackWithARealDiagonal) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair{5, 3}, std::pair{3, 5}, std::pair{4, 4}}) {
    const Matrix<T> a = random_matrix<T>(rows, columns, 4);
    const Reflectors<T> reflectors = qr_factor(a);
    Matrix<T> r(rows, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = i; j < columns; ++j) r(i, j) = reflectors.packed(i, j);
      if (i < columns) {
        EXPECT_EQ(r(i, i), T(real_part(r(i, i))));
      }
    }
    Matrix<T> product = r;
    apply_reflectors(reflectors.packed, std::span<const T>(reflectors.tau), false, product);
    EXPECT_LT(difference(product, a), 1e-12);
    apply_reflectors(reflectors.packed, std::span<const T>(reflectors.tau), true, product);
    EXPECT_LT(difference(product, r), 1e-12);
  }
}

TYPED_TEST(LinearAlgebra, EigenvaluesRiseAndMultiplyBack) {
  using T = TypeParam;
  const Matrix<T> root = random_matrix<T>(5, 5, 5);
  Matrix<T> a = root;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) a(i, j) = root(i, j) + conjugate(root(j, i));
  }
  const Eigen<T> eigen = hermitian_eigen(a);
  EXPECT_TRUE(std::ranges::is_sorted(eigen.values));
  const Matrix<T> product = scaled_columns(eigen.vectors, eigen.values) * eigen.vectors.adjoint();
  EXPECT_LT(difference(product, a), 1e-12);
}

TYPED_TEST(LinearAlgebra, SingularValuesFallAndMultiplyBack) {
  using T = TypeParam;
  for (const bool full : {false, true}) {
    for (const auto& [rows, columns] : {std::pair{5, 3}, std::pair{3, 5}, std::pair{4, 4}}) {
      const Matrix<T> a = random_matrix<T>(rows, columns, 6);
      const Singular<T> singular = singular_values(a, full);
      EXPECT_TRUE(std::ranges::is_sorted(singular.values, std::greater()));
      const Matrix<T> identity = singular.u.adjoint() * singular.u;
      EXPECT_LT(difference(identity, Matrix<T>::identity(identity.rows(), identity.rows())), 1e-12);
      const auto rank = static_cast<int64_t>(singular.values.size());
      Matrix<T> middle(singular.u.columns(), singular.v.columns());
      for (int64_t i = 0; i < rank; ++i) middle(i, i) = T(singular.values[static_cast<size_t>(i)]);
      EXPECT_LT(difference(singular.u * middle * singular.v.adjoint(), a), 1e-12);
    }
  }
}

TYPED_TEST(LinearAlgebra, SingularVectorsOfZeroAreOrthonormalToo) {
  using T = TypeParam;
  const Matrix<T> column = random_matrix<T>(4, 1, 7);
  const Matrix<T> a = column * column.adjoint();
  const Singular<T> singular = singular_values(a, false);
  EXPECT_LT(singular.values[1], 1e-14);
  EXPECT_LT(difference(singular.u.adjoint() * singular.u, Matrix<T>::identity(4, 4)), 1e-12);
  EXPECT_LT(difference(singular.v.adjoint() * singular.v, Matrix<T>::identity(4, 4)), 1e-12);
}

Tensor square() { return Tensor::of<double>(DType::f32, {2, 2}, {2, 1, 1, 3}); }

TEST(LinearAlgebraCalls, DeterminantOfABatch) {
  const Tensor a = Tensor::of<double>(DType::f32, {2, 2, 2}, {2, 1, 1, 3, 0, 2, 1, 0});
  const auto results =
      call_library("determinant", {a},
                   {Tensor::empty(DType::f32, {2}), Tensor::empty(DType::f32, {2, 2, 2}),
                    Tensor::empty(DType::i32, {2, 2})});
  EXPECT_EQ(results[0].at({0}), 5);
  EXPECT_EQ(results[0].at({1}), -2);
  EXPECT_EQ(results[2].int_at({1, 0}), 2);
}

TEST(LinearAlgebraCalls, SingularMatricesAreRefusedWhereAsked) {
  const Tensor a = Tensor::of<double>(DType::f32, {2, 2}, {1, 2, 2, 4});
  EXPECT_THROW(call_library("inverse", {a}, {Tensor::empty(DType::f32, {2, 2})}), Error);
  const auto results = call_library(
      "inverse", {a, false}, {Tensor::empty(DType::f32, {2, 2}), Tensor::empty(DType::i32, {})});
  EXPECT_EQ(results[1].int_at({}), 2);
}

TEST(LinearAlgebraCalls, VectorsAndBatchesOfRightHandSides) {
  const Tensor b = Tensor::of<double>(DType::f32, {2}, {3, 4});
  const Tensor x =
      call_library("linear_solve", {square(), b, true}, {Tensor::empty(DType::f32, {2})})[0];
  EXPECT_FLOAT_EQ(static_cast<float>(x.at({0})), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(x.at({1})), 1);
  const Tensor many = Tensor::of<double>(DType::f32, {2, 2, 1}, {3, 4, 6, 8});
  const Tensor solved = call_library("linear_solve", {square(), many, true},
                                     {Tensor::empty(DType::f32, {2, 2, 1})})[0];
  EXPECT_FLOAT_EQ(static_cast<float>(solved.at({1, 0, 0})), 2);
}

TEST(LinearAlgebraCalls, RankAndPseudoInverseUseTheTolerance) {
  const Tensor a = Tensor::of<double>(DType::f32, {2, 2}, {1, 0, 0, 1e-9});
  const LibraryArgument none;
  const auto rank = [&](LibraryArgument atol, LibraryArgument rtol) {
    return call_library("matrix_rank", {a, atol, rtol, false}, {Tensor::empty(DType::i64, {})})[0]
        .int_at({});
  };
  EXPECT_EQ(rank(none, none), 1);
  EXPECT_EQ(rank(none, 1e-12), 2);
  EXPECT_EQ(rank(2.0, none), 0);
  const Tensor inverse =
      call_library("pinv", {a, none, none, false}, {Tensor::empty(DType::f32, {2, 2})})[0];
  EXPECT_EQ(inverse.at({0, 0}), 1);
  EXPECT_EQ(inverse.at({1, 1}), 0);
}

TEST(LinearAlgebraCalls, UnpackedFactorsMultiplyBack) {
  const Matrix<double> a = random_matrix<double>(4, 3, 8);
  const LuFactors<double> factors = lu_factor(a, true);
  const Tensor packed = Tensor::of(DType::f64, {4, 3}, factors.packed.values());
  const Tensor pivots = Tensor::of(DType::i32, {3}, std::span<const int64_t>(factors.pivots));
  const auto parts =
      call_library("lu_unpack", {packed, pivots, true, true},
                   {Tensor::empty(DType::f64, {4, 4}), Tensor::empty(DType::f64, {4, 3}),
                    Tensor::empty(DType::f64, {3, 3})});
  const auto matrix = [&](size_t i) { return BatchReader<double>(parts[i], 2, {}).matrix(0); };
  EXPECT_LT(difference(matrix(0) * matrix(1) * matrix(2), a), 1e-14);
}

TEST(LinearAlgebraCalls, PivotsMustNameRows) {
  const Tensor packed = Tensor::of<double>(DType::f64, {2, 2}, {1, 2, 3, 4});
  const std::vector<Tensor> results(3, Tensor::empty(DType::f64, {2, 2}));
  for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{1, 3}, {0, 1}, {1, 2, 2}}) {
    const Tensor pivots = Tensor::of(DType::i32, {static_cast<int64_t>(wrong.size())},
                                     std::span<const int64_t>(wrong));
    EXPECT_THROW(call_library("lu_unpack", {packed, pivots, true, true}, results), Error);
  }
}

TEST(LinearAlgebraCalls, SymmetricFactorsWithABlockOfTwo) {
  // One block of 2 after a block of 1: D = diag(2, [[0, 1], [1, 0]]), L has 3 and 5 in column 0.
  const Tensor packed = Tensor::of<double>(DType::f64, {3, 3}, {2, 0, 0, 3, 0, 0, 5, 1, 0});
  const Tensor pivots = Tensor::of<int64_t>(DType::i32, {3}, {1, -3, -3});
  const Tensor b = Tensor::of<double>(DType::f64, {3, 1}, {38, 60, 97});
  const Tensor x =
      call_library("ldl_solve", {packed, pivots, b, false}, {Tensor::empty(DType::f64, {3, 1})})[0];
  // The matrix is [[2, 6, 10], [6, 18, 31], [10, 31, 50]].
  for (int64_t i = 0; i < 3; ++i) {
    const double rows[3][3] = {{2, 6, 10}, {6, 18, 31}, {10, 31, 50}};
    double sum = 0;
    for (int64_t j = 0; j < 3; ++j) sum += rows[i][j] * x.at({j, 0});
    EXPECT_NEAR(sum, b.at({i, 0}), 1e-9);
  }
}

TEST(LinearAlgebraCalls, ExponentialOfARotation) {
  const double angle = 9;
  const Tensor a = Tensor::of<double>(DType::f64, {2, 2}, {0, -angle, angle, 0});
  const Tensor result = call_library("matrix_exp", {a}, {Tensor::empty(DType::f64, {2, 2})})[0];
  EXPECT_NEAR(result.at({0, 0}), std::cos(angle), 1e-12);
  EXPECT_NEAR(result.at({1, 0}), std::sin(angle), 1e-12);
}

}  // namespace
}  // namespace litz::kernels
