// Arithmetic on plain numbers, shared by folding and evaluation, so that they cannot disagree.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "expr/node.h"

namespace litz {

double round_half_even(double x) {
  const double down = std::floor(x);
  const double excess = x - down;
  if (excess != 0.5) return std::copysign(excess < 0.5 ? down : down + 1, x);
  return std::copysign(std::fmod(down, 2.0) == 0 ? down : down + 1, x);
}

double round_to_decimals(double x, int64_t decimals) {
  if (!std::isfinite(x)) return x;
  // A double has at most 17 significant digits, between 1e-324 and 1e308.
  if (decimals > 323) return x;
  if (decimals < -308) return std::copysign(0.0, x);
  // Decimal text breaks ties by the exact value of x, as Python does.
  if (decimals >= 0) {
    char text[700];
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(decimals), x);
    return std::strtod(text, nullptr);
  }
  const long double unit = std::pow(10.0L, static_cast<long double>(-decimals));
  const long double scaled = static_cast<long double>(x) / unit;
  const long double down = std::floor(scaled);
  const long double excess = scaled - down;
  const bool up = excess > 0.5L || (excess == 0.5L && std::fmod(down, 2.0L) != 0);
  return static_cast<double>((up ? down + 1 : down) * unit);
}

double divide_integers(int64_t a, int64_t b) {
  if (b == 0) fail_out_of_range("division by zero");
  // 64-bit mantissas hold both operands exactly, but rounding twice could miss by one; round to odd
  // first, which makes the second rounding exact.
  const long double x = a;
  const long double y = b;
  long double quotient = x / y;
  const long double error = std::fma(-quotient, y, x);
  if (error != 0) {
    int exponent = 0;
    const long double mantissa = std::frexp(quotient, &exponent);
    const auto bits = static_cast<uint64_t>(std::ldexp(std::fabs(mantissa), 64));
    const bool below = (error > 0) == (y > 0);  // The exact quotient is above the computed one.
    const bool away = below == (quotient > 0);  // It is farther from zero.
    if (bits % 2 == 0) {
      quotient = std::nextafter(quotient, away ? std::copysign(HUGE_VALL, quotient) : 0.0L);
    }
  }
  return static_cast<double>(quotient);
}

int64_t real_to_int(double x) {
  constexpr double kEdge = 9223372036854775808.0;  // 2^63
  if (!(x >= -kEdge && x < kEdge)) fail_out_of_range("a real value does not fit in 64 bits");
  return static_cast<int64_t>(x);
}

double apply_real_function(ExprKind kind, double x) {
  switch (kind) {
    case ExprKind::trunc_to_int:
    case ExprKind::trunc_real:
      return std::trunc(x);
    case ExprKind::floor_to_int:
      return std::floor(x);
    case ExprKind::ceil_to_int:
      return std::ceil(x);
    case ExprKind::round_to_int:
      return round_half_even(x);
    case ExprKind::abs:
      return std::fabs(x);
    case ExprKind::sign:
      return x > 0 ? 1 : (x < 0 ? -1 : 0);
    case ExprKind::sqrt:
      return std::sqrt(x);
    case ExprKind::cos:
      return std::cos(x);
    case ExprKind::sin:
      return std::sin(x);
    case ExprKind::tan:
      return std::tan(x);
    case ExprKind::cosh:
      return std::cosh(x);
    case ExprKind::sinh:
      return std::sinh(x);
    case ExprKind::tanh:
      return std::tanh(x);
    case ExprKind::asin:
      return std::asin(x);
    case ExprKind::acos:
      return std::acos(x);
    case ExprKind::atan:
      return std::atan(x);
    case ExprKind::asinh:
      return std::asinh(x);
    case ExprKind::exp:
      return std::exp(x);
    case ExprKind::log:
      return std::log(x);
    case ExprKind::log2:
      return std::log2(x);
    default:
      break;
  }
  check(false, "kind is a real function of one argument:", name(kind));
  return 0;
}

bool is_dense(std::span<const int64_t> sizes_then_strides) {
  const size_t rank = sizes_then_strides.size() / 2;
  const auto sizes = sizes_then_strides.first(rank);
  const auto strides = sizes_then_strides.subspan(rank);
  if (rank == 1) return sizes[0] < 2 || strides[0] == 1;
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  // Dimensions of size 0 or 1 do not matter and go last.
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const bool matters_a = sizes[a] >= 2;
    const bool matters_b = sizes[b] >= 2;
    if (matters_a != matters_b) return matters_a;
    return matters_a && strides[a] < strides[b];
  });
  Wide expected = 1;
  for (const size_t dimension : order) {
    if (sizes[dimension] < 2) return true;
    if (strides[dimension] != expected) return false;
    expected *= sizes[dimension];
    if (expected > INT64_MAX) fail_out_of_range("element count does not fit in 64 bits");
  }
  return true;
}

}  // namespace litz
