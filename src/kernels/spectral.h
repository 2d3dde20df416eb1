// Eigenvalues of Hermitian matrices and singular values, by Jacobi rotations. T: double or Complex.

#pragma once

#include <vector>

#include "kernels/dense_matrix.h"

namespace litz::kernels {

/// A = V diag(values) V^H, values ascending.
template <typename T>
struct Eigen {
  std::vector<double> values;
  Matrix<T> vectors;  ///< In columns.
};

/// `a` must be Hermitian.
template <typename T>
Eigen<T> hermitian_eigen(Matrix<T> a);

/// A = U diag(values) V^H, values descending; min(rows, columns) of them.
template <typename T>
struct Singular {
  Matrix<T> u;
  std::vector<double> values;
  Matrix<T> v;
};

/// With `full`, U and V are square.
template <typename T>
Singular<T> singular_values(const Matrix<T>& a, bool full);

}  // namespace litz::kernels
