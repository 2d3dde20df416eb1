// Ranges of nodes, and proofs of lower bounds of sums.
//
// A node's range comes from the ranges of its operands. For sums that forgets how terms are related
// (s0 - s0//2 looks unbounded), so `lower_bound` looks deeper:
//   - a polynomial is rewritten around the limits of its atoms (s0 = 2 + t or s0 = 7 - t, t >= 0):
//     when no coefficient is negative, the constant is a bound: s0*s0 - s0 >= 2;
//   - floor_div, mod, min, max, where and indices with a symbolic extent are replaced by what bounds
//     them, and the question is asked again of the simpler sum.
// Each replacement only lowers the sum, hence every answer is a bound; the best one wins. The search
// has a step limit and never interns anything but products of atoms.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "types/expr_node.h"

namespace litz {
namespace {

// Stands for infinity: far beyond any product of two 64-bit values that matters here.
constexpr Wide kInfinity = Wide{1} << 120;

Wide wide_lo(Interval range) { return range.lo == Interval::kMin ? -kInfinity : Wide{range.lo}; }

Wide wide_hi(Interval range) { return range.hi == Interval::kMax ? kInfinity : Wide{range.hi}; }

Wide saturated(Wide value) { return std::clamp(value, -kInfinity, kInfinity); }

bool is_infinite(Wide value) { return value <= -kInfinity || value >= kInfinity; }

Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  const Wide signed_infinity = (a < 0) == (b < 0) ? kInfinity : -kInfinity;
  Wide result = 0;
  if (is_infinite(a) || is_infinite(b) || __builtin_mul_overflow(a, b, &result)) {
    return signed_infinity;
  }
  return saturated(result);
}

// For bounds of one side only: infinity of the other sign cannot occur in a correct range.
Wide plus(Wide a, Wide b) {
  if (is_infinite(a)) return a;
  if (is_infinite(b)) return b;
  return saturated(a + b);
}

Interval interval_of(Wide lo, Wide hi) {
  constexpr Wide kLeast = Interval::kMin;
  constexpr Wide kMost = Interval::kMax;
  Interval out;
  out.lo = lo < kLeast ? Interval::kMin : static_cast<int64_t>(std::min(lo, kMost));
  out.hi = hi > kMost ? Interval::kMax : static_cast<int64_t>(std::max(hi, kLeast));
  return out;
}

Interval multiply(Interval a, Interval b) {
  const std::array<Wide, 4> corners{times(wide_lo(a), wide_lo(b)), times(wide_lo(a), wide_hi(b)),
                                    times(wide_hi(a), wide_lo(b)), times(wide_hi(a), wide_hi(b))};
  const auto [lo, hi] = std::ranges::minmax(corners);
  return interval_of(lo, hi);
}

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Wide quotient_bound(Wide a, Wide b) {
  if (is_infinite(a)) return (a < 0) == (b < 0) ? kInfinity : -kInfinity;
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
  // Division by zero is an error, so 0 itself contributes no value.
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
  const int64_t lo = b.lo == Interval::kMin ? b.lo : std::min<int64_t>(b.lo + 1, 0);
  const int64_t hi = b.hi == Interval::kMax ? b.hi : std::max<int64_t>(b.hi - 1, 0);
  return {lo, hi};
}

Wide power_bound(Wide base, int64_t exponent) {
  Wide result = 1;
  // Saturates at the latest after 120 doublings, whatever the exponent.
  for (int64_t i = 0; i < exponent && i < 121; ++i) result = times(result, base);
  if (exponent > 121 && base < -1) return exponent % 2 == 0 ? kInfinity : -kInfinity;
  if (exponent > 121 && base == -1) return exponent % 2 == 0 ? 1 : -1;
  return result;
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

Interval extremum_range(const ExprNode& node) {
  Interval out = range_of(node.operands()[0]);
  for (const Expr& operand : node.operands().subspan(1)) {
    const Interval next = range_of(operand);
    if (node.kind == ExprKind::min) {
      out = {std::min(out.lo, next.lo), std::min(out.hi, next.hi)};
    } else {
      out = {std::max(out.lo, next.lo), std::max(out.hi, next.hi)};
    }
  }
  return out;
}

Interval product_range(const ExprNode& node) {
  Interval out = range_of(node.operands()[0]);
  for (const Expr& factor : node.operands().subspan(1)) out = multiply(out, range_of(factor));
  return out;
}

Interval sum_range(const ExprNode& node) {
  const Terms terms = terms_of(ExprAccess::wrap(&node));
  Interval out{lower_bound(terms), upper_bound(terms)};
  // Only an expression without values has an empty range, for instance one that always overflows.
  if (out.lo > out.hi) out = {};
  return out;
}

Interval integer_range(const ExprNode& node, const ExprPool::Impl& pool) {
  const auto operands = node.operands();
  const auto at = [&](size_t i) { return range_of(operands[i]); };
  switch (node.kind) {
    case ExprKind::symbol:
      return pool.symbols[node.symbol].info.range;
    case ExprKind::add:
      return sum_range(node);
    case ExprKind::mul:
      return product_range(node);
    case ExprKind::floor_div:
    case ExprKind::clean_div:
      return floor_div_range(at(0), at(1));
    case ExprKind::mod:
      return mod_range(at(0), at(1));
    case ExprKind::pow:
      return pow_range(at(0), at(1));
    case ExprKind::min:
    case ExprKind::max:
      return extremum_range(node);
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
      return rounded_range(node.kind, real_range_of(operands[0]));
    default:
      return {};
  }
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

// Correctly rounded operations are monotone, so the ends of a range map to the ends of the result.
RealInterval real_range(const ExprNode& node) {
  const auto operands = node.operands();
  const auto at = [&](size_t i) {
    return operands[i].domain() == ExprDomain::integer ? as_real(range_of(operands[i]))
                                                       : real_range_of(operands[i]);
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

}  // namespace

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
      node.range = integer_range(node, pool);
      break;
    case ExprDomain::boolean:
      node.range = {0, 1};
      break;
    case ExprDomain::real:
      node.real_range = real_range(node);
      break;
  }
}

// Lower bounds of sums

namespace {

Wide term_lower(const Term& term) {
  if (term.is_constant()) return term.coefficient;
  const Interval range = term.monomial.node()->range;
  return times(term.coefficient, term.coefficient > 0 ? wide_lo(range) : wide_hi(range));
}

Wide interval_lower(const Terms& terms) {
  Wide total = 0;
  for (const Term& term : terms) total = plus(total, term_lower(term));
  return total;
}

// Polynomials in t = atom - lower limit, as exponents and a coefficient.
constexpr size_t kMaxAtoms = 6;
constexpr int64_t kMaxDegree = 4;
constexpr size_t kMaxShiftedTerms = 12;

using Exponents = std::array<uint8_t, kMaxAtoms>;

// t measures an atom from its lower limit, or back from its upper one.
struct Origin {
  Expr atom;
  bool from_above;
};

class ShiftedPolynomial {
 public:
  // False when there are too many atoms, or one without any limit.
  bool choose_origins(const Terms& terms, bool prefer_above) {
    for (const Term& term : terms) {
      for (const Factor& factor : factors_of(term.monomial)) {
        if (std::ranges::find(origins_, factor.atom, &Origin::atom) != origins_.end()) continue;
        const Interval range = range_of(factor.atom);
        const bool has_lower = range.lo != Interval::kMin;
        const bool has_upper = range.hi != Interval::kMax;
        if (origins_.size() == kMaxAtoms || (!has_lower && !has_upper)) return false;
        origins_.push_back({factor.atom, !has_lower || (prefer_above && has_upper)});
      }
    }
    return true;
  }

  void add(const Term& term) {
    std::vector<std::pair<Exponents, Wide>> partial{{Exponents{}, term.coefficient}};
    for (const Factor& factor : factors_of(term.monomial)) {
      const auto origin = std::ranges::find(origins_, factor.atom, &Origin::atom);
      const auto index = static_cast<size_t>(origin - origins_.begin());
      const Interval range = range_of(factor.atom);
      const Wide shift = origin->from_above ? range.hi : range.lo;
      for (int64_t i = 0; i < factor.power; ++i) {
        const size_t count = partial.size();
        for (size_t p = 0; p < count; ++p) {
          auto grown = partial[p];
          ++grown.first[index];
          if (origin->from_above) grown.second = -grown.second;
          partial[p].second = times(partial[p].second, shift);
          partial.push_back(grown);
        }
      }
    }
    for (const auto& [exponents, coefficient] : partial) merge(exponents, coefficient);
  }

  Wide lower() const {
    Wide total = 0;
    for (const auto& [exponents, coefficient] : terms_) {
      if (is_infinite(coefficient)) return -kInfinity;
      if (exponents == Exponents{}) {
        total = plus(total, coefficient);
      } else if (coefficient < 0) {
        total = plus(total, times(coefficient, largest(exponents)));
      }
      if (total <= -kInfinity) return total;
    }
    return total;
  }

 private:
  void merge(const Exponents& exponents, Wide coefficient) {
    for (auto& [own, value] : terms_) {
      if (own != exponents) continue;
      value = plus(value, coefficient);
      return;
    }
    terms_.emplace_back(exponents, coefficient);
  }

  Wide largest(const Exponents& exponents) const {
    Wide most = 1;
    for (size_t i = 0; i < origins_.size(); ++i) {
      if (exponents[i] == 0) continue;
      const Interval range = range_of(origins_[i].atom);
      const bool finite = range.lo != Interval::kMin && range.hi != Interval::kMax;
      const Wide width = finite ? Wide{range.hi} - range.lo : kInfinity;
      most = times(most, power_bound(width, exponents[i]));
    }
    return most;
  }

  std::vector<Origin> origins_;
  std::vector<std::pair<Exponents, Wide>> terms_;
};

bool is_nonlinear(const Terms& terms) {
  return std::ranges::any_of(
      terms, [](const Term& t) { return !t.is_constant() && t.monomial.node()->degree > 1; });
}

Wide polynomial_lower(const Terms& terms) {
  if (terms.size() > kMaxShiftedTerms) return -kInfinity;
  for (const Term& term : terms) {
    if (!term.is_constant() && term.monomial.node()->degree > kMaxDegree) return -kInfinity;
  }
  Wide best = -kInfinity;
  for (const bool prefer_above : {false, true}) {
    ShiftedPolynomial polynomial;
    if (!polynomial.choose_origins(terms, prefer_above)) return best;
    for (const Term& term : terms) polynomial.add(term);
    best = std::max(best, polynomial.lower());
  }
  return best;
}

// Whether the atoms of a term share a symbol with any other term: only then can relations help.
bool is_entangled(const Terms& terms, size_t index) {
  const auto own = terms[index].monomial.node()->symbols();
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == index || terms[i].is_constant()) continue;
    for (const SymbolId id : own) {
      if (mentions(terms[i].monomial, id)) return true;
    }
  }
  return false;
}

// Searches for the best lower bound of a sum; stops at the goal.
class LowerBoundSearch {
 public:
  explicit LowerBoundSearch(Wide goal) : goal_(goal) {}

  Wide search(const Terms& terms, int depth) {
    if (steps_-- <= 0) return -kInfinity;
    Wide best = interval_lower(terms);
    if (best >= goal_ || terms.size() < 2) return best;
    if (is_nonlinear(terms)) best = std::max(best, polynomial_lower(terms));
    if (depth == 0) return best;
    for (size_t i = 0; i < terms.size() && best < goal_; ++i) {
      if (terms[i].is_constant()) continue;
      best = std::max(best, relaxed(terms, i, depth - 1));
    }
    return best;
  }

 private:
  Wide relaxed(const Terms& terms, size_t index, int depth) {
    const Term& term = terms[index];
    switch (term.monomial.kind()) {
      case ExprKind::floor_div:
        return is_entangled(terms, index) ? relax_quotient(terms, index, depth) : -kInfinity;
      case ExprKind::mod:
        return relax_modulus(terms, index, depth);
      case ExprKind::min:
      case ExprKind::max:
      case ExprKind::where:
        return is_entangled(terms, index) ? relax_choice(terms, index, depth) : -kInfinity;
      case ExprKind::symbol:
      case ExprKind::mul:
        return relax_product(terms, index, depth);
      default:
        return -kInfinity;
    }
  }

  // scale * (terms without one) + factor * replacement, searched and scaled back.
  Wide replaced(const Terms& terms, size_t index, int64_t scale, Expr replacement, int64_t factor,
                int depth) {
    Terms others = terms;
    others.erase(others.begin() + static_cast<ptrdiff_t>(index));
    const auto sum = combine(others, scale, terms_of(replacement), factor);
    if (!sum) return -kInfinity;
    if (scale == 1) return search(*sum, depth);
    const Wide goal = goal_;
    goal_ = times(goal, scale);
    const Wide found = search(*sum, depth);
    goal_ = goal;
    return is_infinite(found) ? found : -floor_quotient(-found, Wide{scale});
  }

  // x - n + 1 <= n*floor_div(x, n) <= x for n > 0.
  Wide relax_quotient(const Terms& terms, size_t index, int depth) {
    const Term& term = terms[index];
    const auto operands = term.monomial.operands();
    const auto divisor = operands[1].maybe_constant();
    if (!divisor || *divisor < 1 || term.coefficient == INT64_MIN) return -kInfinity;
    const int64_t shared = std::gcd(term.coefficient, *divisor);
    const int64_t scale = *divisor / shared;
    const int64_t factor = term.coefficient / shared;
    if (factor < 0) return replaced(terms, index, scale, operands[0], factor, depth);
    Terms shifted = terms;
    const auto slack = combine({}, 1, {{1, 1}}, 1 - *divisor);
    if (!slack) return -kInfinity;
    const auto bound = combine(terms_of(operands[0]), 1, *slack, 1);
    if (!bound) return -kInfinity;
    shifted.erase(shifted.begin() + static_cast<ptrdiff_t>(index));
    const auto sum = combine(shifted, scale, *bound, factor);
    if (!sum) return -kInfinity;
    const Wide goal = goal_;
    goal_ = times(goal, scale);
    const Wide found = search(*sum, depth);
    goal_ = goal;
    return is_infinite(found) ? found : -floor_quotient(-found, Wide{scale});
  }

  // mod(x, n) <= x for x >= 0; mod(x, n) <= n - 1 for n >= 1.
  Wide relax_modulus(const Terms& terms, size_t index, int depth) {
    const Term& term = terms[index];
    if (term.coefficient > 0) return -kInfinity;
    const auto operands = term.monomial.operands();
    if (range_of(operands[1]).lo < 1) return -kInfinity;
    Wide best = -kInfinity;
    if (range_of(operands[0]).lo >= 0 && is_entangled(terms, index)) {
      best = replaced(terms, index, 1, operands[0], term.coefficient, depth);
    }
    if (!operands[1].is_constant()) {
      Terms others = terms;
      others.erase(others.begin() + static_cast<ptrdiff_t>(index));
      auto bound = combine(terms_of(operands[1]), 1, {{1, 1}}, -1);
      const auto sum = bound ? combine(others, 1, *bound, term.coefficient) : std::nullopt;
      if (sum) best = std::max(best, search(*sum, depth));
    }
    return best;
  }

  // One alternative suffices where the choice can only be above it; else all must hold.
  Wide relax_choice(const Terms& terms, size_t index, int depth) {
    const Term& term = terms[index];
    const bool any = (term.monomial.kind() == ExprKind::max && term.coefficient > 0) ||
                     (term.monomial.kind() == ExprKind::min && term.coefficient < 0);
    auto alternatives = term.monomial.operands();
    if (term.monomial.kind() == ExprKind::where) alternatives = alternatives.subspan(1);
    Wide result = any ? -kInfinity : kInfinity;
    for (const Expr& alternative : alternatives) {
      const Wide bound = replaced(terms, index, 1, alternative, term.coefficient, depth);
      result = any ? std::max(result, bound) : std::min(result, bound);
      if (any ? result >= goal_ : result <= -kInfinity) break;
    }
    return result;
  }

  // -c*v*rest >= -c*(extent - 1)*rest for an index v with a symbolic extent and rest >= 0; likewise
  // -c*n*floor_div(x, n)*rest >= -c*x*rest.
  Wide relax_product(const Terms& terms, size_t index, int depth) {
    const Term term = terms[index];
    if (term.coefficient > 0) return -kInfinity;
    Wide best = -kInfinity;
    for (const Factor& factor : factors_of(term.monomial)) {
      if (factor.power != 1) continue;
      const auto bounded = upper_replacement(term, factor.atom);
      if (!bounded) continue;
      Terms others = terms;
      others.erase(others.begin() + static_cast<ptrdiff_t>(index));
      const auto sum = combine(others, 1, *bounded, 1);
      if (sum) best = std::max(best, search(*sum, depth));
    }
    return best;
  }

  static std::optional<Terms> upper_replacement(const Term& term, Expr atom) {
    Term divisor{1, atom};
    Terms limit;
    if (atom.is_symbol()) {
      const auto& extent = atom.pool()->impl().symbols[atom.symbol()].extent;
      if (!extent) return std::nullopt;
      const auto last = combine(terms_of(*extent), 1, {{1, 1}}, -1);
      if (!last) return std::nullopt;
      limit = *last;
    } else if (atom.kind() == ExprKind::floor_div && !atom.operands()[1].is_constant() &&
               range_of(atom.operands()[1]).lo >= 1) {
      const Terms by = terms_of(atom.operands()[1]);
      if (by.size() != 1) return std::nullopt;
      divisor = multiply_terms(divisor, by[0]);
      limit = terms_of(atom.operands()[0]);
    } else {
      return std::nullopt;
    }
    const auto rest = divide_term(term, divisor);
    if (!rest || range_of(rest->monomial).lo < 0) return std::nullopt;
    Terms out;
    for (const Term& part : limit) out.push_back(multiply_terms(*rest, part));
    return sorted_terms(std::move(out));
  }

  // Enough for a few related quotients; a search takes a fraction of a microsecond per step.
  int steps_ = 40;
  Wide goal_;
};

constexpr int kSearchDepth = 3;

Wide searched_lower(const Terms& terms, Wide goal) {
  try {
    return LowerBoundSearch(goal).search(terms, kSearchDepth);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    return interval_lower(terms);  // Numbers beyond 64 bits on the way: no deeper answer.
  }
}

}  // namespace

int64_t lower_bound(const Terms& terms) {
  const Wide bound = searched_lower(terms, kInfinity);
  return interval_of(bound, kInfinity).lo;
}

int64_t upper_bound(const Terms& terms) {
  const auto negated = combine({}, 1, terms, -1);
  if (!negated) return Interval::kMax;
  const Wide bound = searched_lower(*negated, kInfinity);
  return interval_of(-kInfinity, -bound).hi;
}

bool proves_at_least(const Terms& terms, int64_t goal) {
  return searched_lower(terms, goal) >= goal;
}

}  // namespace litz
