// Functions of complex numbers that the C++ library lacks, or defines differently from PyTorch.

#pragma once

#include <cmath>
#include <complex>
#include <numbers>

namespace litz {

/// The plain formula: std::complex recovers infinities from NaN, which PyTorch does not.
inline std::complex<double> complex_product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Smith's method, in the type of the parts: divides by the larger part of the divisor.
template <typename T>
std::complex<T> complex_quotient(std::complex<T> a, std::complex<T> b) {
  const T real_size = std::abs(b.real());
  const T imaginary_size = std::abs(b.imag());
  if (real_size == 0 && imaginary_size == 0) {
    return {a.real() / real_size, a.imag() / imaginary_size};
  }
  if (real_size >= imaginary_size) {
    const T ratio = b.imag() / b.real();
    const T scale = 1 / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const T ratio = b.real() / b.imag();
  const T scale = 1 / (b.imag() + b.real() * ratio);
  return {(a.imag() + a.real() * ratio) * scale, (a.imag() * ratio - a.real()) * scale};
}

/// The direction: magnitude 1; 0 for 0.
inline std::complex<double> complex_direction(std::complex<double> a) {
  const double magnitude = std::abs(a);
  if (magnitude == 0) return 0;
  return {a.real() / magnitude, a.imag() / magnitude};
}

inline std::complex<double> complex_expm1(std::complex<double> a) {
  const double half_sine = std::sin(a.imag() / 2);
  return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half_sine * half_sine,
          std::exp(a.real()) * std::sin(a.imag())};
}

/// Kahan's method: corrects the logarithm by the rounding error of 1 + a.
inline std::complex<double> complex_log1p(std::complex<double> a) {
  const std::complex<double> sum(a.real() + 1, a.imag());
  if (sum == 1.0) return a;
  const std::complex<double> rounded(sum.real() - 1, sum.imag());
  if (rounded == a) return std::log(sum);
  return complex_product(std::log(sum), complex_quotient(a, rounded));
}

inline std::complex<double> complex_rsqrt(std::complex<double> a) {
  return complex_quotient(std::complex<double>(1), std::sqrt(a));
}

inline std::complex<double> complex_exp2(std::complex<double> a) {
  return std::exp(a * std::numbers::ln2);
}

inline std::complex<double> complex_log2(std::complex<double> a) {
  return std::log(a) / std::numbers::ln2;
}

}  // namespace litz
