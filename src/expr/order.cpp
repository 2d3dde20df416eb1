// The canonical order of expressions, and checked 64-bit arithmetic.
//
// The order depends only on structure and symbol names, so two pools with the same program print
// the same text, independent of earlier operations.

#include <algorithm>
#include <limits>

#include "expr/node.h"

namespace litz {
namespace {

int sign_of(auto a, auto b) { return a < b ? -1 : (a > b ? 1 : 0); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// s2 precedes s10: the digits at the end compare as a number.
int compare_names(std::string_view a, std::string_view b) {
  const auto stem = [](std::string_view name) {
    size_t end = name.size();
    while (end > 0 && is_digit(name[end - 1])) --end;
    return end;
  };
  const size_t stem_a = stem(a);
  const size_t stem_b = stem(b);
  if (const int order = a.substr(0, stem_a).compare(b.substr(0, stem_b)); order != 0) {
    return order < 0 ? -1 : 1;
  }
  if (const int order = sign_of(a.size(), b.size()); order != 0) return order;
  return sign_of(a.compare(b), 0);
}

int compare_symbols(const ExprNode& a, const ExprNode& b) {
  check(a.pool == b.pool, "operands of one expression share a pool");
  const auto& pool = a.pool->impl();
  const int order =
      compare_names(pool.symbols[a.symbol].info.name, pool.symbols[b.symbol].info.name);
  return order != 0 ? order : sign_of(a.symbol, b.symbol);
}

}  // namespace

int compare(Expr a, Expr b) {
  if (a == b) return 0;
  if (a.is_constant() || b.is_constant()) {
    if (a.is_constant() != b.is_constant()) return a.is_constant() ? -1 : 1;
    if (a.domain() != b.domain()) return sign_of(a.domain(), b.domain());
    return sign_of(ExprAccess::bits(a), ExprAccess::bits(b));
  }
  const ExprNode& x = *a.node();
  const ExprNode& y = *b.node();
  if (x.kind != y.kind) return sign_of(x.kind, y.kind);
  if (x.domain != y.domain) return sign_of(x.domain, y.domain);
  if (x.kind == ExprKind::symbol) return compare_symbols(x, y);
  const size_t shared = std::min(x.operand_count, y.operand_count);
  for (size_t i = 0; i < shared; ++i) {
    if (const int order = compare(x.operands()[i], y.operands()[i]); order != 0) return order;
  }
  return sign_of(x.operand_count, y.operand_count);
}

void fail_out_of_range(const char* why) {
  fail(ErrorCode::out_of_range, "shape expression out of range:", why);
}

int64_t narrow(Wide value) {
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max()) {
    fail_out_of_range("the value does not fit in 64 bits");
  }
  return static_cast<int64_t>(value);
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) fail_out_of_range("sum does not fit in 64 bits");
  return result;
}

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) fail_out_of_range("product does not fit in 64 bits");
  return result;
}

int64_t checked_power(int64_t base, int64_t exponent) {
  if (exponent < 0) fail_out_of_range("integer power with a negative exponent");
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent > 64) fail_out_of_range("power does not fit in 64 bits");
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) result = checked_multiply(result, base);
  return result;
}

Wide floor_quotient(Wide a, Wide b) {
  if (b == 0) fail_out_of_range("division by zero");
  const Wide quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return narrow(-Wide{a});
  if (b == 0) fail_out_of_range("division by zero");
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

int64_t floor_remainder(int64_t a, int64_t b) {
  if (b == -1) return 0;
  if (b == 0) fail_out_of_range("modulus by zero");
  const int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

}  // namespace litz
