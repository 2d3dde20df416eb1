// Linear systems and factorizations as library functions: batches of matrices, computed in double
// and rounded to the result.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dense_matrix.h"
#include "kernels/factorizations.h"
#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

int64_t count_of(const std::vector<int64_t>& batch) { return checked_numel(batch); }

// The batch to which both broadcast.
std::vector<int64_t> common_batch(std::vector<int64_t> a, std::vector<int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  const size_t skipped = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = a[skipped + i];
    require(size == b[i] || size == 1 || b[i] == 1, "batches of matrices must broadcast:", size,
            b[i]);
    if (size == 1) size = b[i];
  }
  return a;
}

// A right-hand side of vectors becomes one of matrices with one column.
Tensor with_column(const Tensor& b, bool is_vector) {
  if (!is_vector) return b;
  std::vector<int64_t> sizes = b.sizes();
  std::vector<int64_t> strides = b.strides();
  sizes.push_back(1);
  strides.push_back(1);
  return b.view(std::move(sizes), std::move(strides), b.offset());
}

// True if B consists of vectors: rank 1, or the shape of A without its last dimension.
bool is_vector_side(const Tensor& a, const Tensor& b) {
  if (b.rank() == 1) return true;
  return b.rank() + 1 == a.rank() &&
         std::equal(b.sizes().begin(), b.sizes().end(), a.sizes().begin());
}

void require_success(bool is_asked, int64_t info, const char* what) {
  require(!is_asked || info == 0, what, info);
}

template <typename T>
Matrix<T> hermitian_part(const Matrix<T>& a, bool upper) {
  return upper ? a.adjoint() : a;
}

void factor_cholesky(LibraryCall& call, bool check_errors) {
  const Tensor& self = call.tensor(0);
  const bool upper = call.flag(1);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> result(call.results[0]);
    std::vector<double> infos;
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const auto factor = cholesky_factor(hermitian_part(reader.matrix(i), upper));
      require_success(check_errors, factor.info,
                      "a matrix must be positive definite for its Cholesky factor; the order of "
                      "the first minor that is not:");
      result.add(upper ? factor.lower.adjoint() : factor.lower);
      infos.push_back(static_cast<double>(factor.info));
    }
    result.finish();
    if (call.results.size() < 2) return;
    BatchWriter<double> info(call.results[1]);
    info.add(infos);
    info.finish();
  });
}

std::vector<int64_t> pivots_at(const BatchReader<double>& reader, int64_t i) {
  std::vector<int64_t> pivots;
  for (const double pivot : reader.part(i)) pivots.push_back(static_cast<int64_t>(pivot));
  return pivots;
}

// Pivots of an LU factorization: the row that each row was exchanged with.
std::vector<int64_t> row_exchanges(const BatchReader<double>& reader, int64_t i, int64_t rows) {
  std::vector<int64_t> pivots = pivots_at(reader, i);
  require(static_cast<int64_t>(pivots.size()) <= rows,
          "there must be at most one pivot for every row:", pivots.size(), rows);
  for (const int64_t pivot : pivots) {
    require(pivot >= 1 && pivot <= rows, "a pivot must name a row, from 1:", pivot, rows);
  }
  return pivots;
}

void add_pivots(BatchWriter<double>& writer, const std::vector<int64_t>& pivots) {
  for (const int64_t pivot : pivots) writer.add(static_cast<double>(pivot));
}

// The results after a solution: LU, pivots and info, or info alone, or none.
template <typename T>
class FactorResults {
 public:
  FactorResults(const CallResults& results, size_t first) {
    const size_t count = results.size() - std::min(first, results.size());
    if (count >= 2) {
      packed_.emplace_back(results[first]);
      integers_.emplace_back(results[first + 1]);
    }
    if (count == 1 || count == 3) info_.emplace_back(results[results.size() - 1]);
  }

  void add(const LuFactors<T>& factors) {
    for (auto& writer : packed_) writer.add(factors.packed);
    for (auto& writer : integers_) add_pivots(writer, factors.pivots);
    for (auto& writer : info_) writer.add(static_cast<double>(factors.info));
  }

  void finish() {
    for (auto& writer : packed_) writer.finish();
    for (auto& writer : integers_) writer.finish();
    for (auto& writer : info_) writer.finish();
  }

 private:
  std::vector<BatchWriter<T>> packed_;
  std::vector<BatchWriter<double>> integers_;
  std::vector<BatchWriter<double>> info_;
};

// An explicit `check_errors`, or true for operators that only have a result.
bool checks_errors(const LibraryCall& call, size_t i) {
  return call.results.size() == 1 || (i < call.arguments.size() && call.flag(i));
}

constexpr const char* kSingular =
    "a matrix must not be singular; the first diagonal entry of U that is zero:";

// X with A X = B, or X A = B from the right: there A^H X^H = B^H.
template <typename T>
Matrix<T> solved(const Matrix<T>& packed, std::span<const int64_t> pivots, bool left, bool adjoint,
                 Matrix<T> b) {
  if (left) {
    lu_solve(packed, pivots, adjoint, b);
    return b;
  }
  Matrix<T> turned = b.adjoint();
  lu_solve(packed, pivots, !adjoint, turned);
  return turned.adjoint();
}

// Solves with the factors L D L^T (or L D L^H) that LAPACK packs: D has blocks of 1 and 2, the
// second kind marked by negative pivots.
template <typename T>
class LdlSolver {
 public:
  LdlSolver(Matrix<T> packed, std::vector<int64_t> pivots, bool hermitian)
      : packed_(std::move(packed)), pivots_(std::move(pivots)), hermitian_(hermitian) {}

  void solve(Matrix<T>& b) const {
    const int64_t n = packed_.rows();
    for (int64_t k = 0; k < n; k += block(k)) {
      const int64_t last = k + block(k) - 1;
      b.swap_rows(last, exchange(k));
      for (int64_t column = k; column <= last; ++column) {
        for (int64_t i = last + 1; i < n; ++i) subtract(b, i, packed_(i, column), column);
      }
      divide(b, k);
    }
    for (int64_t last = n - 1; last >= 0;) {
      const int64_t first = last - (pivots_[static_cast<size_t>(last)] < 0 ? 1 : 0);
      for (int64_t column = first; column <= last; ++column) {
        for (int64_t i = last + 1; i < n; ++i) subtract(b, column, turned(packed_(i, column)), i);
      }
      b.swap_rows(last, exchange(last));
      last = first - 1;
    }
  }

 private:
  int64_t block(int64_t k) const { return pivots_[static_cast<size_t>(k)] < 0 ? 2 : 1; }

  int64_t exchange(int64_t k) const { return std::abs(pivots_[static_cast<size_t>(k)]) - 1; }

  T turned(T x) const { return hermitian_ ? conjugate(x) : x; }

  static void subtract(Matrix<T>& b, int64_t row, T factor, int64_t from) {
    for (int64_t j = 0; j < b.columns(); ++j) b(row, j) -= factor * b(from, j);
  }

  // Divides by the block of D at k.
  void divide(Matrix<T>& b, int64_t k) const {
    if (block(k) == 1) {
      for (int64_t j = 0; j < b.columns(); ++j) b(k, j) /= packed_(k, k);
      return;
    }
    const T low = packed_(k + 1, k);
    const T high = turned(low);
    const T determinant = packed_(k, k) * packed_(k + 1, k + 1) - low * high;
    for (int64_t j = 0; j < b.columns(); ++j) {
      const T x = b(k, j);
      const T y = b(k + 1, j);
      b(k, j) = (packed_(k + 1, k + 1) * x - high * y) / determinant;
      b(k + 1, j) = (packed_(k, k) * y - low * x) / determinant;
    }
  }

  Matrix<T> packed_;
  std::vector<int64_t> pivots_;
  bool hermitian_;
};

}  // namespace

void cholesky(LibraryCall& call) { factor_cholesky(call, true); }

void cholesky_ex(LibraryCall& call) { factor_cholesky(call, call.flag(2)); }

void cholesky_solve(LibraryCall& call) {
  const Tensor& b = call.tensor(0);
  const Tensor& factor = call.tensor(1);
  const bool upper = call.flag(2);
  with_element_type(b, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = common_batch(batch_of(b), batch_of(factor));
    const BatchReader<T> sides(b, 2, batch);
    const BatchReader<T> factors(factor, 2, batch);
    require_systems(factors, sides);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const Matrix<T> given = factors.matrix(i);
      const Matrix<T> turned = given.adjoint();
      Matrix<T> x = sides.matrix(i);
      solve_triangle(upper ? turned : given, false, false, x);
      solve_triangle(upper ? given : turned, true, false, x);
      result.add(x);
    }
    result.finish();
  });
}

void cholesky_inverse(LibraryCall& call) {
  const Tensor& factor = call.tensor(0);
  const bool upper = call.flag(1);
  with_element_type(factor, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(factor);
    const BatchReader<T> factors(factor, 2, batch);
    require_square(factors);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const Matrix<T> given = factors.matrix(i);
      const Matrix<T> turned = given.adjoint();
      Matrix<T> x = Matrix<T>::identity(given.rows(), given.rows());
      solve_triangle(upper ? turned : given, false, false, x);
      solve_triangle(upper ? given : turned, true, false, x);
      result.add(x);
    }
    result.finish();
  });
}

void lu_factor(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool pivot = call.flag(1);
  // Without a result that tells of singular matrices they are an error.
  const bool check_errors = call.results.size() < 3 || (call.arguments.size() > 2 && call.flag(2));
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    FactorResults<T> results(call.results, 0);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const LuFactors<T> factors = lu_factor(reader.matrix(i), pivot);
      require_success(check_errors, factors.info, kSingular);
      results.add(factors);
    }
    results.finish();
  });
}

void lu_solve(LibraryCall& call) {
  const Tensor& packed = call.tensor(0);
  const Tensor& pivots = call.tensor(1);
  const Tensor& b = call.tensor(2);
  const bool left = call.flag(3);
  const bool adjoint = call.flag(4);
  with_element_type(b, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = common_batch(batch_of(packed), batch_of(b));
    const BatchReader<T> factors(packed, 2, batch);
    const BatchReader<double> exchanges(pivots, 1, batch);
    const BatchReader<T> sides(b, 2, batch);
    require_systems(factors, sides, left);
    BatchWriter<T> result(call.results[0]);
    // Without right-hand sides nobody reads which rows were exchanged.
    if (b.numel() == 0) return;
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const std::vector<int64_t> order = row_exchanges(exchanges, i, factors.rows());
      result.add(solved(factors.matrix(i), std::span(order), left, adjoint, sides.matrix(i)));
    }
    result.finish();
  });
}

void ldl_solve(LibraryCall& call) {
  const Tensor& packed = call.tensor(0);
  const Tensor& b = call.tensor(2);
  const bool hermitian = call.flag(3);
  with_element_type(b, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = common_batch(batch_of(packed), batch_of(b));
    const BatchReader<T> factors(packed, 2, batch);
    const BatchReader<double> exchanges(call.tensor(1), 1, batch);
    const BatchReader<T> sides(b, 2, batch);
    require_systems(factors, sides);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const std::vector<int64_t> pivots = pivots_at(exchanges, i);
      const auto rows = static_cast<int64_t>(pivots.size());
      require(rows == factors.rows(), ErrorCode::corrupt,
              "there must be a pivot for every row:", rows, factors.rows());
      for (int64_t k = 0; k < rows; ++k) {
        const int64_t pivot = pivots[static_cast<size_t>(k)];
        require(pivot != 0 && std::abs(pivot) <= rows, "a pivot must name a row, from 1:", pivot,
                rows);
        if (pivot > 0) continue;
        ++k;
        require(k < rows && pivots[static_cast<size_t>(k)] < 0,
                "negative pivots must come in pairs:", pivot);
      }
      Matrix<T> x = sides.matrix(i);
      LdlSolver<T>(factors.matrix(i), pivots, hermitian).solve(x);
      result.add(x);
    }
    result.finish();
  });
}

// Computes the permutation, L and U from packed factors.
void lu_unpack(LibraryCall& call) {
  const Tensor& packed = call.tensor(0);
  const bool wants_factors = call.flag(2);
  const bool wants_permutation = call.flag(3);
  with_element_type(packed, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(packed);
    const BatchReader<T> factors(packed, 2, batch);
    const BatchReader<double> exchanges(call.tensor(1), 1, batch);
    const int64_t inner = std::min(factors.rows(), factors.columns());
    BatchWriter<T> permutations(call.results[0]);
    BatchWriter<T> lowers(call.results[1]);
    BatchWriter<T> uppers(call.results[2]);
    for (int64_t n = 0; n < count_of(batch); ++n) {
      const Matrix<T> given = factors.matrix(n);
      Matrix<T> lower(factors.rows(), inner);
      Matrix<T> upper(inner, factors.columns());
      for (int64_t i = 0; i < given.rows(); ++i) {
        for (int64_t j = 0; j < given.columns(); ++j) {
          if (j < i && j < inner) lower(i, j) = given(i, j);
          if (j >= i && i < inner) upper(i, j) = given(i, j);
        }
        if (i < inner) lower(i, i) = T(1);
      }
      Matrix<T> permutation = Matrix<T>::identity(factors.rows(), factors.rows());
      const std::vector<int64_t> pivots = row_exchanges(exchanges, n, factors.rows());
      for (size_t k = pivots.size(); k-- > 0;) {
        permutation.swap_rows(static_cast<int64_t>(k), pivots[k] - 1);
      }
      permutations.add(permutation);
      lowers.add(lower);
      uppers.add(upper);
    }
    if (wants_permutation) permutations.finish();
    if (!wants_factors) return;
    lowers.finish();
    uppers.finish();
  });
}

void linear_solve(LibraryCall& call) {
  const Tensor& a = call.tensor(0);
  const bool is_vector = is_vector_side(a, call.tensor(1));
  const Tensor b = with_column(call.tensor(1), is_vector);
  const bool left = call.flag(2);
  const bool check_errors = checks_errors(call, 3);
  with_element_type(a, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> own = batch_of(a);
    const std::vector<int64_t> batch = common_batch(own, batch_of(b));
    const BatchReader<T> matrices(a, 2, batch);
    const BatchReader<T> sides(b, 2, batch);
    require_systems(matrices, sides, left);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const LuFactors<T> factors = lu_factor(matrices.matrix(i), true);
      require_success(check_errors, factors.info, kSingular);
      result.add(solved(factors.packed, std::span(factors.pivots), left, false, sides.matrix(i)));
    }
    result.finish();
    // The factors have only the batch of A.
    FactorResults<T> factor_results(call.results, 1);
    const BatchReader<T> alone(a, 2, own);
    for (int64_t i = 0; call.results.size() > 1 && i < count_of(own); ++i) {
      factor_results.add(lu_factor(alone.matrix(i), true));
    }
    factor_results.finish();
  });
}

void solve_triangular(LibraryCall& call) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  const bool upper = call.flag(2);
  const bool left = call.flag(3);
  const bool unit = call.flag(4);
  with_element_type(b, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = common_batch(batch_of(a), batch_of(b));
    const BatchReader<T> triangles(a, 2, batch);
    const BatchReader<T> sides(b, 2, batch);
    require_systems(triangles, sides, left);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      Matrix<T> x = sides.matrix(i);
      if (left) {
        solve_triangle(triangles.matrix(i), upper, unit, x);
      } else {
        x = x.transposed();
        solve_triangle(triangles.matrix(i).transposed(), !upper, unit, x);
        x = x.transposed();
      }
      result.add(x);
    }
    result.finish();
  });
}

void inverse(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool check_errors = checks_errors(call, 1);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> result(call.results[0]);
    FactorResults<T> results(call.results, 1);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const LuFactors<T> factors = lu_factor(reader.matrix(i), true);
      require_success(check_errors, factors.info, kSingular);
      Matrix<T> x = Matrix<T>::identity(reader.rows(), reader.rows());
      lu_solve(factors.packed, std::span(factors.pivots), false, x);
      result.add(x);
      results.add(factors);
    }
    result.finish();
    results.finish();
  });
}

void determinant(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> result(call.results[0]);
    FactorResults<T> results(call.results, 1);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const LuFactors<T> factors = lu_factor(reader.matrix(i), true);
      result.add(determinant(factors).value);
      results.add(factors);
    }
    result.finish();
    results.finish();
  });
}

void log_determinant(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> sign(call.results[0]);
    BatchWriter<double> size(call.results[1]);
    FactorResults<T> results(call.results, 2);
    for (int64_t i = 0; i < count_of(batch); ++i) {
      const LuFactors<T> factors = lu_factor(reader.matrix(i), true);
      const Determinant<T> value = determinant(factors);
      sign.add(value.sign);
      size.add(value.log_size);
      results.add(factors);
    }
    sign.finish();
    size.finish();
    results.finish();
  });
}

}  // namespace litz::kernels
