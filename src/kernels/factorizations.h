// Factorizations of one matrix, and solves with the factors. T is double or Complex.

#pragma once

#include <cstdint>
#include <vector>

#include "kernels/dense_matrix.h"

namespace litz::kernels {

/// L (unit lower) and U packed in one matrix, with rows exchanged like LAPACK.
template <typename T>
struct LuFactors {
  Matrix<T> packed;
  std::vector<int64_t> pivots;  ///< Row i was exchanged with row pivots[i], counting from 1.
  int64_t info = 0;             ///< The first zero on U's diagonal, counting from 1.
};

template <typename T>
LuFactors<T> lu_factor(Matrix<T> a, bool pivot);

/// Solves A X = B, or with `adjoint` A^H X = B, in place.
template <typename T>
void lu_solve(const Matrix<T>& packed, std::span<const int64_t> pivots, bool adjoint, Matrix<T>& b);

/// The sign (or direction) and the logarithm of the magnitude of the determinant.
template <typename T>
struct Determinant {
  T sign = T(1);
  double log_size = 0;
  T value = T(1);
};

template <typename T>
Determinant<T> determinant(const LuFactors<T>& factors);

/// Computes the lower factor of a Hermitian matrix given by its lower triangle. `info` is the order
/// of the first minor that is not positive, else 0.
template <typename T>
struct CholeskyFactor {
  Matrix<T> lower;
  int64_t info = 0;
};

template <typename T>
CholeskyFactor<T> cholesky_factor(const Matrix<T>& a);

/// Solves T X = B for a triangular T in place.
template <typename T>
void solve_triangle(const Matrix<T>& triangle, bool upper, bool unit, Matrix<T>& b);

/// Householder's reflectors below the diagonal and R above, packed like LAPACK.
template <typename T>
struct Reflectors {
  Matrix<T> packed;
  std::vector<T> tau;
};

template <typename T>
Reflectors<T> qr_factor(Matrix<T> a);

/// Computes Q B, or with `adjoint` Q^H B, in place; Q is the product of the reflectors.
template <typename T>
void apply_reflectors(const Matrix<T>& packed, std::span<const T> tau, bool adjoint, Matrix<T>& b);

}  // namespace litz::kernels
