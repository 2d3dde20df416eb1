// Builds sums, products and powers in the canonical polynomial form.
//
//   (s0 + 1)*(s1 - 1)              =>  s0*s1 - s0 + s1 - 1
//
// Products distribute over sums while the result stays small; beyond the cap the sums stay whole,
// as atoms of the monomial.

#include <algorithm>

#include "types/expr_node.h"

namespace litz {
namespace {

// Shapes of real programs expand to a handful of terms; the cap stops products of long sums.
constexpr size_t kMaxExpandedTerms = 64;

Expr binary_real(ExprKind kind, Expr a, Expr b) {
  require_domain(a, ExprDomain::real, kind == ExprKind::add ? "add" : "mul");
  require_domain(b, ExprDomain::real, kind == ExprKind::add ? "add" : "mul");
  if (a.is_constant() && b.is_constant()) {
    const double x = a.real_constant();
    const double y = b.real_constant();
    return Expr::real(kind == ExprKind::add ? x + y : x * y);
  }
  // Commutes exactly; never regroups, because rounding would change.
  if (compare(a, b) > 0) std::swap(a, b);
  return intern(kind, ExprDomain::real, {a, b});
}

Expr real_fold(ExprKind kind, std::span<const Expr> operands) {
  Expr result = operands[0];
  for (const Expr& operand : operands.subspan(1)) result = binary_real(kind, result, operand);
  return result;
}

bool expands_within_cap(std::span<const Factor> sums) {
  size_t count = 1;
  for (const Factor& sum : sums) {
    for (int64_t i = 0; i < sum.power; ++i) {
      count *= sum.atom.operands().size();
      if (count > kMaxExpandedTerms) return false;
    }
  }
  return true;
}

// Splits factors into one term and the sums, which are either multiplied out or kept as atoms.
Expr integer_product(std::span<const Expr> operands) {
  Term single{1, 1};
  std::vector<Factor> sums;
  for (const Expr& operand : operands) {
    if (operand.is(0)) return 0;
    if (is_integer_sum(operand)) {
      sums.push_back({operand, 1});
      continue;
    }
    Term term = terms_of(operand).front();
    if (has_sum_factor(term.monomial)) {
      std::vector<Factor> others;
      for (const Factor& factor : factors_of(term.monomial)) {
        (is_integer_sum(factor.atom) ? sums : others).push_back(factor);
      }
      term.monomial = build_monomial(others);
    }
    single = multiply_terms(single, term);
  }
  if (sums.empty()) return build_term(single);
  if (!expands_within_cap(sums)) {
    for (const Factor& sum : sums) single = multiply_terms(single, {1, build_monomial({sum})});
    return build_term(single);
  }
  Terms result{single};
  for (const Factor& sum : sums) {
    const Terms terms = terms_of(sum.atom);
    for (int64_t i = 0; i < sum.power; ++i) result = multiply_out(result, terms);
  }
  return build_sum(std::move(result));
}

}  // namespace

Expr product(std::span<const Expr> factors) {
  if (factors.empty()) return 1;
  if (factors[0].domain() == ExprDomain::real) return real_fold(ExprKind::mul, factors);
  for (const Expr& factor : factors) require_domain(factor, ExprDomain::integer, "mul");
  return integer_product(factors);
}

Expr sum(std::span<const Expr> terms) {
  if (terms.empty()) return 0;
  if (terms[0].domain() == ExprDomain::real) return real_fold(ExprKind::add, terms);
  Terms all;
  for (const Expr& term : terms) {
    require_domain(term, ExprDomain::integer, "add");
    const Terms own = terms_of(term);
    all.insert(all.end(), own.begin(), own.end());
  }
  return build_sum(sorted_terms(std::move(all)));
}

Expr operator+(Expr a, Expr b) {
  if (a.domain() == ExprDomain::real) return binary_real(ExprKind::add, a, b);
  require_domain(a, ExprDomain::integer, "add");
  require_domain(b, ExprDomain::integer, "add");
  if (a.is_constant() && b.is_constant()) return checked_add(a.constant(), b.constant());
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return build_sum(combine_checked(terms_of(a), 1, terms_of(b), 1));
}

Expr operator-(Expr a, Expr b) {
  if (a.domain() == ExprDomain::real) return a + -b;
  require_domain(a, ExprDomain::integer, "sub");
  require_domain(b, ExprDomain::integer, "sub");
  if (a == b) return 0;
  if (b.is(0)) return a;
  return build_sum(combine_checked(terms_of(a), 1, terms_of(b), -1));
}

Expr operator-(Expr a) {
  if (a.domain() == ExprDomain::real) return binary_real(ExprKind::mul, Expr::real(-1), a);
  require_domain(a, ExprDomain::integer, "neg");
  if (a.is_constant()) return checked_multiply(a.constant(), -1);
  return build_sum(combine_checked(terms_of(a), -1, {}, 1));
}

Expr operator*(Expr a, Expr b) {
  if (a.domain() == ExprDomain::real) return binary_real(ExprKind::mul, a, b);
  require_domain(a, ExprDomain::integer, "mul");
  require_domain(b, ExprDomain::integer, "mul");
  if (a.is_constant() && b.is_constant()) return checked_multiply(a.constant(), b.constant());
  if (a.is(0) || b.is(0)) return 0;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  const Expr pair[] = {a, b};
  return integer_product(pair);
}

Expr pow(Expr base, Expr exponent) {
  if (base.domain() == ExprDomain::real) {
    const Expr pair[] = {base, exponent};
    return apply(ExprKind::pow, pair);
  }
  require_domain(base, ExprDomain::integer, "pow");
  require_domain(exponent, ExprDomain::integer, "pow");
  const auto power = exponent.maybe_constant();
  if (!power) {
    if (base.is(1)) return 1;
    return intern(ExprKind::pow, ExprDomain::integer, {base, exponent});
  }
  if (base.is_constant()) return checked_power(base.constant(), *power);
  if (*power < 0) fail_out_of_range("integer power with a negative exponent");
  if (*power == 0) return 1;
  if (*power == 1) return base;
  if (is_integer_sum(base)) {
    const Factor factor{base, *power};
    if (!expands_within_cap({&factor, 1})) return build_monomial({factor});
    const std::vector<Expr> copies(static_cast<size_t>(*power), base);
    return integer_product(copies);
  }
  Term term = terms_of(base).front();
  term.coefficient = checked_power(term.coefficient, *power);
  std::vector<Factor> factors = factors_of(term.monomial);
  for (Factor& factor : factors) factor.power = checked_multiply(factor.power, *power);
  term.monomial = build_monomial(factors);
  return build_term(term);
}

std::optional<Expr> exact_quotient(Expr a, Expr b) {
  require_domain(a, ExprDomain::integer, "exact_quotient");
  require_domain(b, ExprDomain::integer, "exact_quotient");
  if (a.is_constant() && b.is_constant()) {
    if (b.is(0) || floor_remainder(a.constant(), b.constant()) != 0) return std::nullopt;
    return floor_quotient(a.constant(), b.constant());
  }
  if (b.is(1)) return a;
  auto quotient = divide_exactly(terms_of(a), terms_of(b));
  if (!quotient) return std::nullopt;
  return build_sum(*std::move(quotient));
}

}  // namespace litz
