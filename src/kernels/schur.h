// Eigenvalues and eigenvectors of general square matrices, by unitary reduction to triangular form.

#pragma once

#include <vector>

#include "kernels/dense_matrix.h"

namespace litz::kernels {

/// A V = V diag(values). Columns of V have length 1, and their largest component is real.
struct GeneralEigen {
  std::vector<Complex> values;
  Matrix<Complex> vectors;
};

/// Elements must be finite. For a real matrix, conjugates are adjacent, the one above the real axis
/// first, and real values are exactly real.
GeneralEigen general_eigen(const Matrix<Complex>& a, bool is_real);

}  // namespace litz::kernels
