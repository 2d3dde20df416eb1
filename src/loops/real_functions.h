// Scalar functions of reals that the C library lacks or defines otherwise, for float and double.

#pragma once

#include <cmath>

namespace litz::loops {

/// Python's floor division: floor(a / b) without the error of the rounded quotient.
template <typename T>
T real_floor_div(T a, T b) {
  if (b == 0) return a / b;
  const T remainder = std::fmod(a, b);
  T quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T whole = std::floor(quotient);
  return quotient - whole > T{0.5} ? whole + 1 : whole;
}

/// Python's modulo: the sign of the divisor.
template <typename T>
T real_mod(T a, T b) {
  const T remainder = std::fmod(a, b);
  return remainder != 0 && (b < 0) != (remainder < 0) ? remainder + b : remainder;
}

// Evaluated in the given type, to about two units of its last place.
double erfinv(double x);
long double erfinv(long double x);
double digamma(double x);
long double digamma(long double x);
/// Re-entrant, unlike std::lgamma.
double log_gamma(double x);
long double log_gamma(long double x);

}  // namespace litz::loops
