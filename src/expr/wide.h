// Arithmetic on bounds: 128-bit numbers with an infinity, for the range analysis only.

#pragma once

#include <algorithm>

#include "expr/node.h"

namespace litz {

// Represents infinity: far beyond any product of two 64-bit values that matters here.
constexpr Wide kWideInfinity = Wide{1} << 120;

inline Wide wide_lo(Interval range) {
  return range.lo == Interval::kMin ? -kWideInfinity : Wide{range.lo};
}

inline Wide wide_hi(Interval range) {
  return range.hi == Interval::kMax ? kWideInfinity : Wide{range.hi};
}

inline Wide saturated(Wide value) { return std::clamp(value, -kWideInfinity, kWideInfinity); }

inline bool is_infinite(Wide value) { return value <= -kWideInfinity || value >= kWideInfinity; }

inline Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  const Wide signed_infinity = (a < 0) == (b < 0) ? kWideInfinity : -kWideInfinity;
  Wide result = 0;
  if (is_infinite(a) || is_infinite(b) || __builtin_mul_overflow(a, b, &result)) {
    return signed_infinity;
  }
  return saturated(result);
}

// For one-sided bounds only: a correct range cannot contain infinity of the other sign.
inline Wide plus(Wide a, Wide b) {
  if (is_infinite(a)) return a;
  if (is_infinite(b)) return b;
  return saturated(a + b);
}

inline Interval interval_of(Wide lo, Wide hi) {
  constexpr Wide kLeast = Interval::kMin;
  constexpr Wide kMost = Interval::kMax;
  Interval out;
  out.lo = lo < kLeast ? Interval::kMin : static_cast<int64_t>(std::min(lo, kMost));
  out.hi = hi > kMost ? Interval::kMax : static_cast<int64_t>(std::max(hi, kLeast));
  return out;
}

inline Wide power_bound(Wide base, int64_t exponent) {
  Wide result = 1;
  // Saturates after at most 120 doublings, whatever the exponent.
  for (int64_t i = 0; i < exponent && i < 121; ++i) result = times(result, base);
  if (exponent > 121 && base < -1) return exponent % 2 == 0 ? kWideInfinity : -kWideInfinity;
  if (exponent > 121 && base == -1) return exponent % 2 == 0 ? 1 : -1;
  return result;
}

}  // namespace litz
