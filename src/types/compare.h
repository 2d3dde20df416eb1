// Compares a result with the expected one.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/dtype.h"
#include "types/tensor.h"

namespace litz {

/// The outcome of `compare`. The worst element is the one with the largest absolute error;
/// a NaN or an infinity on one side only counts as an infinite error.
struct Comparison {
  DType actual_dtype = DType::f32;
  DType expected_dtype = DType::f32;
  std::vector<int64_t> actual_sizes;
  std::vector<int64_t> expected_sizes;

  int64_t element_count = 0;
  int64_t mismatch_count = 0;
  double worst_absolute = 0;
  double expected_magnitude = 0;     ///< Largest finite |expected|.
  std::vector<int64_t> worst_index;  ///< Empty if nothing differs.
  std::string actual_at_worst;
  std::string expected_at_worst;

  bool same_dtype() const { return actual_dtype == expected_dtype; }

  bool same_sizes() const { return actual_sizes == expected_sizes; }

  /// Sizes agree and every element is within tolerance; ignores dtypes.
  bool values_match() const { return same_sizes() && mismatch_count == 0; }

  /// True if dtype, sizes and values match.
  bool matches() const { return same_dtype() && values_match(); }

  /// The worst absolute error divided by the largest expected magnitude: one number for a whole
  /// tensor, independent of small elements. Infinite if only the error is non-zero.
  double worst_relative() const;
  /// One line for people: what differs, where and how much, or how close the tensors are.
  std::string message() const;
};

/// Compares element by element: |actual - expected| <= atol + rtol * |expected|, with NaN equal to
/// NaN and infinities equal to themselves. Booleans and integers (on both sides) must be equal;
/// tolerances do not apply to them. Complex errors are distances in the plane. Tensors of different
/// sizes are not compared further. Tolerances must be >= 0.
Comparison compare(const Tensor& actual, const Tensor& expected, double rtol, double atol);

}  // namespace litz
