// Textbook algorithms in LAPACK's conventions: partial pivoting by |re| + |im|, Householder vectors
// whose first entry is 1, R with a real diagonal opposite in sign to the original entry.

#include "kernels/factorizations.h"

#include <algorithm>
#include <cmath>

namespace litz::kernels {
namespace {

double pivot_size(double x) { return std::abs(x); }

double pivot_size(Complex x) { return std::abs(x.real()) + std::abs(x.imag()); }

}  // namespace

template <typename T>
LuFactors<T> lu_factor(Matrix<T> a, bool pivot) {
  LuFactors<T> factors;
  const int64_t steps = std::min(a.rows(), a.columns());
  for (int64_t k = 0; k < steps; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; pivot && i < a.rows(); ++i) {
      if (pivot_size(a(i, k)) > pivot_size(a(best, k))) best = i;
    }
    factors.pivots.push_back(best + 1);
    a.swap_rows(k, best);
    if (a(k, k) == T(0)) {
      if (factors.info == 0) factors.info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < a.rows(); ++i) {
      const T factor = a(i, k) / a(k, k);
      a(i, k) = factor;
      if (factor == T(0)) continue;
      for (int64_t j = k + 1; j < a.columns(); ++j) a(i, j) -= factor * a(k, j);
    }
  }
  factors.packed = std::move(a);
  return factors;
}

template <typename T>
void lu_solve(const Matrix<T>& packed, std::span<const int64_t> pivots, bool adjoint,
              Matrix<T>& b) {
  const auto count = static_cast<int64_t>(pivots.size());
  if (!adjoint) {
    for (int64_t i = 0; i < count; ++i) b.swap_rows(i, pivots[static_cast<size_t>(i)] - 1);
    solve_triangle(packed, false, true, b);
    solve_triangle(packed, true, false, b);
    return;
  }
  const Matrix<T> turned = packed.adjoint();
  solve_triangle(turned, false, false, b);
  solve_triangle(turned, true, true, b);
  for (int64_t i = count; i-- > 0;) b.swap_rows(i, pivots[static_cast<size_t>(i)] - 1);
}

template <typename T>
Determinant<T> determinant(const LuFactors<T>& factors) {
  Determinant<T> result;
  for (int64_t i = 0; i < factors.packed.rows(); ++i) {
    const T entry = factors.packed(i, i);
    const double size = std::abs(entry);
    const bool is_exchanged = factors.pivots[static_cast<size_t>(i)] != i + 1;
    result.value *= is_exchanged ? -entry : entry;
    result.sign *= size == 0 ? T(0) : (is_exchanged ? -entry : entry) / T(size);
    result.log_size += std::log(size);
  }
  return result;
}

template <typename T>
CholeskyFactor<T> cholesky_factor(const Matrix<T>& a) {
  const int64_t n = a.rows();
  CholeskyFactor<T> result{Matrix<T>(n, n), 0};
  Matrix<T>& lower = result.lower;
  for (int64_t j = 0; j < n; ++j) {
    double diagonal = real_part(a(j, j));
    for (int64_t k = 0; k < j; ++k) diagonal -= squared_size(lower(j, k));
    if (!(diagonal > 0)) {
      result.info = j + 1;
      return result;
    }
    const double root = std::sqrt(diagonal);
    lower(j, j) = T(root);
    for (int64_t i = j + 1; i < n; ++i) {
      T entry = a(i, j);
      for (int64_t k = 0; k < j; ++k) entry -= lower(i, k) * conjugate(lower(j, k));
      lower(i, j) = entry / root;
    }
  }
  return result;
}

template <typename T>
void solve_triangle(const Matrix<T>& triangle, bool upper, bool unit, Matrix<T>& b) {
  const int64_t n = triangle.rows();
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    for (int64_t k = upper ? i + 1 : 0; k < (upper ? n : i); ++k) {
      const T factor = triangle(i, k);
      if (factor == T(0)) continue;
      for (int64_t j = 0; j < b.columns(); ++j) b(i, j) -= factor * b(k, j);
    }
    if (unit) continue;
    for (int64_t j = 0; j < b.columns(); ++j) b(i, j) /= triangle(i, i);
  }
}

template <typename T>
Reflectors<T> qr_factor(Matrix<T> a) {
  Reflectors<T> result;
  const int64_t steps = std::min(a.rows(), a.columns());
  for (int64_t k = 0; k < steps; ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < a.rows(); ++i) below += squared_size(a(i, k));
    const T alpha = a(k, k);
    if (below == 0 && T(real_part(alpha)) == alpha) {
      result.tau.push_back(T(0));
      continue;
    }
    const double size = std::sqrt(squared_size(alpha) + below);
    const double beta = std::signbit(real_part(alpha)) ? size : -size;
    const T tau = (T(beta) - alpha) / T(beta);
    for (int64_t i = k + 1; i < a.rows(); ++i) a(i, k) /= alpha - T(beta);
    a(k, k) = T(beta);
    result.tau.push_back(tau);
    // The rest is multiplied by the adjoint reflector.
    for (int64_t j = k + 1; j < a.columns(); ++j) {
      T product = a(k, j);
      for (int64_t i = k + 1; i < a.rows(); ++i) product += conjugate(a(i, k)) * a(i, j);
      product *= conjugate(tau);
      a(k, j) -= product;
      for (int64_t i = k + 1; i < a.rows(); ++i) a(i, j) -= a(i, k) * product;
    }
  }
  result.packed = std::move(a);
  return result;
}

template <typename T>
void apply_reflectors(const Matrix<T>& packed, std::span<const T> tau, bool adjoint, Matrix<T>& b) {
  const auto count = static_cast<int64_t>(tau.size());
  require(count <= std::min(packed.columns(), b.rows()) && b.rows() == packed.rows(),
          ErrorCode::corrupt, "reflectors must fit the rows that they turn:", count, packed.rows(),
          packed.columns(), b.rows());
  for (int64_t step = 0; step < count; ++step) {
    // Q is the product from first to last, so the last reflector is applied to B first.
    const int64_t k = adjoint ? step : count - 1 - step;
    const T own = tau[static_cast<size_t>(k)];
    const T factor = adjoint ? conjugate(own) : own;
    for (int64_t j = 0; j < b.columns(); ++j) {
      T product = b(k, j);
      for (int64_t i = k + 1; i < b.rows(); ++i) product += conjugate(packed(i, k)) * b(i, j);
      product *= factor;
      b(k, j) -= product;
      for (int64_t i = k + 1; i < b.rows(); ++i) b(i, j) -= packed(i, k) * product;
    }
  }
}

template LuFactors<double> lu_factor(Matrix<double>, bool);
template LuFactors<Complex> lu_factor(Matrix<Complex>, bool);
template void lu_solve(const Matrix<double>&, std::span<const int64_t>, bool, Matrix<double>&);
template void lu_solve(const Matrix<Complex>&, std::span<const int64_t>, bool, Matrix<Complex>&);
template Determinant<double> determinant(const LuFactors<double>&);
template Determinant<Complex> determinant(const LuFactors<Complex>&);
template CholeskyFactor<double> cholesky_factor(const Matrix<double>&);
template CholeskyFactor<Complex> cholesky_factor(const Matrix<Complex>&);
template void solve_triangle(const Matrix<double>&, bool, bool, Matrix<double>&);
template void solve_triangle(const Matrix<Complex>&, bool, bool, Matrix<Complex>&);
template Reflectors<double> qr_factor(Matrix<double>);
template Reflectors<Complex> qr_factor(Matrix<Complex>);
template void apply_reflectors(const Matrix<double>&, std::span<const double>, bool,
                               Matrix<double>&);
template void apply_reflectors(const Matrix<Complex>&, std::span<const Complex>, bool,
                               Matrix<Complex>&);

}  // namespace litz::kernels
