// Eigenvalues and eigenvectors of square matrices of any kind, by the triangular form that unitary
// similarity reaches.

#pragma once

#include <vector>

#include "kernels/dense_matrix.h"

namespace litz::kernels {

/// A V = V diag(values). Columns of V have length 1 and a largest component that is real.
struct GeneralEigen {
  std::vector<Complex> values;
  Matrix<Complex> vectors;
};

/// Elements must be finite. For a real matrix conjugates stand side by side, the one above the real
/// axis first, and what is real is so exactly.
GeneralEigen general_eigen(const Matrix<Complex>& a, bool is_real);

}  // namespace litz::kernels
