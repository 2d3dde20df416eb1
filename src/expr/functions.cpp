// The remaining functions (shifts, bits, reals, rounding, signs), and `apply`, which builds all.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/node.h"

namespace litz {
namespace {

// Above this, doubles represent only some of the integers.
constexpr int64_t kExactDouble = int64_t{1} << 53;

struct KindInfo {
  ExprKind kind;
  std::string_view name;
  int least;  ///< Minimum number of operands.
  int most;   ///< Maximum; -1: any number.
};

constexpr KindInfo kKinds[] = {
    {ExprKind::constant, "constant", 0, 0},
    {ExprKind::symbol, "symbol", 0, 0},
    {ExprKind::add, "add", 1, -1},
    {ExprKind::mul, "mul", 1, -1},
    {ExprKind::floor_div, "floor_div", 2, 2},
    {ExprKind::mod, "mod", 2, 2},
    {ExprKind::clean_div, "clean_div", 2, 2},
    {ExprKind::ceil_div, "ceil_div", 2, 2},
    {ExprKind::pow, "pow", 2, 2},
    {ExprKind::min, "min", 1, -1},
    {ExprKind::max, "max", 1, -1},
    {ExprKind::where, "where", 3, 3},
    {ExprKind::shift_left, "shift_left", 2, 2},
    {ExprKind::shift_right, "shift_right", 2, 2},
    {ExprKind::bit_and, "bit_and", 2, 2},
    {ExprKind::bit_or, "bit_or", 2, 2},
    {ExprKind::bit_xor, "bit_xor", 2, 2},
    {ExprKind::eq, "eq", 2, 2},
    {ExprKind::ne, "ne", 2, 2},
    {ExprKind::lt, "lt", 2, 2},
    {ExprKind::le, "le", 2, 2},
    {ExprKind::logical_and, "logical_and", 1, -1},
    {ExprKind::logical_or, "logical_or", 1, -1},
    {ExprKind::logical_not, "logical_not", 1, 1},
    {ExprKind::to_real, "to_real", 1, 1},
    {ExprKind::true_div, "true_div", 2, 2},
    {ExprKind::trunc_to_int, "trunc_to_int", 1, 1},
    {ExprKind::floor_to_int, "floor_to_int", 1, 1},
    {ExprKind::ceil_to_int, "ceil_to_int", 1, 1},
    {ExprKind::round_to_int, "round_to_int", 1, 1},
    {ExprKind::trunc_real, "trunc_real", 1, 1},
    {ExprKind::round_decimals, "round_decimals", 2, 2},
    {ExprKind::abs, "abs", 1, 1},
    {ExprKind::sign, "sign", 1, 1},
    {ExprKind::dense_indicator, "dense_indicator", 0, -1},
    {ExprKind::sqrt, "sqrt", 1, 1},
    {ExprKind::cos, "cos", 1, 1},
    {ExprKind::sin, "sin", 1, 1},
    {ExprKind::tan, "tan", 1, 1},
    {ExprKind::cosh, "cosh", 1, 1},
    {ExprKind::sinh, "sinh", 1, 1},
    {ExprKind::tanh, "tanh", 1, 1},
    {ExprKind::asin, "asin", 1, 1},
    {ExprKind::acos, "acos", 1, 1},
    {ExprKind::atan, "atan", 1, 1},
    {ExprKind::asinh, "asinh", 1, 1},
    {ExprKind::exp, "exp", 1, 1},
    {ExprKind::log, "log", 1, 1},
    {ExprKind::log2, "log2", 1, 1},
};

constexpr bool kinds_are_in_order() {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (static_cast<size_t>(kKinds[i].kind) != i) return false;
  }
  return std::size(kKinds) == static_cast<size_t>(ExprKind::log2) + 1;
}

static_assert(kinds_are_in_order(), "kKinds is indexed by kind");

const KindInfo& info(ExprKind kind) { return kKinds[static_cast<size_t>(kind)]; }

Expr shift_left(Expr a, Expr b) {
  const auto amount = b.maybe_constant();
  if (amount && *amount < 0) fail_out_of_range("negative shift");
  if (amount && *amount < 63) return a * Expr(int64_t{1} << *amount);
  if (a.is(0)) return 0;
  if (amount && a.is_constant()) fail_out_of_range("shifted value does not fit in 64 bits");
  return intern(ExprKind::shift_left, ExprDomain::integer, {a, b});
}

Expr shift_right(Expr a, Expr b) {
  const auto amount = b.maybe_constant();
  if (amount && *amount < 0) fail_out_of_range("negative shift");
  if (amount && *amount < 63) return floor_div(a, Expr(int64_t{1} << *amount));
  if (a.is(0)) return 0;
  if (amount && a.is_constant()) return a.constant() < 0 ? -1 : 0;
  return intern(ExprKind::shift_right, ExprDomain::integer, {a, b});
}

int64_t fold_bits(ExprKind kind, int64_t a, int64_t b) {
  if (kind == ExprKind::bit_and) return a & b;
  return kind == ExprKind::bit_or ? a | b : a ^ b;
}

Expr bitwise(ExprKind kind, Expr a, Expr b) {
  if (a.is_constant() && b.is_constant()) return fold_bits(kind, a.constant(), b.constant());
  if (compare(a, b) > 0) std::swap(a, b);  // Puts a constant first.
  if (a == b) return kind == ExprKind::bit_xor ? Expr(0) : a;
  if (a.is(0)) return kind == ExprKind::bit_and ? Expr(0) : b;
  if (a.is(-1) && kind == ExprKind::bit_and) return b;
  if (a.is(-1) && kind == ExprKind::bit_or) return a;
  if (kind == ExprKind::bit_and && a.is_constant() && a.constant() > 0) {
    // A mask of low bits is a remainder, in two's complement for negative values too.
    const int64_t mask = a.constant();
    if (mask != INT64_MAX && (mask & (mask + 1)) == 0) return mod(b, mask + 1);
  }
  return intern(kind, ExprDomain::integer, {a, b});
}

Expr absolute(Expr a) {
  if (a.domain() == ExprDomain::real) {
    if (a.is_constant()) return Expr::real(std::fabs(a.real_constant()));
    return intern(ExprKind::abs, ExprDomain::real, {a});
  }
  require_domain(a, ExprDomain::integer, "abs");
  const Interval range = range_of(a);
  if (range.lo >= 0) return a;
  if (range.hi <= 0) return -a;
  return intern(ExprKind::abs, ExprDomain::integer, {a});
}

Expr signum(Expr a) {
  if (a.domain() == ExprDomain::real) {
    if (a.is_constant()) {
      const double x = a.real_constant();
      return Expr::real(x > 0 ? 1 : (x < 0 ? -1 : 0));
    }
    return intern(ExprKind::sign, ExprDomain::real, {a});
  }
  require_domain(a, ExprDomain::integer, "sign");
  const Interval range = range_of(a);
  if (range.lo > 0) return 1;
  if (range.hi < 0) return -1;
  if (range.lo == 0 && range.hi == 0) return 0;
  return intern(ExprKind::sign, ExprDomain::integer, {a});
}

Expr rounding(ExprKind kind, Expr a) {
  if (a.domain() == ExprDomain::integer) return a;
  require_domain(a, ExprDomain::real, info(kind).name.data());
  if (a.is_constant()) return real_to_int(apply_real_function(kind, a.real_constant()));
  if (a.kind() == ExprKind::to_real) {
    // The conversion to double and back is the identity only if every integer is a double.
    const Interval range = range_of(a.operands()[0]);
    if (range.lo >= -kExactDouble && range.hi <= kExactDouble) return a.operands()[0];
  }
  return intern(kind, ExprDomain::integer, {a});
}

Expr real_unary(ExprKind kind, Expr a) {
  require_domain(a, ExprDomain::real, info(kind).name.data());
  if (a.is_constant()) return Expr::real(apply_real_function(kind, a.real_constant()));
  return intern(kind, ExprDomain::real, {a});
}

Expr real_power(Expr a, Expr b) {
  require_domain(a, ExprDomain::real, "pow");
  require_domain(b, ExprDomain::real, "pow");
  if (a.is_constant() && b.is_constant()) {
    return Expr::real(std::pow(a.real_constant(), b.real_constant()));
  }
  return intern(ExprKind::pow, ExprDomain::real, {a, b});
}

Expr round_at(Expr a, Expr decimals) {
  require_domain(a, ExprDomain::real, "round_decimals");
  require_domain(decimals, ExprDomain::integer, "round_decimals");
  if (a.is_constant() && decimals.is_constant()) {
    return Expr::real(round_to_decimals(a.real_constant(), decimals.constant()));
  }
  return intern(ExprKind::round_decimals, ExprDomain::real, {a, decimals});
}

Expr dense_indicator(std::span<const Expr> operands) {
  require(operands.size() % 2 == 0, "as many sizes as strides are needed:", operands.size());
  for (const Expr& operand : operands) {
    require_domain(operand, ExprDomain::integer, "dense_indicator");
  }
  if (std::ranges::all_of(operands, &Expr::is_constant)) {
    std::vector<int64_t> values;
    for (const Expr& operand : operands) values.push_back(operand.constant());
    return is_dense(values) ? 1 : 0;
  }
  return intern(ExprKind::dense_indicator, ExprDomain::integer, operands);
}

void require_integers(std::span<const Expr> operands, ExprKind kind) {
  for (const Expr& operand : operands) {
    require_domain(operand, ExprDomain::integer, info(kind).name.data());
  }
}

}  // namespace

std::string_view name(ExprKind kind) { return info(kind).name; }

Expr to_real(Expr a) {
  require_domain(a, ExprDomain::integer, "to_real");
  if (a.is_constant()) return Expr::real(static_cast<double>(a.constant()));
  return intern(ExprKind::to_real, ExprDomain::real, {a});
}

Expr true_div(Expr a, Expr b) {
  require(a.domain() != ExprDomain::boolean, "true_div takes numbers");
  require_domain(b, a.domain(), "true_div");
  if (b.is(0)) fail_out_of_range("division by zero");
  if (a.is_constant() && b.is_constant()) {
    if (a.domain() == ExprDomain::integer) {
      return Expr::real(divide_integers(a.constant(), b.constant()));
    }
    if (b.real_constant() == 0) fail_out_of_range("division by zero");
    return Expr::real(a.real_constant() / b.real_constant());
  }
  return intern(ExprKind::true_div, ExprDomain::real, {a, b});
}

Expr apply(ExprKind kind, std::span<const Expr> operands) {
  const KindInfo& shape = info(kind);
  const auto count = static_cast<int>(operands.size());
  require(count >= shape.least && (shape.most < 0 || count <= shape.most),
          "symbolic functions take a fixed number of operands:", shape.name, "got", count);
  switch (kind) {
    case ExprKind::constant:
    case ExprKind::symbol:
      break;
    case ExprKind::add:
      return sum(operands);
    case ExprKind::mul:
      return product(operands);
    case ExprKind::floor_div:
      return floor_div(operands[0], operands[1]);
    case ExprKind::mod:
      return mod(operands[0], operands[1]);
    case ExprKind::clean_div:
      return clean_div(operands[0], operands[1]);
    case ExprKind::ceil_div:
      return ceil_div(operands[0], operands[1]);
    case ExprKind::pow:
      return operands[0].domain() == ExprDomain::real ? real_power(operands[0], operands[1])
                                                      : pow(operands[0], operands[1]);
    case ExprKind::min:
      return min(operands);
    case ExprKind::max:
      return max(operands);
    case ExprKind::where:
      return where(operands[0], operands[1], operands[2]);
    case ExprKind::shift_left:
      require_integers(operands, kind);
      return shift_left(operands[0], operands[1]);
    case ExprKind::shift_right:
      require_integers(operands, kind);
      return shift_right(operands[0], operands[1]);
    case ExprKind::bit_and:
    case ExprKind::bit_or:
    case ExprKind::bit_xor:
      require_integers(operands, kind);
      return bitwise(kind, operands[0], operands[1]);
    case ExprKind::eq:
      return eq(operands[0], operands[1]);
    case ExprKind::ne:
      return ne(operands[0], operands[1]);
    case ExprKind::lt:
      return lt(operands[0], operands[1]);
    case ExprKind::le:
      return le(operands[0], operands[1]);
    case ExprKind::logical_and:
      return logical_and(operands);
    case ExprKind::logical_or:
      return logical_or(operands);
    case ExprKind::logical_not:
      return logical_not(operands[0]);
    case ExprKind::to_real:
      return to_real(operands[0]);
    case ExprKind::true_div:
      return true_div(operands[0], operands[1]);
    case ExprKind::trunc_to_int:
    case ExprKind::floor_to_int:
    case ExprKind::ceil_to_int:
    case ExprKind::round_to_int:
      return rounding(kind, operands[0]);
    case ExprKind::round_decimals:
      return round_at(operands[0], operands[1]);
    case ExprKind::abs:
      return absolute(operands[0]);
    case ExprKind::sign:
      return signum(operands[0]);
    case ExprKind::dense_indicator:
      return dense_indicator(operands);
    case ExprKind::trunc_real:
    case ExprKind::sqrt:
    case ExprKind::cos:
    case ExprKind::sin:
    case ExprKind::tan:
    case ExprKind::cosh:
    case ExprKind::sinh:
    case ExprKind::tanh:
    case ExprKind::asin:
    case ExprKind::acos:
    case ExprKind::atan:
    case ExprKind::asinh:
    case ExprKind::exp:
    case ExprKind::log:
    case ExprKind::log2:
      return real_unary(kind, operands[0]);
  }
  fail(ErrorCode::invalid_argument, "only functions are applied, not", shape.name);
}

}  // namespace litz
