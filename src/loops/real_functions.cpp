#include "loops/real_functions.h"

#include <array>
#include <limits>
#include <math.h>  // lgamma_r is not in <cmath>.
#include <numbers>

namespace litz::loops {
namespace {

// A first guess to about three digits, from the tail of the logarithm (Winitzki's form).
template <typename F>
F guess_erfinv(F x) {
  constexpr F kShape = F(0.147L);
  const F tail = std::log1p(-x * x);
  const F half = 2 / (std::numbers::pi_v<F> * kShape) + tail / 2;
  return std::copysign(std::sqrt(std::sqrt(half * half - tail / kShape) - half), x);
}

// Halley's method on erf(y) - x; near one on erfc(y) - (1 - x), where erf has no digits left.
template <typename F>
F solve_erfinv(F x) {
  if (std::isnan(x) || std::abs(x) > 1) return std::numeric_limits<F>::quiet_NaN();
  if (std::abs(x) == 1) return std::copysign(std::numeric_limits<F>::infinity(), x);
  if (x == 0) return x;
  const F magnitude = std::abs(x);
  // Below this the first term of the series is all there is.
  if (magnitude < F(1e-9L) && sizeof(F) == 8) return x * (std::sqrt(std::numbers::pi_v<F>) / 2);
  F y = guess_erfinv(magnitude);
  for (int step = 0; step < 4; ++step) {
    const F error = magnitude < F(0.5L) ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
    const F slope = 2 * std::numbers::inv_sqrtpi_v<F> * std::exp(-y * y);
    const F newton = error / slope;
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

// Recurrence upwards until the asymptotic series has converged.
template <typename F>
F solve_digamma(F x) {
  if (x == 0) return std::copysign(std::numeric_limits<F>::infinity(), -x);
  if (x < 0) {
    if (std::trunc(x) == x) return std::numeric_limits<F>::quiet_NaN();
    // Reflection; the distance from the nearest pole is exact, and keeps the tangent accurate.
    const F fraction = x - std::round(x);
    return solve_digamma(1 - x) -
           std::numbers::pi_v<F> / std::tan(std::numbers::pi_v<F> * fraction);
  }
  F shift = 0;
  while (x < 15) {
    shift -= 1 / x;
    x += 1;
  }
  if (std::isinf(x)) return x;
  // B(2k) / 2k.
  constexpr std::array<F, 8> kSeries{F(1.0L / 12),   F(-1.0L / 120),    F(1.0L / 252),
                                     F(-1.0L / 240), F(1.0L / 132),     F(-691.0L / 32760),
                                     F(1.0L / 12),   F(-3617.0L / 8160)};
  const F inverse_square = 1 / (x * x);
  F power = inverse_square;
  F series = 0;
  for (const F coefficient : kSeries) {
    series += coefficient * power;
    power *= inverse_square;
  }
  return shift + (std::log(x) - F(0.5L) / x - series);
}

}  // namespace

double erfinv(double x) { return solve_erfinv(x); }

long double erfinv(long double x) { return solve_erfinv(x); }

double digamma(double x) { return solve_digamma(x); }

long double digamma(long double x) { return solve_digamma(x); }

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

long double log_gamma(long double x) {
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

}  // namespace litz::loops
