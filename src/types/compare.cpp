#include "types/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "support/check.h"
#include "support/text.h"
#include "types/strided_copy.h"

namespace litz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kChunk = 1024;

/// The distance between two numbers; 0 if both are NaN or the same infinity, infinite if only one
/// is finite.
double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  double difference = std::abs(actual - expected);
  return std::isnan(difference) ? kInfinity : difference;
}

double distance(std::complex<double> actual, std::complex<double> expected) {
  double real = distance(actual.real(), expected.real());
  double imaginary = distance(actual.imag(), expected.imag());
  return std::hypot(real, imaginary);
}

/// Exact for all 64 bits: two different integers always have a distance of at least 1.
double distance(int64_t actual, int64_t expected) {
  if (actual == expected) return 0;
  uint64_t gap = actual > expected
                     ? static_cast<uint64_t>(actual) - static_cast<uint64_t>(expected)
                     : static_cast<uint64_t>(expected) - static_cast<uint64_t>(actual);
  return static_cast<double>(gap);
}

double magnitude(double value) { return std::abs(value); }

double magnitude(int64_t value) { return std::abs(static_cast<double>(value)); }

double magnitude(std::complex<double> value) { return std::abs(value); }

std::string text_of(double value) { return rounded(value, 9); }

std::string text_of(int64_t value) { return std::to_string(value); }

std::string text_of(std::complex<double> value) { return rounded(value, 9); }

std::vector<int64_t> index_of(int64_t position, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

/// Compares values in the common type T, a chunk of both sides at a time.
template <typename T>
void compare_as(const Tensor& actual, const Tensor& expected, double rtol, double atol,
                Comparison& result) {
  std::array<T, kChunk> actual_values;
  std::array<T, kChunk> expected_values;
  auto load_run = [](const Tensor& from, int64_t first, int64_t count, std::array<T, kChunk>& to) {
    cast_elements(reinterpret_cast<std::byte*>(to.data()), dtype_of<T>(),
                  from.data() + first * item_size(from.dtype()), from.dtype(), count);
  };
  for (int64_t first = 0; first < result.element_count; first += kChunk) {
    int64_t count = std::min(kChunk, result.element_count - first);
    load_run(actual, first, count, actual_values);
    load_run(expected, first, count, expected_values);
    for (int64_t i = 0; i < count; ++i) {
      auto k = static_cast<size_t>(i);
      double size = magnitude(expected_values[k]);
      if (std::isfinite(size))
        result.expected_magnitude = std::max(result.expected_magnitude, size);
      double error = distance(actual_values[k], expected_values[k]);
      if (error == 0) continue;
      // An infinite expected value must not make its own tolerance infinite.
      if (!(error <= atol + rtol * size) || std::isinf(error)) ++result.mismatch_count;
      if (error > result.worst_absolute) {
        result.worst_absolute = error;
        result.worst_index = index_of(first + i, result.expected_sizes);
        result.actual_at_worst = text_of(actual_values[k]);
        result.expected_at_worst = text_of(expected_values[k]);
      }
    }
  }
}

std::string dtype_note(const Comparison& comparison) {
  if (comparison.same_dtype()) return "";
  return "dtype " + std::string(name(comparison.actual_dtype)) + " is not the expected " +
         std::string(name(comparison.expected_dtype)) + "; ";
}

bool is_exact(DType dtype) { return is_integer(dtype) || dtype == DType::bool_; }

}  // namespace

double Comparison::worst_relative() const {
  if (worst_absolute == 0) return 0;
  return expected_magnitude == 0 ? kInfinity : worst_absolute / expected_magnitude;
}

std::string Comparison::message() const {
  std::string text = dtype_note(*this);
  if (!same_sizes()) {
    return text + "sizes [" + join(actual_sizes, ", ") + "] are not the expected [" +
           join(expected_sizes, ", ") + "]";
  }
  const std::string count = std::to_string(element_count);
  if (worst_absolute == 0) return text + "all " + count + " elements equal";
  if (mismatch_count == 0) {
    text += "all " + count + " elements within tolerance";
  } else {
    text += std::to_string(mismatch_count) + " of " + count + " elements differ";
  }
  text += "; worst at [" + join(worst_index, ", ") + "]: " + actual_at_worst + ", expected " +
          expected_at_worst + " (largest difference " + rounded(worst_absolute, 3);
  if (std::isfinite(worst_relative())) {
    text += ", that is " + rounded(worst_relative(), 3) + " of the largest expected value";
  }
  return text + ")";
}

Comparison compare(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
  require(rtol >= 0 && atol >= 0, "tolerances must not be negative:", rtol, atol);
  check(actual.defined() && expected.defined(), "compared tensors must be defined");
  Comparison result;
  result.actual_dtype = actual.dtype();
  result.expected_dtype = expected.dtype();
  result.actual_sizes = actual.sizes();
  result.expected_sizes = expected.sizes();
  if (!result.same_sizes()) return result;
  result.element_count = expected.numel();
  Tensor dense_actual = actual.contiguous();
  Tensor dense_expected = expected.contiguous();
  if (is_exact(actual.dtype()) && is_exact(expected.dtype())) {
    compare_as<int64_t>(dense_actual, dense_expected, 0, 0, result);
  } else if (is_complex(actual.dtype()) || is_complex(expected.dtype())) {
    compare_as<std::complex<double>>(dense_actual, dense_expected, rtol, atol, result);
  } else {
    compare_as<double>(dense_actual, dense_expected, rtol, atol, result);
  }
  return result;
}

}  // namespace litz
