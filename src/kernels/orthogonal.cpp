// Orthogonal factorizations and spectra as library functions: QR, reflectors, eigenvalues, singular
// values and functions derived from them, and the matrix exponential.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dense_matrix.h"
#include "kernels/factorizations.h"
#include "kernels/functions.h"
#include "kernels/spectral.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

template <typename T>
Matrix<T> upper_part(const Matrix<T>& packed, int64_t rows) {
  Matrix<T> result(rows, packed.columns());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i; j < packed.columns(); ++j) result(i, j) = packed(i, j);
  }
  return result;
}

// A Hermitian matrix from one of its triangles.
template <typename T>
Matrix<T> from_triangle(const Matrix<T>& a, bool upper) {
  Matrix<T> result(a.rows(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i) {
    result(i, i) = T(real_part(a(i, i)));
    for (int64_t j = 0; j < i; ++j) {
      result(i, j) = upper ? conjugate(a(j, i)) : a(i, j);
      result(j, i) = conjugate(result(i, j));
    }
  }
  return result;
}

// A tolerance given as a number or as a tensor with one per matrix; nothing for None.
class Tolerance {
 public:
  Tolerance(const LibraryCall& call, size_t argument, const std::vector<int64_t>& batch) {
    if (call.is_none(argument)) return;
    is_given_ = true;
    const auto* tensor = std::get_if<Tensor>(&call.arguments[argument]);
    if (tensor == nullptr) {
      values_ = {call.real(argument)};
      return;
    }
    const BatchReader<double> reader(*tensor, 0, batch);
    for (int64_t i = 0; i < checked_numel(batch); ++i) values_.push_back(reader.part(i)[0]);
  }

  bool is_given() const { return is_given_; }

  double at(int64_t i) const {
    if (!is_given_) return 0;
    return values_.size() == 1 ? values_[0] : values_[static_cast<size_t>(i)];
  }

 private:
  bool is_given_ = false;
  std::vector<double> values_;
};

// The size up to which a singular value of matrix `i` counts as zero.
class Threshold {
 public:
  Threshold(const LibraryCall& call, const Tensor& self, const std::vector<int64_t>& batch)
      : absolute_(call, 1, batch), relative_(call, 2, batch) {
    const int64_t longer = std::max(self.sizes()[self.rank() - 2], self.sizes()[self.rank() - 1]);
    const bool is_double = real_dtype(self.dtype()) == DType::f64;
    const double epsilon =
        is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    default_relative_ = epsilon * static_cast<double>(longer);
  }

  double at(int64_t i, double largest) const {
    const double absolute = absolute_.at(i);
    double relative = relative_.at(i);
    // A positive absolute tolerance replaces the default relative one.
    if (!relative_.is_given()) relative = absolute > 0 ? 0 : default_relative_;
    const double bound = relative * largest;
    // Nothing exceeds NaN: all values then count as zero.
    return std::isnan(bound) || absolute < bound ? bound : absolute;
  }

 private:
  Tolerance absolute_;
  Tolerance relative_;
  double default_relative_ = 0;
};

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

template <typename T>
Matrix<T> pseudo_inverse(const Singular<T>& singular, double threshold) {
  const Matrix<T>& u = singular.u;
  const Matrix<T>& v = singular.v;
  Matrix<T> result(v.rows(), u.rows());
  for (size_t k = 0; k < singular.values.size(); ++k) {
    const double value = singular.values[k];
    if (!(std::abs(value) > threshold)) continue;
    const auto column = static_cast<int64_t>(k);
    for (int64_t i = 0; i < v.rows(); ++i) {
      const T factor = v(i, column) / T(value);
      for (int64_t j = 0; j < u.rows(); ++j) result(i, j) += factor * conjugate(u(j, column));
    }
  }
  return result;
}

// Eigenvectors and signed values if the caller says that the matrix is Hermitian.
template <typename T>
Singular<T> spectrum(const Matrix<T>& a, bool hermitian) {
  if (!hermitian) return singular_values(a, false);
  require(a.rows() == a.columns(), ErrorCode::corrupt,
          "a Hermitian matrix must be square:", a.rows(), a.columns());
  Eigen<T> eigen = hermitian_eigen(from_triangle(a, false));
  return {eigen.vectors, eigen.values, eigen.vectors};
}

// The Taylor series of a matrix scaled to be small, then repeated squaring.
template <typename T>
Matrix<T> exponential(Matrix<T> a) {
  double norm = 0;
  for (int64_t i = 0; i < a.rows(); ++i) {
    double row = 0;
    for (int64_t j = 0; j < a.columns(); ++j) row += std::abs(a(i, j));
    norm = std::max(norm, row);
  }
  constexpr double kSmall = 0.25;
  constexpr int kTerms = 16;
  int squarings = 0;
  if (std::isfinite(norm)) {
    while (std::ldexp(norm, -squarings) > kSmall) ++squarings;
  }
  for (T& entry : a.values()) entry *= std::ldexp(1.0, -squarings);
  Matrix<T> sum = Matrix<T>::identity(a.rows(), a.rows());
  Matrix<T> term = sum;
  for (int k = 1; k <= kTerms; ++k) {
    term = term * a;
    for (T& entry : term.values()) entry /= static_cast<double>(k);
    for (size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += term.values()[i];
  }
  for (int i = 0; i < squarings; ++i) sum = sum * sum;
  return sum;
}

}  // namespace

void qr(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const std::string_view mode = call.str(1);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    const int64_t rank = std::min(reader.rows(), reader.columns());
    const int64_t width = mode == "complete" ? reader.rows() : rank;
    BatchWriter<T> q(call.results[0]);
    BatchWriter<T> r(call.results[1]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Reflectors<T> reflectors = qr_factor(reader.matrix(i));
      r.add(upper_part(reflectors.packed, width));
      if (mode == "r") continue;
      Matrix<T> basis = Matrix<T>::identity(reader.rows(), width);
      apply_reflectors(reflectors.packed, std::span<const T>(reflectors.tau), false, basis);
      q.add(basis);
    }
    if (mode != "r") q.finish();
    r.finish();
  });
}

void geqrf(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    BatchWriter<T> packed(call.results[0]);
    BatchWriter<T> tau(call.results[1]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Reflectors<T> reflectors = qr_factor(reader.matrix(i));
      packed.add(reflectors.packed);
      tau.add(reflectors.tau);
    }
    packed.finish();
    tau.finish();
  });
}

void householder_product(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    const BatchReader<T> taus(call.tensor(1), 1, batch);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      Matrix<T> basis = Matrix<T>::identity(reader.rows(), reader.columns());
      apply_reflectors(reader.matrix(i), taus.part(i), false, basis);
      result.add(basis);
    }
    result.finish();
  });
}

void ormqr(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const Tensor& other = call.tensor(2);
  const bool left = call.flag(3);
  const bool transpose = call.flag(4);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    const BatchReader<T> taus(call.tensor(1), 1, batch);
    const BatchReader<T> others(other, 2, batch);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      Matrix<T> product = others.matrix(i);
      if (left) {
        apply_reflectors(reader.matrix(i), taus.part(i), transpose, product);
      } else {
        // C Q is the adjoint of Q^H C^H.
        product = product.adjoint();
        apply_reflectors(reader.matrix(i), taus.part(i), !transpose, product);
        product = product.adjoint();
      }
      result.add(product);
    }
    result.finish();
  });
}

void eigh(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool upper = call.str(1) == "U" || call.str(1) == "u";
  const bool wants_vectors = call.results.size() > 1 && call.results[1].rank() == self.rank();
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<double> values(call.results[0]);
    std::vector<BatchWriter<T>> vectors;
    if (wants_vectors) vectors.emplace_back(call.results[1]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Eigen<T> eigen = hermitian_eigen(from_triangle(reader.matrix(i), upper));
      values.add(eigen.values);
      for (auto& writer : vectors) writer.add(eigen.vectors);
    }
    values.finish();
    for (auto& writer : vectors) writer.finish();
  });
}

void svd(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool full = call.flag(1);
  const bool wants_vectors = call.results[0].rank() == self.rank();
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    BatchWriter<T> u(call.results[0]);
    BatchWriter<double> values(call.results[1]);
    BatchWriter<T> v(call.results[2]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Singular<T> singular = singular_values(reader.matrix(i), full && wants_vectors);
      values.add(singular.values);
      if (!wants_vectors) continue;
      u.add(singular.u);
      v.add(singular.v.adjoint());
    }
    values.finish();
    if (!wants_vectors) return;
    u.finish();
    v.finish();
  });
}

void pinv(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool hermitian = call.flag(3);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    // Tolerances may stand for more matrices than there are.
    const std::vector<int64_t> batch = batch_of(call.results[0]);
    const BatchReader<T> reader(self, 2, batch);
    const Threshold threshold(call, self, batch);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Singular<T> singular = spectrum(reader.matrix(i), hermitian);
      result.add(pseudo_inverse(singular, threshold.at(i, largest_size(singular.values))));
    }
    result.finish();
  });
}

void matrix_rank(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool hermitian = call.flag(3);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = call.results[0].sizes();
    const BatchReader<T> reader(self, 2, batch);
    const Threshold threshold(call, self, batch);
    BatchWriter<double> result(call.results[0]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) {
      const Singular<T> singular = spectrum(reader.matrix(i), hermitian);
      const double limit = threshold.at(i, largest_size(singular.values));
      result.add(static_cast<double>(std::ranges::count_if(
          singular.values, [&](double value) { return std::abs(value) > limit; })));
    }
    result.finish();
  });
}

void matrix_exp(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  with_element_type(self, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> batch = batch_of(self);
    const BatchReader<T> reader(self, 2, batch);
    require_square(reader);
    BatchWriter<T> result(call.results[0]);
    for (int64_t i = 0; i < checked_numel(batch); ++i) result.add(exponential(reader.matrix(i)));
    result.finish();
  });
}

}  // namespace litz::kernels
