#include "kernels/schur.h"

#include <cmath>
#include <limits>

#include "support/check.h"

namespace litz::kernels {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostSteps = 100;  // For an eigenvalue; a few are usual.

// Computes A = Q T Q^H with T triangular, in place.
class Schur {
 public:
  explicit Schur(const Matrix<Complex>& a)
      : n_(a.rows()), t_(a), q_(Matrix<Complex>::identity(a.rows(), a.rows())) {
    for (const Complex& value : a.values()) size_ = std::max(size_, std::abs(value));
    make_hessenberg();
    deflate();
  }

  const Matrix<Complex>& triangle() const { return t_; }

  const Matrix<Complex>& basis() const { return q_; }

  double size() const { return size_; }

 private:
  // Reflects the elements two below the diagonal to zero, column by column.
  void make_hessenberg() {
    for (int64_t k = 0; k + 2 < n_; ++k) {
      std::vector<Complex> v(static_cast<size_t>(n_));
      double below = 0;
      for (int64_t i = k + 1; i < n_; ++i) {
        v[static_cast<size_t>(i)] = t_(i, k);
        below = std::hypot(below, std::abs(t_(i, k)));
      }
      Complex& head = v[static_cast<size_t>(k + 1)];
      if (below == 0 || below == std::abs(head)) continue;
      head += (head == Complex(0) ? Complex(1) : head / std::abs(head)) * below;
      double square = 0;
      for (const Complex& entry : v) square += std::norm(entry);
      reflect(v, 2 / square);
    }
  }

  // T <- H T H and Q <- Q H for H = 1 - factor v v^H.
  void reflect(const std::vector<Complex>& v, double factor) {
    for (int64_t j = 0; j < n_; ++j) {
      Complex along(0);
      for (int64_t i = 0; i < n_; ++i) along += std::conj(v[static_cast<size_t>(i)]) * t_(i, j);
      for (int64_t i = 0; i < n_; ++i) t_(i, j) -= factor * along * v[static_cast<size_t>(i)];
    }
    for (Matrix<Complex>* matrix : {&t_, &q_}) {
      for (int64_t i = 0; i < n_; ++i) {
        Complex along(0);
        for (int64_t j = 0; j < n_; ++j) along += (*matrix)(i, j) * v[static_cast<size_t>(j)];
        for (int64_t j = 0; j < n_; ++j) {
          (*matrix)(i, j) -= factor * along * std::conj(v[static_cast<size_t>(j)]);
        }
      }
    }
  }

  void deflate() {
    int steps = 0;
    for (int64_t high = n_ - 1; high > 0;) {
      const int64_t low = start_of_block(high);
      if (low == high) {
        --high;
        steps = 0;
        continue;
      }
      require(++steps <= kMostSteps, ErrorCode::invalid_argument,
              "linalg.eig: the algorithm failed to converge");
      step(low, high, shift(high, steps));
    }
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < i; ++j) t_(i, j) = Complex(0);
    }
  }

  // The first row of the block that ends at row `high` and has no negligible element below its
  // diagonal.
  int64_t start_of_block(int64_t high) {
    for (int64_t k = high; k > 0; --k) {
      double around = std::abs(t_(k, k)) + std::abs(t_(k - 1, k - 1));
      if (around == 0) around = size_;
      if (std::abs(t_(k, k - 1)) <= kEpsilon * around) {
        t_(k, k - 1) = Complex(0);
        return k;
      }
    }
    return 0;
  }

  // The eigenvalue of the last two rows that is nearer to the last element; now and then another
  // number, since the iteration cycles for a few matrices.
  Complex shift(int64_t high, int steps) const {
    if (steps % 10 == 0) return t_(high, high) + 0.75 * std::abs(t_(high, high - 1));
    const Complex half = (t_(high - 1, high - 1) - t_(high, high)) / 2.0;
    const Complex product = t_(high - 1, high) * t_(high, high - 1);
    const Complex root = std::sqrt(half * half + product);
    const Complex far = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    return far == Complex(0) ? t_(high, high) : t_(high, high) - product / far;
  }

  // One step of the shifted QR iteration on rows low to high, by rotations of neighbours.
  void step(int64_t low, int64_t high, Complex shift) {
    for (int64_t k = low; k <= high; ++k) t_(k, k) -= shift;

    struct Rotation {
      double cosine;
      Complex sine;
    };

    std::vector<Rotation> rotations;
    for (int64_t k = low; k < high; ++k) {
      const Complex x = t_(k, k);
      const Complex y = t_(k + 1, k);
      const double length = std::hypot(std::abs(x), std::abs(y));
      Rotation r{1, Complex(0)};
      if (length > 0) {
        const Complex phase = x == Complex(0) ? Complex(1) : x / std::abs(x);
        r = {std::abs(x) / length, phase * std::conj(y) / length};
      }
      for (int64_t j = k; j < n_; ++j) {
        const Complex a = t_(k, j);
        const Complex b = t_(k + 1, j);
        t_(k, j) = r.cosine * a + r.sine * b;
        t_(k + 1, j) = r.cosine * b - std::conj(r.sine) * a;
      }
      rotations.push_back(r);
    }
    for (int64_t k = low; k < high; ++k) {
      const Rotation& r = rotations[static_cast<size_t>(k - low)];
      const auto turn = [&](Matrix<Complex>& matrix, int64_t rows) {
        for (int64_t i = 0; i < rows; ++i) {
          const Complex a = matrix(i, k);
          const Complex b = matrix(i, k + 1);
          matrix(i, k) = r.cosine * a + std::conj(r.sine) * b;
          matrix(i, k + 1) = r.cosine * b - r.sine * a;
        }
      };
      turn(t_, k + 2);
      turn(q_, n_);
    }
    for (int64_t k = low; k <= high; ++k) t_(k, k) += shift;
  }

  int64_t n_;
  Matrix<Complex> t_;
  Matrix<Complex> q_;
  double size_ = 0;
};

// The eigenvector of a triangular matrix for its k-th diagonal element.
std::vector<Complex> triangular_vector(const Matrix<Complex>& t, int64_t k, double least) {
  std::vector<Complex> x(static_cast<size_t>(t.rows()));
  x[static_cast<size_t>(k)] = Complex(1);
  for (int64_t i = k - 1; i >= 0; --i) {
    Complex sum(0);
    for (int64_t j = i + 1; j <= k; ++j) sum += t(i, j) * x[static_cast<size_t>(j)];
    Complex gap = t(i, i) - t(k, k);
    // Equal eigenvalues: a tiny number keeps the vector finite.
    if (std::abs(gap) < least) gap = least;
    x[static_cast<size_t>(i)] = -sum / gap;
  }
  return x;
}

// Scales to length 1, with the largest component real and positive.
void normalize(Matrix<Complex>& vectors, int64_t column) {
  double length = 0;
  Complex largest(0);
  for (int64_t i = 0; i < vectors.rows(); ++i) {
    const Complex value = vectors(i, column);
    length = std::hypot(length, std::abs(value));
    if (std::abs(value) > std::abs(largest) * (1 + 8 * kEpsilon)) largest = value;
  }
  if (length == 0) return;
  const Complex factor = std::conj(largest) / (std::abs(largest) * length);
  for (int64_t i = 0; i < vectors.rows(); ++i) vectors(i, column) *= factor;
}

void swap_columns(GeneralEigen& eigen, int64_t a, int64_t b) {
  std::swap(eigen.values[static_cast<size_t>(a)], eigen.values[static_cast<size_t>(b)]);
  for (int64_t i = 0; i < eigen.vectors.rows(); ++i) {
    std::swap(eigen.vectors(i, a), eigen.vectors(i, b));
  }
}

// Real matrices: rounding aside, eigenvalues are real or come in conjugate pairs.
void pair_conjugates(GeneralEigen& eigen, double negligible) {
  const auto count = static_cast<int64_t>(eigen.values.size());
  for (int64_t k = 0; k < count; ++k) {
    Complex& value = eigen.values[static_cast<size_t>(k)];
    if (std::abs(value.imag()) <= negligible || k + 1 == count) {
      value = Complex(value.real());
      for (int64_t i = 0; i < count; ++i) eigen.vectors(i, k) = eigen.vectors(i, k).real();
      normalize(eigen.vectors, k);
      continue;
    }
    int64_t partner = k + 1;
    for (int64_t j = k + 2; j < count; ++j) {
      const auto distance = [&](int64_t at) {
        return std::abs(std::conj(value) - eigen.values[static_cast<size_t>(at)]);
      };
      if (distance(j) < distance(partner)) partner = j;
    }
    swap_columns(eigen, k + 1, partner);
    if (value.imag() < 0) swap_columns(eigen, k, k + 1);
    eigen.values[static_cast<size_t>(k + 1)] = std::conj(value);
    for (int64_t i = 0; i < count; ++i) eigen.vectors(i, k + 1) = std::conj(eigen.vectors(i, k));
    ++k;
  }
}

}  // namespace

GeneralEigen general_eigen(const Matrix<Complex>& a, bool is_real) {
  for (const Complex& value : a.values()) {
    require(std::isfinite(value.real()) && std::isfinite(value.imag()),
            "linalg.eig: the matrix must not contain infs or NaNs");
  }
  const Schur schur(a);
  const double negligible = static_cast<double>(a.rows()) * kEpsilon * schur.size();
  GeneralEigen eigen;
  eigen.vectors = Matrix<Complex>(a.rows(), a.rows());
  for (int64_t k = 0; k < a.rows(); ++k) {
    eigen.values.push_back(schur.triangle()(k, k));
    const double least = std::max(kEpsilon * schur.size(), std::numeric_limits<double>::min());
    const std::vector<Complex> x = triangular_vector(schur.triangle(), k, least);
    for (int64_t i = 0; i < a.rows(); ++i) {
      Complex sum(0);
      for (int64_t j = 0; j <= k; ++j) sum += schur.basis()(i, j) * x[static_cast<size_t>(j)];
      eigen.vectors(i, k) = sum;
    }
    normalize(eigen.vectors, k);
  }
  if (is_real) pair_conjugates(eigen, negligible);
  return eigen;
}

}  // namespace litz::kernels
