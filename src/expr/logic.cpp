// Minimum, maximum, choice, comparisons and logic, folded by what ranges prove; the known_* proofs.
//
// Comparisons of integers normalise the difference: common factors are divided out, terms on both
// sides cancel, and `a < b` becomes `a + 1 <= b`. So s0 + s1 == s1 + 4 and s0 == 4 are one node,
// and the negation of an integer comparison is again a comparison.

#include <algorithm>
#include <array>

#include "expr/node.h"

namespace litz {
namespace {

// Beyond this many operands, comparing all pairs of a minimum costs more than it saves.
constexpr size_t kMaxComparedOperands = 12;

std::optional<Terms> difference(Expr a, Expr b) { return combine(terms_of(a), 1, terms_of(b), -1); }

// True if b - a >= goal is proven.
bool proves_gap(Expr a, Expr b, int64_t goal) {
  const Interval low = range_of(a);
  const Interval high = range_of(b);
  if (low.hi != Interval::kMax && high.lo != Interval::kMin && Wide{high.lo} - low.hi >= goal) {
    return true;
  }
  const auto gap = difference(b, a);
  return gap && proves_at_least(*gap, goal);
}

bool at_most(Expr a, Expr b) {
  return a == b || a.is(INT64_MIN) || b.is(INT64_MAX) || proves_gap(a, b, 0);
}

void collect(ExprKind kind, std::span<const Expr> operands, std::vector<Expr>& out) {
  for (const Expr& operand : operands) {
    if (operand.kind() == kind) {
      collect(kind, operand.operands(), out);
    } else {
      out.push_back(operand);
    }
  }
}

void sort_unique(std::vector<Expr>& operands) {
  std::ranges::sort(operands, [](Expr a, Expr b) { return compare(a, b) < 0; });
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
}

// Keeps the first of equal operands; drops those that another makes irrelevant.
void drop_dominated(ExprKind kind, std::vector<Expr>& operands) {
  if (operands.size() > kMaxComparedOperands) return;
  for (size_t i = 0; i < operands.size();) {
    const bool dominated = std::ranges::any_of(operands, [&](Expr other) {
      if (other == operands[i]) return false;
      return kind == ExprKind::min ? at_most(other, operands[i]) : at_most(operands[i], other);
    });
    if (dominated) {
      operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

Expr integer_extremum(ExprKind kind, std::span<const Expr> given) {
  std::vector<Expr> operands;
  collect(kind, given, operands);
  sort_unique(operands);
  drop_dominated(kind, operands);
  if (operands.size() == 1) return operands[0];
  return intern(kind, ExprDomain::integer, operands);
}

// Reals are folded pair by pair from the left, since NaN and signed zero depend on the order.
Expr real_extremum(ExprKind kind, std::span<const Expr> operands) {
  Expr result = operands[0];
  for (const Expr& next : operands.subspan(1)) {
    if (result == next) continue;
    if (result.is_constant() && next.is_constant()) {
      const double a = result.real_constant();
      const double b = next.real_constant();
      const bool takes_next = kind == ExprKind::min ? b < a : b > a;
      result = takes_next ? next : result;
    } else {
      result = intern(kind, ExprDomain::real, {result, next});
    }
  }
  return result;
}

Expr extremum(ExprKind kind, std::span<const Expr> operands) {
  require(!operands.empty(), "a minimum or maximum has an operand");
  const ExprDomain domain = operands[0].domain();
  require(domain != ExprDomain::boolean, "minimum and maximum take numbers");
  for (const Expr& operand : operands) require_domain(operand, domain, "min or max");
  return domain == ExprDomain::integer ? integer_extremum(kind, operands)
                                       : real_extremum(kind, operands);
}

Expr pair_extremum(ExprKind kind, Expr a, Expr b) {
  const Expr pair[] = {a, b};
  if (a.is_constant() && b.is_constant()) return extremum(kind, pair);
  if (a == b) return a;
  if (a.domain() != ExprDomain::integer || b.domain() != ExprDomain::integer) {
    return extremum(kind, pair);
  }
  if (compare(a, b) > 0) std::swap(a, b);
  return memoised(
      kind, a, b,
      kind == ExprKind::min
          ? [](Expr x, Expr y) { return extremum(ExprKind::min, std::array{x, y}); }
          : [](Expr x, Expr y) {
              return extremum(ExprKind::max, std::array{x, y});
            });
}

// --- Comparisons of integers

struct Sides {
  Expr left;
  Expr right;
};

// Two sides without negative terms whose difference is `terms`. The constant is alone on its side
// if possible, otherwise on the side where it is positive.
Sides split_sides(const Terms& terms) {
  Terms left;
  Terms right;
  const int64_t constant = constant_of(terms);
  for (const Term& term : terms) {
    if (term.is_constant()) continue;
    if (term.coefficient > 0) {
      left.push_back(term);
    } else {
      right.push_back({checked_multiply(term.coefficient, -1), term.monomial});
    }
  }
  if (constant == 0) return {build_sum(left), build_sum(right)};
  if (!left.empty() && (right.empty() || constant < 0)) {
    right.push_back({checked_multiply(constant, -1), 1});
  } else {
    left.push_back({constant, 1});
  }
  return {build_sum(left), build_sum(right)};
}

// Products whose terms did not fit in 64 bits may cancel once a common factor is gone.
Expr relation(ExprKind kind, Sides sides) {
  if (sides.left.is_constant() && sides.right.is_constant()) {
    const int64_t left = sides.left.constant();
    const int64_t right = sides.right.constant();
    return Expr::boolean(kind == ExprKind::eq ? left == right : left <= right);
  }
  return intern(kind, ExprDomain::boolean, {sides.left, sides.right});
}

// Drops factors that are known to be non-zero (for equality) or positive (for order).
Terms without_common_factor(Terms terms, bool order) {
  const Expr common = common_monomial(terms, {});
  if (common.is(1)) return terms;
  std::vector<Factor> removable;
  for (const Factor& factor : factors_of(common)) {
    const Interval range = range_of(factor.atom);
    if (order ? range.lo >= 1 : !range.contains(0)) removable.push_back(factor);
  }
  if (removable.empty()) return terms;
  return divide_by_monomial(terms, build_monomial(removable), 1);
}

// The canonical form of terms == 0.
Expr zero_test(Terms terms) {
  terms = without_common_factor(std::move(terms), false);
  const int64_t constant = constant_of(terms);
  if (terms.empty()) return Expr::boolean(true);
  if (terms[0].is_constant()) return Expr::boolean(false);
  Terms moving = terms;
  if (constant != 0) moving.pop_back();
  const int64_t divisor = content(moving);
  if (constant % divisor != 0) return Expr::boolean(false);
  if (divisor != 1) terms = divide_by_monomial(terms, 1, divisor);
  const auto negated = combine({}, 1, terms, -1);
  if (proves_at_least(terms, 1) || (negated && proves_at_least(*negated, 1))) {
    return Expr::boolean(false);
  }
  if (terms[0].coefficient < 0 && negated) terms = *negated;
  return relation(ExprKind::eq, split_sides(terms));
}

// The canonical form of terms >= 0.
Expr sign_test(Terms terms) {
  if (proves_at_least(terms, 0)) return Expr::boolean(true);
  const auto negated = combine({}, 1, terms, -1);
  if (negated && proves_at_least(*negated, 1)) return Expr::boolean(false);
  terms = without_common_factor(std::move(terms), true);
  const int64_t constant = constant_of(terms);
  if (constant != 0) terms.pop_back();
  if (const int64_t divisor = content(terms); divisor != 1) {
    terms = divide_by_monomial(terms, 1, divisor);
    const int64_t rounded = floor_quotient(constant, divisor);
    if (rounded != 0) terms.push_back({rounded, 1});
  } else if (constant != 0) {
    terms.push_back({constant, 1});
  }
  return relation(ExprKind::le, split_sides(combine_checked({}, 1, terms, -1)));
}

Expr integer_eq(Expr a, Expr b) {
  if (a == b) return Expr::boolean(true);
  try {
    auto terms = difference(a, b);
    // Joining may cancel more than equal terms: x against n*(x//n) + mod(x, n).
    if (terms) terms = terms_of(build_sum(*std::move(terms)));
    if (terms) return zero_test(*std::move(terms));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
  }
  // The difference does not fit in 64 bits.
  if (a.is_constant() && b.is_constant()) return Expr::boolean(false);
  if (compare(a, b) > 0) std::swap(a, b);
  return intern(ExprKind::eq, ExprDomain::boolean, {a, b});
}

// Builds a + offset <= b.
Expr integer_le(Expr a, Expr b, int64_t offset) {
  if (a.is_constant() && b.is_constant()) {
    return Expr::boolean(offset == 0 ? a.constant() <= b.constant() : a.constant() < b.constant());
  }
  try {
    auto terms = difference(b, a);
    if (terms && offset != 0) terms = combine(*terms, 1, {{1, 1}}, -offset);
    if (terms) terms = terms_of(build_sum(*std::move(terms)));
    if (terms) return sign_test(*std::move(terms));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
  }
  return intern(offset == 0 ? ExprKind::le : ExprKind::lt, ExprDomain::boolean, {a, b});
}

Expr integer_comparison(ExprKind kind, Expr a, Expr b) {
  if (kind == ExprKind::ne) return logical_not(integer_comparison(ExprKind::eq, a, b));
  if (a == b) return Expr::boolean(kind != ExprKind::lt);
  if (a.is_constant() && b.is_constant()) {
    if (kind == ExprKind::eq) return Expr::boolean(false);
    return integer_le(a, b, kind == ExprKind::lt ? 1 : 0);
  }
  switch (kind) {
    case ExprKind::eq:
      return memoised(kind, a, b, integer_eq);
    case ExprKind::lt:
      return memoised(kind, a, b, [](Expr x, Expr y) { return integer_le(x, y, 1); });
    default:
      return memoised(kind, a, b, [](Expr x, Expr y) { return integer_le(x, y, 0); });
  }
}

bool compare_reals(ExprKind kind, double a, double b) {
  switch (kind) {
    case ExprKind::eq:
      return a == b;
    case ExprKind::ne:
      return a != b;
    case ExprKind::lt:
      return a < b;
    default:
      return a <= b;
  }
}

Expr comparison(ExprKind kind, Expr a, Expr b) {
  require_domain(b, a.domain(), "comparison");
  switch (a.domain()) {
    case ExprDomain::integer:
      return integer_comparison(kind, a, b);
    case ExprDomain::real:
      if (a.is_constant() && b.is_constant()) {
        return Expr::boolean(compare_reals(kind, a.real_constant(), b.real_constant()));
      }
      break;
    case ExprDomain::boolean:
      require(kind == ExprKind::eq || kind == ExprKind::ne, "booleans are not ordered");
      if (kind == ExprKind::ne) return logical_not(eq(a, b));
      if (a == b) return Expr::boolean(true);
      if (a.is_constant()) std::swap(a, b);
      if (b.is_constant()) return b.boolean_constant() ? a : logical_not(a);
      break;
  }
  const bool symmetric = kind == ExprKind::eq || kind == ExprKind::ne;
  if (symmetric && compare(a, b) > 0) std::swap(a, b);
  return intern(kind, ExprDomain::boolean, {a, b});
}

// True if an operand's negation is also an operand, which decides the result.
bool has_complement(const std::vector<Expr>& operands) {
  const auto before = [](Expr a, Expr b) { return compare(a, b) < 0; };
  return std::ranges::any_of(operands, [&](Expr operand) {
    return std::ranges::binary_search(operands, logical_not(operand), before);
  });
}

Expr connective(ExprKind kind, std::span<const Expr> given) {
  for (const Expr& operand : given) require_domain(operand, ExprDomain::boolean, "logic");
  const bool neutral = kind == ExprKind::logical_and;
  std::vector<Expr> operands;
  collect(kind, given, operands);
  sort_unique(operands);
  for (const Expr& operand : operands) {
    if (operand.is_constant() && operand.boolean_constant() != neutral) return operand;
  }
  std::erase_if(operands, [](Expr operand) { return operand.is_constant(); });
  if (operands.empty()) return Expr::boolean(neutral);
  if (operands.size() == 1) return operands[0];
  if (has_complement(operands)) return Expr::boolean(!neutral);
  return intern(kind, ExprDomain::boolean, operands);
}

}  // namespace

Expr min(Expr a, Expr b) { return pair_extremum(ExprKind::min, a, b); }

Expr max(Expr a, Expr b) { return pair_extremum(ExprKind::max, a, b); }

Expr min(std::span<const Expr> operands) { return extremum(ExprKind::min, operands); }

Expr max(std::span<const Expr> operands) { return extremum(ExprKind::max, operands); }

Expr where(Expr condition, Expr yes, Expr no) {
  require_domain(condition, ExprDomain::boolean, "where");
  require_domain(no, yes.domain(), "where");
  if (condition.is_constant()) return condition.boolean_constant() ? yes : no;
  if (yes == no) return yes;
  if (condition.kind() == ExprKind::logical_not || condition.kind() == ExprKind::ne) {
    return where(logical_not(condition), no, yes);
  }
  if (yes.domain() == ExprDomain::boolean) {
    return logical_or(logical_and(condition, yes), logical_and(logical_not(condition), no));
  }
  return intern(ExprKind::where, yes.domain(), {condition, yes, no});
}

Expr eq(Expr a, Expr b) { return comparison(ExprKind::eq, a, b); }

Expr ne(Expr a, Expr b) { return comparison(ExprKind::ne, a, b); }

Expr lt(Expr a, Expr b) { return comparison(ExprKind::lt, a, b); }

Expr le(Expr a, Expr b) { return comparison(ExprKind::le, a, b); }

Expr logical_and(Expr a, Expr b) { return logical_and(std::array{a, b}); }

Expr logical_or(Expr a, Expr b) { return logical_or(std::array{a, b}); }

Expr logical_and(std::span<const Expr> operands) {
  return connective(ExprKind::logical_and, operands);
}

Expr logical_or(std::span<const Expr> operands) {
  return connective(ExprKind::logical_or, operands);
}

Expr logical_not(Expr a) {
  require_domain(a, ExprDomain::boolean, "not");
  if (a.is_constant()) return Expr::boolean(!a.boolean_constant());
  const auto operands = a.operands();
  const bool of_integers = !operands.empty() && operands[0].domain() == ExprDomain::integer;
  switch (a.kind()) {
    case ExprKind::logical_not:
      return operands[0];
    case ExprKind::eq:
      return intern(ExprKind::ne, ExprDomain::boolean, operands);
    case ExprKind::ne:
      return intern(ExprKind::eq, ExprDomain::boolean, operands);
    // Not for reals: NaN makes both a < b and b <= a false.
    case ExprKind::lt:
      if (of_integers) return le(operands[1], operands[0]);
      break;
    case ExprKind::le:
      if (of_integers) return lt(operands[1], operands[0]);
      break;
    default:
      break;
  }
  return intern(ExprKind::logical_not, ExprDomain::boolean, {a});
}

Interval bounds(Expr a) {
  require_domain(a, ExprDomain::integer, "bounds");
  return range_of(a);
}

namespace {

std::optional<bool> decided(Expr condition) {
  if (condition.is_constant()) return condition.boolean_constant();
  OpenQuestions* const open = condition.pool()->open_questions();
  return open == nullptr ? std::nullopt : open->decide(condition);
}

}  // namespace

std::optional<int64_t> known_value(Expr a) {
  if (a.is_constant()) return a.constant();
  OpenQuestions* const open = a.pool()->open_questions();
  return open == nullptr ? std::nullopt : open->fix(a);
}

std::optional<bool> known(Expr boolean) {
  require_domain(boolean, ExprDomain::boolean, "known");
  if (boolean.is_constant() || boolean.is_symbol()) return decided(boolean);
  // Rebuilding decides again: a symbol's range may have been narrowed since the node was created.
  return decided(apply(boolean.kind(), boolean.operands()));
}

bool known_equal(Expr a, Expr b) {
  return a == b || (a.domain() == b.domain() && decided(eq(a, b)) == true);
}

bool known_not_equal(Expr a, Expr b) {
  return a.domain() == b.domain() && decided(eq(a, b)) == false;
}

bool known_less(Expr a, Expr b) { return decided(lt(a, b)) == true; }

bool known_less_equal(Expr a, Expr b) { return decided(le(a, b)) == true; }

}  // namespace litz
