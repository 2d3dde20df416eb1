// Eigenvalues of matrices of any kind, and symmetric matrices that need not be positive, as library
// functions.

#include <cmath>

#include "kernels/dense_matrix.h"
#include "kernels/functions.h"
#include "kernels/schur.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

// The size by which LAPACK compares pivots.
double pivot_size(double x) { return std::abs(x); }

double pivot_size(Complex x) { return std::abs(x.real()) + std::abs(x.imag()); }

// L and D of A = L D L^T (or L^H) with pivots as LAPACK's symmetric factorization chooses them:
// blocks of D have one row or two.
template <typename T>
class LdlFactor {
 public:
  LdlFactor(Matrix<T> a, bool hermitian)
      : n_(a.rows()), a_(std::move(a)), hermitian_(hermitian), pivots_(static_cast<size_t>(n_)) {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = i + 1; j < n_; ++j) a_(i, j) = T(0);
      if (hermitian_) a_(i, i) = T(real_part(a_(i, i)));
    }
    for (int64_t k = 0; k < n_;) k += eliminate(k);
  }

  const Matrix<T>& packed() const { return a_; }

  /// Counted from 1; for blocks of two rows negative, twice.
  std::span<const double> pivots() const { return pivots_; }

  /// The first pivot that is zero, from 1, or 0.
  int64_t info() const { return info_; }

 private:
  // The row that moves to the end of the block that begins at row k, and the block's number of
  // rows.
  struct Choice {
    int64_t row;
    int64_t rows;
  };

  T flipped(T x) const { return hermitian_ ? conjugate(x) : x; }

  double diagonal(int64_t k) const {
    return pivot_size(hermitian_ ? T(real_part(a_(k, k))) : a_(k, k));
  }

  int64_t largest_below(int64_t k) const {
    int64_t row = k + 1;
    for (int64_t i = k + 2; i < n_; ++i) {
      if (pivot_size(a_(i, k)) > pivot_size(a_(row, k))) row = i;
    }
    return row;
  }

  Choice choose(int64_t k) const {
    const double alpha = (1 + std::sqrt(17.0)) / 8;  // Bounds the growth of elements.
    if (k + 1 == n_) return {k, 1};
    const int64_t row = largest_below(k);
    const double column = pivot_size(a_(row, k));
    if (diagonal(k) >= alpha * column) return {k, 1};
    double across = 0;
    for (int64_t j = k; j < row; ++j) across = std::max(across, pivot_size(a_(row, j)));
    for (int64_t i = row + 1; i < n_; ++i) across = std::max(across, pivot_size(a_(i, row)));
    if (diagonal(k) >= alpha * column * (column / across)) return {k, 1};
    if (diagonal(row) >= alpha * across) return {row, 1};
    return {row, 2};
  }

  // Swaps rows and columns a < b of the rest.
  void exchange(int64_t k, int64_t a, int64_t b) {
    if (a == b) return;
    for (int64_t i = b + 1; i < n_; ++i) std::swap(a_(i, a), a_(i, b));
    for (int64_t j = a + 1; j < b; ++j) {
      const T below = a_(j, a);
      a_(j, a) = flipped(a_(b, j));
      a_(b, j) = flipped(below);
    }
    a_(b, a) = flipped(a_(b, a));
    std::swap(a_(a, a), a_(b, b));
    if (a == k + 1) std::swap(a_(k + 1, k), a_(b, k));
  }

  int64_t eliminate(int64_t k) {
    const bool is_empty =
        diagonal(k) == 0 && (k + 1 == n_ || pivot_size(a_(largest_below(k), k)) == 0);
    if (is_empty) {
      if (info_ == 0) info_ = k + 1;
      pivots_[static_cast<size_t>(k)] = static_cast<double>(k + 1);
      return 1;
    }
    const Choice choice = choose(k);
    exchange(k, k + choice.rows - 1, choice.row);
    const auto pivot = static_cast<double>(choice.row + 1);
    if (choice.rows == 1) {
      pivots_[static_cast<size_t>(k)] = pivot;
      eliminate_one(k);
    } else {
      pivots_[static_cast<size_t>(k)] = pivots_[static_cast<size_t>(k + 1)] = -pivot;
      eliminate_two(k);
    }
    return choice.rows;
  }

  void eliminate_one(int64_t k) {
    const T d = hermitian_ ? T(real_part(a_(k, k))) : a_(k, k);
    a_(k, k) = d;
    for (int64_t j = k + 1; j < n_; ++j) {
      const T factor = flipped(a_(j, k)) / d;
      for (int64_t i = j; i < n_; ++i) a_(i, j) -= a_(i, k) * factor;
      keep_real(j);
    }
    for (int64_t i = k + 1; i < n_; ++i) a_(i, k) /= d;
  }

  void eliminate_two(int64_t k) {
    const T off = a_(k + 1, k);
    const T determinant = a_(k, k) * a_(k + 1, k + 1) - off * flipped(off);
    for (int64_t j = k + 2; j < n_; ++j) {
      const T first = (a_(j, k) * a_(k + 1, k + 1) - a_(j, k + 1) * off) / determinant;
      const T second = (a_(j, k + 1) * a_(k, k) - a_(j, k) * flipped(off)) / determinant;
      for (int64_t i = j; i < n_; ++i) {
        a_(i, j) -= a_(i, k) * flipped(first) + a_(i, k + 1) * flipped(second);
      }
      keep_real(j);
      a_(j, k) = first;
      a_(j, k + 1) = second;
    }
  }

  void keep_real(int64_t j) {
    if (hermitian_) a_(j, j) = T(real_part(a_(j, j)));
  }

  int64_t n_;
  Matrix<T> a_;
  bool hermitian_;
  std::vector<double> pivots_;
  int64_t info_ = 0;
};

}  // namespace

void eig(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool is_real = !is_complex(self.dtype());
  const std::vector<int64_t> batch = batch_of(self);
  const BatchReader<Complex> reader(self, 2, batch);
  require_square(reader);
  BatchWriter<Complex> values(call.results[0]);
  BatchWriter<Complex> vectors(call.results[1]);
  for (int64_t i = 0; i < checked_numel(batch); ++i) {
    const GeneralEigen eigen = general_eigen(reader.matrix(i), is_real);
    values.add(eigen.values);
    vectors.add(eigen.vectors);
  }
  values.finish();
  vectors.finish();
}

void ldl_factor(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool hermitian = call.flag(1);
  const bool check_errors = call.results.size() < 3 || (call.arguments.size() > 2 && call.flag(2));
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> packed(call.results[0]);
    BatchWriter<double> pivots(call.results[1]);
    std::vector<double> infos;
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const LdlFactor<T> factor(reader.matrix(i), hermitian);
      require(!check_errors || factor.info() == 0,
              "linalg.ldl_factor: the factorization has a pivot that is zero:", factor.info());
      packed.add(factor.packed());
      pivots.add(factor.pivots());
      infos.push_back(static_cast<double>(factor.info()));
    }
    packed.finish();
    pivots.finish();
    if (call.results.size() < 3) return;
    BatchWriter<double> info(call.results[2]);
    info.add(infos);
    info.finish();
  });
}

}  // namespace litz::kernels
