#include "loops/opaque_function.h"

#include <algorithm>

#include "support/check.h"

namespace litz::loops {
namespace {

void require_divisor(int64_t b) {
  require(b != 0, ErrorCode::out_of_range, "shape expression out of range: division by zero");
}

int64_t floor_quotient(int64_t a, int64_t b) {
  require_divisor(b);
  // Machines divide 32-bit words several times faster, and most indices are small and positive.
  if ((static_cast<uint64_t>(a | b) >> 32) == 0) {
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  }
  if (b == -1) return -a;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <typename F>
void apply(int64_t* a, const int64_t* b, int64_t lanes, F function) {
  for (int64_t i = 0; i < lanes; ++i) a[i] = function(a[i], b[i]);
}

}  // namespace

void apply_opaque(ExprKind kind, int64_t* a, const int64_t* b, int64_t lanes) {
  const auto by = [&](auto function) { apply(a, b, lanes, function); };
  switch (kind) {
    case ExprKind::mul:
      return by([](int64_t x, int64_t y) { return x * y; });
    case ExprKind::floor_div:
      return by(floor_quotient);
    case ExprKind::mod:
      return by([](int64_t x, int64_t y) { return x - floor_quotient(x, y) * y; });
    case ExprKind::ceil_div:
      return by([](int64_t x, int64_t y) { return -floor_quotient(-x, y); });
    case ExprKind::clean_div:
      return by([](int64_t x, int64_t y) {
        const int64_t quotient = floor_quotient(x, y);
        require(quotient * y == x, ErrorCode::out_of_range,
                "shape expression out of range: a quotient must be exact:", x, y);
        return quotient;
      });
    case ExprKind::min:
      return by([](int64_t x, int64_t y) { return std::min(x, y); });
    case ExprKind::max:
      return by([](int64_t x, int64_t y) { return std::max(x, y); });
    case ExprKind::eq:
      return by([](int64_t x, int64_t y) -> int64_t { return x == y; });
    case ExprKind::ne:
      return by([](int64_t x, int64_t y) -> int64_t { return x != y; });
    case ExprKind::lt:
      return by([](int64_t x, int64_t y) -> int64_t { return x < y; });
    case ExprKind::le:
      return by([](int64_t x, int64_t y) -> int64_t { return x <= y; });
    case ExprKind::logical_and:
      return by([](int64_t x, int64_t y) -> int64_t { return x != 0 && y != 0; });
    case ExprKind::logical_or:
      return by([](int64_t x, int64_t y) -> int64_t { return x != 0 || y != 0; });
    case ExprKind::logical_not:
      return by([](int64_t x, int64_t) -> int64_t { return x == 0; });
    case ExprKind::abs:
      return by([](int64_t x, int64_t) { return x < 0 ? -x : x; });
    default:
      check(false, "an index function must be one that lanes compute:", static_cast<int>(kind));
  }
}

}  // namespace litz::loops
