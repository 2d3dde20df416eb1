// Builds sums, products and powers in the canonical polynomial form.
//
//   (s0 + 1)*(s1 - 1)              =>  s0*s1 - s0 + s1 - 1
//
// Products distribute over sums while the result stays small. Beyond the cap, and if a coefficient
// would not fit in 64 bits, the sums stay unexpanded as atoms of the monomial.

#include <algorithm>
#include <array>

#include "expr/node.h"

namespace litz {
namespace {

// Shapes of real programs expand to a few terms; the cap stops products of long sums.
constexpr size_t kMaxExpandedTerms = 64;

Expr binary_real(ExprKind kind, Expr a, Expr b) {
  require_domain(a, ExprDomain::real, kind == ExprKind::add ? "add" : "mul");
  require_domain(b, ExprDomain::real, kind == ExprKind::add ? "add" : "mul");
  if (a.is_constant() && b.is_constant()) {
    const double x = a.real_constant();
    const double y = b.real_constant();
    return Expr::real(kind == ExprKind::add ? x + y : x * y);
  }
  // Commutes exactly, but never regroups, because rounding would change.
  if (compare(a, b) > 0) std::swap(a, b);
  return intern(kind, ExprDomain::real, {a, b});
}

Expr real_fold(ExprKind kind, std::span<const Expr> operands) {
  Expr result = operands[0];
  for (const Expr& operand : operands.subspan(1)) result = binary_real(kind, result, operand);
  return result;
}

// The number of terms of the expanded product; stops counting above the cap.
size_t expanded_count(std::span<const Factor> sums) {
  size_t count = 1;
  for (const Factor& sum : sums) {
    const size_t terms = sum.atom.operands().size();
    // A sum of n terms to the power p has (n + p - 1 over p) terms, one per multiset of factors.
    size_t own = 1;
    for (int64_t i = 1; i <= sum.power; ++i) {
      own = own * (terms + static_cast<size_t>(i) - 1) / static_cast<size_t>(i);
      if (own > kMaxExpandedTerms) return own;
    }
    count *= own;
    if (count > kMaxExpandedTerms) return count;
  }
  return count;
}

// A single sum never grows, however long it is.
bool is_small_product(std::span<const Factor> sums) {
  return (sums.size() == 1 && sums[0].power == 1) || expanded_count(sums) <= kMaxExpandedTerms;
}

void add_sum_factor(std::vector<Factor>& sums, const Factor& factor) {
  const auto same = std::ranges::find(sums, factor.atom, &Factor::atom);
  if (same == sums.end()) {
    sums.push_back(factor);
  } else {
    same->power = checked_add(same->power, factor.power);
  }
}

Terms multiplied_out(const Term& single, std::span<const Factor> sums) {
  Terms result{single};
  for (const Factor& sum : sums) {
    const Terms terms = terms_of(sum.atom);
    for (int64_t i = 0; i < sum.power; ++i) result = multiply_out(result, terms);
  }
  return result;
}

// Expands all sums or keeps all as atoms. The choice depends on the whole set of factors, so their
// order in a text does not matter.
Expr term_times_sums(Term single, std::span<const Factor> sums) {
  if (sums.empty()) return build_term(single);
  if (is_small_product(sums)) {
    try {
      return build_sum(multiplied_out(single, sums));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_range) throw;
      // A coefficient would not fit in 64 bits, although the values may.
    }
  }
  for (const Factor& sum : sums) single = multiply_terms(single, {1, build_monomial({sum})});
  return build_term(single);
}

// Moves the sums among the factors of a monomial to `sums`; returns the rest.
Expr take_sum_factors(Expr monomial, std::vector<Factor>& sums) {
  std::vector<Factor> others;
  for (const Factor& factor : factors_of(monomial)) {
    if (is_integer_sum(factor.atom)) {
      add_sum_factor(sums, factor);
    } else {
      others.push_back(factor);
    }
  }
  return build_monomial(others);
}

Expr integer_product(std::span<const Expr> operands) {
  Term single{1, 1};
  std::vector<Factor> sums;
  for (const Expr& operand : operands) {
    if (operand.is(0)) return 0;
    if (is_integer_sum(operand)) {
      add_sum_factor(sums, {operand, 1});
      continue;
    }
    Term term = terms_of(operand).front();
    if (has_sum_factor(term.monomial)) term.monomial = take_sum_factors(term.monomial, sums);
    single = multiply_terms(single, term);
  }
  return term_times_sums(single, sums);
}

}  // namespace

Expr expanded_term(const Term& term) {
  std::vector<Factor> sums;
  const Expr rest = take_sum_factors(term.monomial, sums);
  return term_times_sums({term.coefficient, rest}, sums);
}

bool is_expanding_power(Expr a) {
  if (a.kind() != ExprKind::pow || !is_integer_sum(a.operands()[0])) return false;
  const auto power = a.operands()[1].maybe_constant();
  return power && is_small_product(std::array{Factor{a.operands()[0], *power}});
}

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
  if (is_integer_sum(base)) return term_times_sums({1, 1}, std::array{Factor{base, *power}});
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
