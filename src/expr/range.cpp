// The range of a node from the ranges of its operands: intervals of integers and of reals.
//
// Intervals forget how the terms of a sum are related (s0 - s0//2 looks unbounded), so bounds.cpp
// computes ranges of sums.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/node.h"
#include "expr/wide.h"

namespace litz {
namespace {

Interval multiply(Interval a, Interval b) {
  const std::array<Wide, 4> corners{times(wide_lo(a), wide_lo(b)), times(wide_lo(a), wide_hi(b)),
                                    times(wide_hi(a), wide_lo(b)), times(wide_hi(a), wide_hi(b))};
  const auto [lo, hi] = std::ranges::minmax(corners);
  return interval_of(lo, hi);
}

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Wide quotient_bound(Wide a, Wide b) {
  if (is_infinite(a)) return (a < 0) == (b < 0) ? kWideInfinity : -kWideInfinity;
  if (is_infinite(b)) return (a < 0) == (b < 0) || a == 0 ? 0 : -1;
  return floor_quotient(a, b);
}

// The quotient over the part of the divisor on one side of 0.
Interval floor_div_by(Interval a, Interval b) {
  const std::array<Wide, 4> corners{
      quotient_bound(wide_lo(a), wide_lo(b)), quotient_bound(wide_lo(a), wide_hi(b)),
      quotient_bound(wide_hi(a), wide_lo(b)), quotient_bound(wide_hi(a), wide_hi(b))};
  const auto [lo, hi] = std::ranges::minmax(corners);
  return interval_of(lo, hi);
}

Interval floor_div_range(Interval a, Interval b) {
  // Division by zero is an error, so 0 contributes no value.
  std::optional<Interval> result;
  if (b.hi > 0) result = floor_div_by(a, {std::max<int64_t>(b.lo, 1), b.hi});
  if (b.lo < 0) {
    const Interval negative = floor_div_by(a, {b.lo, std::min<int64_t>(b.hi, -1)});
    result = result ? hull(*result, negative) : negative;
  }
  return result.value_or(Interval{});
}

Interval mod_range(Interval a, Interval b) {
  if (b.lo >= 1) {
    Interval out{0, b.hi == Interval::kMax ? b.hi : b.hi - 1};
    if (a.lo >= 0) out.hi = std::min(out.hi, a.hi);
    return out;
  }
  const int64_t lo = b.lo == Interval::kMin ? b.lo : std::min<int64_t>(b.lo, -1) + 1;
  const int64_t hi = b.hi == Interval::kMax ? b.hi : std::max<int64_t>(b.hi, 1) - 1;
  return {lo, hi};
}

Interval pow_range(Interval base, Interval exponent) {
  if (exponent.lo == exponent.hi && exponent.lo >= 0) {
    const int64_t k = exponent.lo;
    if (k == 0) return {1, 1};
    const Wide lo = power_bound(wide_lo(base), k);
    const Wide hi = power_bound(wide_hi(base), k);
    if (k % 2 == 1) return interval_of(lo, hi);
    return interval_of(base.contains(0) ? 0 : std::min(lo, hi), std::max(lo, hi));
  }
  if (base.lo >= 1) return {1, Interval::kMax};
  if (base.lo >= 0) return {0, Interval::kMax};
  return {};
}

// A mask of all bits that a value in [0, hi] may use.
int64_t bit_ceiling(int64_t hi) {
  int64_t mask = hi;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  return mask;
}

Interval bit_range(ExprKind kind, Interval a, Interval b) {
  if (kind == ExprKind::bit_and) {
    if (a.lo >= 0 && b.lo >= 0) return {0, std::min(a.hi, b.hi)};
    if (a.lo >= 0) return {0, a.hi};
    if (b.lo >= 0) return {0, b.hi};
    return {};
  }
  if (a.lo < 0 || b.lo < 0) return {};
  return {kind == ExprKind::bit_or ? std::max(a.lo, b.lo) : 0, bit_ceiling(std::max(a.hi, b.hi))};
}

Interval shift_range(ExprKind kind, Interval a, Interval b) {
  if (kind == ExprKind::shift_right)
    return {std::min<int64_t>(a.lo, 0), std::max<int64_t>(a.hi, 0)};
  return {a.lo >= 0 ? a.lo : Interval::kMin, a.hi <= 0 && b.lo >= 0 ? a.hi : Interval::kMax};
}

// Rounding to an integer moves a bound by less than one and never across an integer.
Interval integers_within(RealInterval range) {
  constexpr double kEdge = 9223372036854775808.0;  // 2^63
  Interval out;
  if (range.lo > -kEdge)
    out.lo = range.lo >= kEdge ? Interval::kMax : static_cast<int64_t>(std::floor(range.lo));
  if (range.hi < kEdge)
    out.hi = range.hi < -kEdge ? Interval::kMin : static_cast<int64_t>(std::ceil(range.hi));
  return out;
}

Interval rounded_range(ExprKind kind, RealInterval range) {
  switch (kind) {
    case ExprKind::floor_to_int:
      range = {std::floor(range.lo), std::floor(range.hi)};
      break;
    case ExprKind::ceil_to_int:
      range = {std::ceil(range.lo), std::ceil(range.hi)};
      break;
    case ExprKind::trunc_to_int:
      range = {std::trunc(range.lo), std::trunc(range.hi)};
      break;
    default:
      break;
  }
  return integers_within(range);
}

Interval abs_range(Interval a) {
  const Wide lo = wide_lo(a);
  const Wide hi = wide_hi(a);
  return interval_of(a.contains(0) ? 0 : std::min(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi),
                     std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi));
}

Interval sign_range(Interval a) {
  return {a.lo > 0 ? 1 : (a.lo == 0 ? 0 : -1), a.hi < 0 ? -1 : (a.hi == 0 ? 0 : 1)};
}

Interval extremum_range(const ExprNode& node, const OperandRanges& ranges) {
  Interval out = ranges.integer(node.operands()[0]);
  for (const Expr& operand : node.operands().subspan(1)) {
    const Interval next = ranges.integer(operand);
    if (node.kind == ExprKind::min) {
      out = {std::min(out.lo, next.lo), std::min(out.hi, next.hi)};
    } else {
      out = {std::max(out.lo, next.lo), std::max(out.hi, next.hi)};
    }
  }
  return out;
}

Interval product_range(const ExprNode& node, const OperandRanges& ranges) {
  Interval out = ranges.integer(node.operands()[0]);
  for (const Expr& factor : node.operands().subspan(1)) {
    out = multiply(out, ranges.integer(factor));
  }
  return out;
}

// The ranges that hold for all values of the symbols.
class DeclaredRanges final : public OperandRanges {
 public:
  explicit DeclaredRanges(const ExprPool::Impl& pool) : pool_(pool) {}

  Interval integer(Expr a) const override { return range_of(a); }

  RealInterval real(Expr a) const override { return real_range_of(a); }

  Interval symbol(SymbolId id) const override { return pool_.symbols[id].info.range; }

  Interval sum(const ExprNode& node) const override;

 private:
  const ExprPool::Impl& pool_;
};

Interval DeclaredRanges::sum(const ExprNode& node) const {
  const Terms terms = terms_of(ExprAccess::wrap(&node));
  Interval out{lower_bound(terms), upper_bound(terms)};
  // Only an expression without values has an empty range, such as one that always overflows.
  if (out.lo > out.hi) out = {};
  return out;
}

constexpr double kRealInfinity = std::numeric_limits<double>::infinity();
constexpr RealInterval kAnyReal{-kRealInfinity, kRealInfinity};

RealInterval checked_reals(std::array<double, 4> corners) {
  if (std::ranges::any_of(corners, [](double x) { return std::isnan(x); })) return kAnyReal;
  const auto [lo, hi] = std::ranges::minmax(corners);
  return {lo, hi};
}

RealInterval as_real(Interval range) {
  return {range.lo == Interval::kMin ? -kRealInfinity : static_cast<double>(range.lo),
          range.hi == Interval::kMax ? kRealInfinity : static_cast<double>(range.hi)};
}

}  // namespace

Interval integer_range(const ExprNode& node, const OperandRanges& ranges) {
  const auto operands = node.operands();
  const auto at = [&](size_t i) { return ranges.integer(operands[i]); };
  switch (node.kind) {
    case ExprKind::symbol:
      return ranges.symbol(node.symbol);
    case ExprKind::add:
      return ranges.sum(node);
    case ExprKind::mul:
      return product_range(node, ranges);
    case ExprKind::floor_div:
    case ExprKind::clean_div:
      return floor_div_range(at(0), at(1));
    case ExprKind::mod:
      return mod_range(at(0), at(1));
    case ExprKind::pow:
      return pow_range(at(0), at(1));
    case ExprKind::min:
    case ExprKind::max:
      return extremum_range(node, ranges);
    case ExprKind::where:
      return hull(at(1), at(2));
    case ExprKind::shift_left:
    case ExprKind::shift_right:
      return shift_range(node.kind, at(0), at(1));
    case ExprKind::bit_and:
    case ExprKind::bit_or:
    case ExprKind::bit_xor:
      return bit_range(node.kind, at(0), at(1));
    case ExprKind::abs:
      return abs_range(at(0));
    case ExprKind::sign:
      return sign_range(at(0));
    case ExprKind::dense_indicator:
      return {0, 1};
    case ExprKind::trunc_to_int:
    case ExprKind::floor_to_int:
    case ExprKind::ceil_to_int:
    case ExprKind::round_to_int:
      return rounded_range(node.kind, ranges.real(operands[0]));
    default:
      return {};
  }
}

// Correctly rounded operations are monotone, so the ends of a range map to the ends of the result.
RealInterval real_range(const ExprNode& node, const OperandRanges& ranges) {
  const auto operands = node.operands();
  const auto at = [&](size_t i) {
    return operands[i].domain() == ExprDomain::integer ? as_real(ranges.integer(operands[i]))
                                                       : ranges.real(operands[i]);
  };
  switch (node.kind) {
    case ExprKind::to_real:
      return at(0);
    case ExprKind::add: {
      const RealInterval a = at(0);
      const RealInterval b = at(1);
      return checked_reals({a.lo + b.lo, a.hi + b.hi, a.lo + b.lo, a.hi + b.hi});
    }
    case ExprKind::mul: {
      const RealInterval a = at(0);
      const RealInterval b = at(1);
      return checked_reals({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
    }
    case ExprKind::true_div: {
      const RealInterval a = at(0);
      const RealInterval b = at(1);
      if (b.lo <= 0 && b.hi >= 0) return kAnyReal;
      return checked_reals({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
    }
    case ExprKind::where:
      return {std::min(at(1).lo, at(2).lo), std::max(at(1).hi, at(2).hi)};
    case ExprKind::trunc_real:
      return {std::trunc(at(0).lo), std::trunc(at(0).hi)};
    case ExprKind::abs:
      return {0, kRealInfinity};
    case ExprKind::sqrt:
      return {0, kRealInfinity};
    case ExprKind::exp:
      return {0, kRealInfinity};
    default:
      return kAnyReal;
  }
}

Interval range_of(Expr a) {
  if (a.is_constant()) {
    const int64_t value = ExprAccess::bits(a);
    return {value, value};
  }
  return a.node()->range;
}

RealInterval real_range_of(Expr a) {
  if (!a.is_constant()) return a.node()->real_range;
  const double value = a.real_constant();
  return std::isnan(value) ? kAnyReal : RealInterval{value, value};
}

void compute_range(ExprNode& node, const ExprPool::Impl& pool) {
  switch (node.domain) {
    case ExprDomain::integer:
      node.range = integer_range(node, DeclaredRanges(pool));
      break;
    case ExprDomain::boolean:
      node.range = {0, 1};
      break;
    case ExprDomain::real:
      node.real_range = real_range(node, DeclaredRanges(pool));
      break;
  }
}

}  // namespace litz
