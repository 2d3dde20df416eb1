#include "kernels/spectral.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/check.h"

namespace litz::kernels {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostSweeps = 60;

// The rotation that makes [[a, |c|], [|c|, b]] diagonal, and the direction of c.
template <typename T>
struct Rotation {
  double cosine;
  double sine;
  T phase;

  Rotation(double a, double b, T c) {
    const double size = std::abs(c);
    phase = c / T(size);
    const double tau = (b - a) / (2 * size);
    const double tangent = std::copysign(1.0, tau) / (std::abs(tau) + std::hypot(1.0, tau));
    cosine = 1 / std::sqrt(1 + tangent * tangent);
    sine = tangent * cosine;
  }

  void columns(Matrix<T>& m, int64_t p, int64_t q) const {
    for (int64_t k = 0; k < m.rows(); ++k) {
      const T x = m(k, p);
      const T y = m(k, q) * conjugate(phase);
      m(k, p) = cosine * x - sine * y;
      m(k, q) = sine * x + cosine * y;
    }
  }

  void rows(Matrix<T>& m, int64_t p, int64_t q) const {
    for (int64_t k = 0; k < m.columns(); ++k) {
      const T x = m(p, k);
      const T y = m(q, k) * phase;
      m(p, k) = cosine * x - sine * y;
      m(q, k) = sine * x + cosine * y;
    }
  }
};

template <typename T>
Matrix<T> take_columns(const Matrix<T>& m, const std::vector<int64_t>& order) {
  Matrix<T> result(m.rows(), static_cast<int64_t>(order.size()));
  for (int64_t i = 0; i < m.rows(); ++i) {
    for (int64_t j = 0; j < result.columns(); ++j) {
      result(i, j) = m(i, order[static_cast<size_t>(j)]);
    }
  }
  return result;
}

// Subtracts from column `count` its part along the first `count` columns; returns its length
// afterwards.
template <typename T>
double orthogonalize(Matrix<T>& m, int64_t count) {
  // Two passes are enough for orthogonality to working precision.
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t k = 0; k < count; ++k) {
      T product(0);
      for (int64_t i = 0; i < m.rows(); ++i) product += conjugate(m(i, k)) * m(i, count);
      for (int64_t i = 0; i < m.rows(); ++i) m(i, count) -= product * m(i, k);
    }
  }
  double square = 0;
  for (int64_t i = 0; i < m.rows(); ++i) square += squared_size(m(i, count));
  return std::sqrt(square);
}

// Fills the columns from `count` on with an orthonormal completion.
template <typename T>
void complete_basis(Matrix<T>& m, int64_t count) {
  int64_t candidate = 0;
  const double enough = 0.5 / std::sqrt(static_cast<double>(std::max<int64_t>(m.rows(), 1)));
  while (count < m.columns() && candidate < 2 * m.rows()) {
    for (int64_t i = 0; i < m.rows(); ++i) m(i, count) = T(0);
    m(candidate++ % m.rows(), count) = T(1);
    const double length = orthogonalize(m, count);
    // Some unit vector always retains this much.
    if (length < enough) continue;
    for (int64_t i = 0; i < m.rows(); ++i) m(i, count) /= T(length);
    ++count;
  }
}

// Rotates columns p and q of A (and V) to be orthogonal; returns whether they were not.
template <typename T>
bool make_orthogonal(Matrix<T>& a, Matrix<T>& v, int64_t p, int64_t q) {
  double left = 0;
  double right = 0;
  T product(0);
  for (int64_t i = 0; i < a.rows(); ++i) {
    left += squared_size(a(i, p));
    right += squared_size(a(i, q));
    product += conjugate(a(i, p)) * a(i, q);
  }
  const double size = std::abs(product);
  if (!(size > kEpsilon * std::sqrt(left * right)) || size < std::numeric_limits<double>::min()) {
    return false;
  }
  const Rotation<T> rotation(left, right, product);
  rotation.columns(a, p, q);
  rotation.columns(v, p, q);
  return true;
}

bool is_not_a_number(double x) { return std::isnan(x); }

bool is_not_a_number(Complex x) { return std::isnan(x.real()) || std::isnan(x.imag()); }

bool is_finite(double x) { return std::isfinite(x); }

bool is_finite(Complex x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

template <typename T>
void require_numbers(const Matrix<T>& a, const char* what) {
  const bool has_nan =
      std::ranges::any_of(a.values(), [](const T& entry) { return is_not_a_number(entry); });
  require(!has_nan, "a matrix must not contain NaN to have", what);
}

template <typename T>
bool has_infinity(const Matrix<T>& a) {
  return !std::ranges::all_of(a.values(), [](const T& entry) { return is_finite(entry); });
}

// A matrix with infinities has no values: all are NaN.
std::vector<double> no_values(int64_t count) {
  return std::vector<double>(static_cast<size_t>(count), std::numeric_limits<double>::quiet_NaN());
}

// Singular values of a matrix with at least as many rows as columns.
template <typename T>
Singular<T> tall_singular_values(Matrix<T> a, bool full) {
  const int64_t n = a.columns();
  Matrix<T> v = Matrix<T>::identity(n, n);
  bool is_changed = true;
  for (int sweep = 0; is_changed && sweep < kMostSweeps; ++sweep) {
    is_changed = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) is_changed |= make_orthogonal(a, v, p, q);
    }
  }
  std::vector<double> lengths(static_cast<size_t>(n), 0.0);
  for (int64_t j = 0; j < n; ++j) {
    double& length = lengths[static_cast<size_t>(j)];
    for (int64_t i = 0; i < a.rows(); ++i) length = std::hypot(length, std::abs(a(i, j)));
  }
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t x, int64_t y) {
    return lengths[static_cast<size_t>(x)] > lengths[static_cast<size_t>(y)];
  });
  Singular<T> result;
  result.v = take_columns(v, order);
  result.u = Matrix<T>(a.rows(), full ? a.rows() : n);
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const double length = lengths[static_cast<size_t>(from)];
    result.values.push_back(length);
    if (!(length > kEpsilon * result.values[0]) && !std::isnan(length)) continue;
    for (int64_t i = 0; i < a.rows(); ++i) result.u(i, j) = a(i, from) / T(length);
    rank = j + 1;
  }
  complete_basis(result.u, rank);
  return result;
}

}  // namespace

template <typename T>
Eigen<T> hermitian_eigen(Matrix<T> a) {
  const int64_t n = a.rows();
  Matrix<T> v = Matrix<T>::identity(n, n);
  require_numbers(a, "eigenvalues");
  if (has_infinity(a)) return {no_values(n), v};
  double square = 0;
  for (const T entry : a.values()) square += squared_size(entry);
  const double negligible = kEpsilon * kEpsilon * square;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double outside = 0;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) outside += squared_size(a(p, q));
    }
    if (!(outside > negligible * 1e-4)) break;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) < std::numeric_limits<double>::min()) continue;
        const Rotation<T> rotation(real_part(a(p, p)), real_part(a(q, q)), a(p, q));
        rotation.columns(a, p, q);
        rotation.rows(a, p, q);
        rotation.columns(v, p, q);
      }
    }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](int64_t x, int64_t y) { return real_part(a(x, x)) < real_part(a(y, y)); });
  Eigen<T> result;
  for (const int64_t i : order) result.values.push_back(real_part(a(i, i)));
  result.vectors = take_columns(v, order);
  return result;
}

template <typename T>
Singular<T> singular_values(const Matrix<T>& a, bool full) {
  require_numbers(a, "singular values");
  if (has_infinity(a)) {
    const int64_t count = std::min(a.rows(), a.columns());
    return {Matrix<T>::identity(a.rows(), full ? a.rows() : count), no_values(count),
            Matrix<T>::identity(a.columns(), full ? a.columns() : count)};
  }
  if (a.rows() >= a.columns()) {
    Singular<T> result = tall_singular_values(a, full);
    return result;
  }
  Singular<T> turned = tall_singular_values(a.adjoint(), full);
  std::swap(turned.u, turned.v);
  return turned;
}

template Eigen<double> hermitian_eigen(Matrix<double>);
template Eigen<Complex> hermitian_eigen(Matrix<Complex>);
template Singular<double> singular_values(const Matrix<double>&, bool);
template Singular<Complex> singular_values(const Matrix<Complex>&, bool);

}  // namespace litz::kernels
