// Small dense matrices in double precision, real or complex, and batches of them in tensors, for
// the reference implementations of linear algebra.

#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/check.h"
#include "types/tensor.h"

namespace litz::kernels {

using Complex = std::complex<double>;

inline double conjugate(double x) { return x; }

inline Complex conjugate(Complex x) { return std::conj(x); }

inline double real_part(double x) { return x; }

inline double real_part(Complex x) { return x.real(); }

inline double squared_size(double x) { return x * x; }

inline double squared_size(Complex x) { return std::norm(x); }

/// Row-major; T is double or Complex.
template <typename T>
class Matrix {
 public:
  Matrix() = default;

  Matrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<size_t>(rows * columns)) {}

  static Matrix identity(int64_t rows, int64_t columns) {
    Matrix result(rows, columns);
    for (int64_t i = 0; i < rows && i < columns; ++i) result(i, i) = T(1);
    return result;
  }

  int64_t rows() const { return rows_; }

  int64_t columns() const { return columns_; }

  T& operator()(int64_t i, int64_t j) { return values_[static_cast<size_t>(i * columns_ + j)]; }

  const T& operator()(int64_t i, int64_t j) const {
    return values_[static_cast<size_t>(i * columns_ + j)];
  }

  std::span<T> values() { return values_; }

  std::span<const T> values() const { return values_; }

  Matrix adjoint() const {
    Matrix result(columns_, rows_);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < columns_; ++j) result(j, i) = conjugate((*this)(i, j));
    }
    return result;
  }

  Matrix transposed() const {
    Matrix result(columns_, rows_);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
    }
    return result;
  }

  void swap_rows(int64_t a, int64_t b) {
    for (int64_t j = 0; a != b && j < columns_; ++j) std::swap((*this)(a, j), (*this)(b, j));
  }

 private:
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  std::vector<T> values_;
};

template <typename T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> result(a.rows(), b.columns());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.columns(); ++k) {
      const T factor = a(i, k);
      for (int64_t j = 0; j < b.columns(); ++j) result(i, j) += factor * b(k, j);
    }
  }
  return result;
}

template <typename T>
constexpr DType wide_dtype() {
  return std::is_same_v<T, double> ? DType::f64 : DType::c128;
}

/// Reads a tensor's values as consecutive row-major parts of equal size.
template <typename T>
class BatchReader {
 public:
  /// The last `part_rank` dimensions form a part; the others are broadcast to `batch`.
  BatchReader(const Tensor& tensor, size_t part_rank, const std::vector<int64_t>& batch);

  int64_t rows() const { return rows_; }

  int64_t columns() const { return columns_; }

  /// Returns a part of rank 2.
  Matrix<T> matrix(int64_t i) const {
    Matrix<T> result(rows_, columns_);
    std::ranges::copy(part(i), result.values().begin());
    return result;
  }

  std::span<const T> part(int64_t i) const {
    return std::span<const T>(values_).subspan(static_cast<size_t>(i * rows_ * columns_),
                                               static_cast<size_t>(rows_ * columns_));
  }

 private:
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  std::vector<T> values_;
};

template <typename T>
void require_square(const BatchReader<T>& matrices) {
  require(matrices.rows() == matrices.columns(), ErrorCode::corrupt,
          "matrices must be square:", matrices.rows(), matrices.columns());
}

/// Systems of square matrices have sides with a row (on the right, a column) per unknown.
template <typename T>
void require_systems(const BatchReader<T>& matrices, const BatchReader<T>& sides,
                     bool is_left = true) {
  require_square(matrices);
  const int64_t size = is_left ? sides.rows() : sides.columns();
  require(size == matrices.rows(), ErrorCode::corrupt,
          "the sides of a system must fit its matrix:", size, matrices.rows());
}

/// Collects parts in order and writes them to a result tensor, rounded to its dtype.
template <typename T>
class BatchWriter {
 public:
  explicit BatchWriter(Tensor& result) : result_(result) {
    values_.reserve(static_cast<size_t>(result.numel()));
  }

  void add(std::span<const T> part) { values_.insert(values_.end(), part.begin(), part.end()); }

  void add(const Matrix<T>& matrix) { add(matrix.values()); }

  void add(T value) { values_.push_back(value); }

  void finish() {
    require(values_.size() == static_cast<size_t>(result_.numel()), ErrorCode::corrupt,
            "a result of matrices must have the elements that are written:", result_.numel(),
            values_.size());
    result_.copy_from(Tensor::of_bytes(wide_dtype<T>(), result_.sizes(),
                                       std::as_bytes(std::span<const T>(values_))));
  }

 private:
  Tensor& result_;
  std::vector<T> values_;
};

/// The batch dimensions of a tensor of matrices (or of vectors, with part_rank 1).
inline std::vector<int64_t> batch_of(const Tensor& tensor, size_t part_rank = 2) {
  require(tensor.rank() >= part_rank, ErrorCode::corrupt,
          "a batch of matrices must have their dimensions:", tensor.rank(), part_rank);
  return {tensor.sizes().begin(), tensor.sizes().end() - static_cast<ptrdiff_t>(part_rank)};
}

/// Calls f(T()) with the element type in which a tensor's dtype is computed.
template <typename F>
void with_element_type(const Tensor& tensor, F&& f) {
  if (is_complex(tensor.dtype())) {
    f(Complex());
  } else {
    f(double());
  }
}

template <typename T>
BatchReader<T>::BatchReader(const Tensor& tensor, size_t part_rank,
                            const std::vector<int64_t>& batch) {
  const std::vector<int64_t> own = batch_of(tensor, part_rank);
  std::vector<int64_t> sizes = batch;
  std::vector<int64_t> strides(batch.size(), 0);
  require(own.size() <= batch.size(), ErrorCode::corrupt,
          "a batch of matrices must broadcast:", own.size(), batch.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const size_t to = batch.size() - own.size() + i;
    require(own[i] == 1 || own[i] == batch[to], ErrorCode::corrupt,
            "a batch of matrices must broadcast:", own[i], batch[to]);
    strides[to] = own[i] == 1 ? 0 : tensor.strides()[i];
  }
  for (size_t i = own.size(); i < tensor.rank(); ++i) {
    sizes.push_back(tensor.sizes()[i]);
    strides.push_back(tensor.strides()[i]);
  }
  if (part_rank == 2) rows_ = tensor.sizes()[tensor.rank() - 2];
  if (part_rank >= 1) columns_ = tensor.sizes()[tensor.rank() - 1];
  const Tensor dense = tensor.view(std::move(sizes), std::move(strides), tensor.offset())
                           .to(wide_dtype<T>())
                           .contiguous();
  const auto* data = reinterpret_cast<const T*>(dense.data());
  values_.assign(data, data + dense.numel());
}

}  // namespace litz::kernels
