// Sums and products of integers: the canonical polynomial form.
//
//   (s0 + 1)*(s1 - 1)              =>  s0*s1 - s0 + s1 - 1
//   4*floor_div(x, 4) + mod(x, 4)  =>  x
//
// Products distribute over sums while the result stays small; beyond the cap the sums stay whole as
// atoms of the monomial. The order of terms is a monomial order in the algebraic sense (compatible
// with multiplication), which makes long division below terminate and find every exact quotient.

#include <algorithm>
#include <numeric>

#include "types/expr_node.h"

namespace litz {
namespace {

// Shapes of real programs expand to a handful of terms; the cap stops products of long sums.
constexpr size_t kMaxExpandedTerms = 64;
// Long division of one polynomial by another gives up after so many quotient terms.
constexpr int kMaxQuotientTerms = 64;

size_t factor_count(Expr monomial) {
  if (monomial.is_constant()) return 0;
  return monomial.kind() == ExprKind::mul ? monomial.node()->operand_count : 1;
}

Factor factor_at(Expr monomial, size_t i) {
  const Expr factor = monomial.kind() == ExprKind::mul ? monomial.operands()[i] : monomial;
  if (factor.kind() == ExprKind::pow) {
    if (const auto power = factor.operands()[1].maybe_constant()) {
      return {factor.operands()[0], *power};
    }
  }
  return {factor, 1};
}

uint32_t degree_of(Expr monomial) { return monomial.is_constant() ? 0 : monomial.node()->degree; }

// Negative when a precedes b: higher degree first, then lexicographic in the order of atoms.
int compare_monomials(Expr a, Expr b) {
  if (a == b) return 0;
  if (degree_of(a) != degree_of(b)) return degree_of(a) > degree_of(b) ? -1 : 1;
  const size_t count_a = factor_count(a);
  const size_t count_b = factor_count(b);
  for (size_t i = 0; i < count_a && i < count_b; ++i) {
    const Factor x = factor_at(a, i);
    const Factor y = factor_at(b, i);
    if (const int order = compare(x.atom, y.atom); order != 0) return order;
    if (x.power != y.power) return x.power > y.power ? -1 : 1;
  }
  return count_a > count_b ? -1 : (count_a < count_b ? 1 : 0);
}

bool is_sum(Expr a) { return a.kind() == ExprKind::add && a.domain() == ExprDomain::integer; }

bool has_sum_factor(Expr monomial) {
  for (size_t i = 0; i < factor_count(monomial); ++i) {
    if (is_sum(factor_at(monomial, i).atom)) return true;
  }
  return false;
}

// A quotient may leave a sum that used to be too large to expand; expands it now.
void append_normalised(Terms& out, const Term& term) {
  if (!has_sum_factor(term.monomial)) {
    out.push_back(term);
    return;
  }
  std::vector<Expr> factors{Expr(term.coefficient)};
  for (const Factor& factor : factors_of(term.monomial)) {
    factors.push_back(pow(factor.atom, Expr(factor.power)));
  }
  const Terms expanded = terms_of(product(factors));
  out.insert(out.end(), expanded.begin(), expanded.end());
}

Terms multiplied(const Terms& a, const Terms& b) {
  Terms out;
  out.reserve(a.size() * b.size());
  for (const Term& x : a) {
    for (const Term& y : b) out.push_back(multiply_terms(x, y));
  }
  return sorted_terms(std::move(out));
}

}  // namespace

Terms normalised_terms(const Terms& terms) {
  Terms out;
  out.reserve(terms.size());
  for (const Term& term : terms) append_normalised(out, term);
  return sorted_terms(std::move(out));
}

std::vector<Factor> factors_of(Expr monomial) {
  std::vector<Factor> factors;
  const size_t count = factor_count(monomial);
  factors.reserve(count);
  for (size_t i = 0; i < count; ++i) factors.push_back(factor_at(monomial, i));
  return factors;
}

Expr build_monomial(const std::vector<Factor>& factors) {
  std::vector<Expr> operands;
  operands.reserve(factors.size());
  for (const Factor& factor : factors) {
    if (factor.power == 0) continue;
    operands.push_back(factor.power == 1 ? factor.atom
                                         : intern(ExprKind::pow, ExprDomain::integer,
                                                  {factor.atom, factor.power}));
  }
  if (operands.empty()) return 1;
  if (operands.size() == 1) return operands[0];
  return intern(ExprKind::mul, ExprDomain::integer, operands);
}

Terms terms_of(Expr a) {
  Terms terms;
  const auto append = [&](Expr term) {
    if (term.is_constant()) {
      if (!term.is(0)) terms.push_back({term.constant(), 1});
    } else if (const ExprNode* node = term.node(); node->monomial != nullptr) {
      terms.push_back({node->operands()[0].constant(), ExprAccess::wrap(node->monomial)});
    } else {
      terms.push_back({1, term});
    }
  };
  if (is_sum(a)) {
    terms.reserve(a.operands().size());
    for (const Expr& term : a.operands()) append(term);
  } else {
    append(a);
  }
  return terms;
}

std::optional<Terms> combine(const Terms& a, int64_t a_factor, const Terms& b, int64_t b_factor) {
  Terms out;
  out.reserve(a.size() + b.size());
  bool fits = true;
  const auto scaled = [&](int64_t coefficient, int64_t factor) {
    int64_t result = 0;
    if (__builtin_mul_overflow(coefficient, factor, &result)) fits = false;
    return result;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    int order = 0;
    if (i == a.size()) {
      order = 1;
    } else if (j == b.size()) {
      order = -1;
    } else {
      order = compare_monomials(a[i].monomial, b[j].monomial);
    }
    int64_t coefficient = 0;
    const Expr monomial = order <= 0 ? a[i].monomial : b[j].monomial;
    if (order <= 0) coefficient = scaled(a[i++].coefficient, a_factor);
    if (order >= 0) {
      const int64_t other = scaled(b[j++].coefficient, b_factor);
      if (__builtin_add_overflow(coefficient, other, &coefficient)) fits = false;
    }
    if (!fits) return std::nullopt;
    if (coefficient != 0) out.push_back({coefficient, monomial});
  }
  return out;
}

Terms combine_checked(const Terms& a, int64_t a_factor, const Terms& b, int64_t b_factor) {
  auto result = combine(a, a_factor, b, b_factor);
  if (!result) fail_out_of_range("a coefficient does not fit in 64 bits");
  return *std::move(result);
}

Terms sorted_terms(Terms terms) {
  std::ranges::stable_sort(terms, [](const Term& a, const Term& b) {
    return compare_monomials(a.monomial, b.monomial) < 0;
  });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    Term term = terms[i++];
    while (i < terms.size() && terms[i].monomial == term.monomial) {
      term.coefficient = checked_add(term.coefficient, terms[i++].coefficient);
    }
    if (term.coefficient != 0) terms[kept++] = term;
  }
  terms.resize(kept);
  return terms;
}

Expr build_term(const Term& term) {
  if (term.is_constant()) return term.coefficient;
  if (term.coefficient == 1) return term.monomial;
  std::vector<Expr> operands{term.coefficient};
  if (term.monomial.kind() == ExprKind::mul) {
    const auto factors = term.monomial.operands();
    operands.insert(operands.end(), factors.begin(), factors.end());
  } else {
    operands.push_back(term.monomial);
  }
  return intern(ExprKind::mul, ExprDomain::integer, operands);
}

Term multiply_terms(const Term& a, const Term& b) {
  const int64_t coefficient = checked_multiply(a.coefficient, b.coefficient);
  if (a.is_constant()) return {coefficient, b.monomial};
  if (b.is_constant()) return {coefficient, a.monomial};
  std::vector<Factor> factors = factors_of(a.monomial);
  const size_t middle = factors.size();
  for (size_t i = 0; i < factor_count(b.monomial); ++i) {
    const Factor factor = factor_at(b.monomial, i);
    const auto same =
        std::find_if(factors.begin(), factors.begin() + static_cast<ptrdiff_t>(middle),
                     [&](const Factor& own) { return own.atom == factor.atom; });
    if (same != factors.begin() + static_cast<ptrdiff_t>(middle)) {
      same->power = checked_add(same->power, factor.power);
    } else {
      factors.push_back(factor);
    }
  }
  std::inplace_merge(factors.begin(), factors.begin() + static_cast<ptrdiff_t>(middle),
                     factors.end(),
                     [](const Factor& x, const Factor& y) { return compare(x.atom, y.atom) < 0; });
  return {coefficient, build_monomial(factors)};
}

std::optional<Term> divide_term(const Term& a, const Term& b) {
  if (b.coefficient == 0 || (a.coefficient == INT64_MIN && b.coefficient == -1)) {
    return std::nullopt;
  }
  if (a.coefficient % b.coefficient != 0) return std::nullopt;
  std::vector<Factor> factors = factors_of(a.monomial);
  for (size_t i = 0; i < factor_count(b.monomial); ++i) {
    const Factor divisor = factor_at(b.monomial, i);
    const auto own = std::ranges::find(factors, divisor.atom, &Factor::atom);
    if (own == factors.end() || own->power < divisor.power) return std::nullopt;
    own->power -= divisor.power;
  }
  return Term{a.coefficient / b.coefficient, build_monomial(factors)};
}

namespace {

// Divides by a sum that the terms hold whole, because their product was too large to expand.
std::optional<Terms> divide_by_whole_sum(const Terms& a, const Terms& b) {
  const Expr whole = build_sum(b);
  if (!is_sum(whole)) return std::nullopt;
  Terms quotient;
  for (const Term& term : a) {
    const auto exact = divide_term(term, {1, whole});
    if (!exact) return std::nullopt;
    quotient.push_back(*exact);
  }
  return normalised_terms(quotient);
}

}  // namespace

std::optional<Terms> divide_exactly(const Terms& a, const Terms& b) {
  if (b.empty()) return std::nullopt;
  if (b.size() > 1 && !a.empty() && has_sum_factor(a.front().monomial)) {
    if (auto quotient = divide_by_whole_sum(a, b)) return quotient;
  }
  Terms rest = a;
  Terms quotient;
  for (int step = 0; !rest.empty(); ++step) {
    if (step == kMaxQuotientTerms) return std::nullopt;
    const auto lead = divide_term(rest.front(), b.front());
    if (!lead) return std::nullopt;
    quotient.push_back(*lead);
    try {
      rest = combine_checked(rest, 1, multiplied({*lead}, b), -1);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_range) throw;
      return std::nullopt;  // Coefficients grew past 64 bits on the way: no simple quotient.
    }
  }
  return normalised_terms(quotient);
}

int64_t content(const Terms& terms) {
  int64_t divisor = 0;
  for (const Term& term : terms) {
    if (term.coefficient == INT64_MIN) return 1;
    divisor = std::gcd(divisor, term.coefficient);
  }
  return std::max<int64_t>(divisor, 1);
}

Expr common_monomial(const Terms& a, const Terms& b) {
  const Terms& first = a.empty() ? b : a;
  if (first.empty()) return 1;
  std::vector<Factor> common = factors_of(first.front().monomial);
  const auto meet = [&](const Terms& terms) {
    for (const Term& term : terms) {
      if (common.empty()) return;
      for (Factor& factor : common) {
        int64_t power = 0;
        for (size_t i = 0; i < factor_count(term.monomial); ++i) {
          const Factor own = factor_at(term.monomial, i);
          if (own.atom == factor.atom) power = own.power;
        }
        factor.power = std::min(factor.power, power);
      }
      std::erase_if(common, [](const Factor& factor) { return factor.power == 0; });
    }
  };
  meet(a);
  meet(b);
  return build_monomial(common);
}

Terms divide_by_monomial(const Terms& terms, Expr monomial, int64_t coefficient) {
  Terms out;
  for (const Term& term : terms) {
    const auto quotient = divide_term(term, {coefficient, monomial});
    check(quotient.has_value(), "a common factor divides every term");
    out.push_back(*quotient);
  }
  return normalised_terms(out);
}

int64_t constant_of(const Terms& terms) {
  return !terms.empty() && terms.back().is_constant() ? terms.back().coefficient : 0;
}

namespace {

// Shared sub-expressions would make a full descent exponential; factors deeper down are rare.
constexpr int kFactorDepth = 4;

int64_t factor_within(Expr a, int depth);

int64_t common_factor(std::span<const Expr> operands, int depth) {
  int64_t divisor = 0;
  for (const Expr& operand : operands) {
    divisor = std::gcd(divisor, factor_within(operand, depth - 1));
    if (divisor == 1) return 1;
  }
  return divisor;
}

int64_t factor_within(Expr a, int depth) {
  if (a.is_constant()) return a.constant() == INT64_MIN ? 1 : std::abs(a.constant());
  if (depth == 0) return 1;
  switch (a.kind()) {
    case ExprKind::add:
    case ExprKind::min:
    case ExprKind::max:
    case ExprKind::mod:
      return common_factor(a.operands(), depth);
    case ExprKind::where:
      return common_factor(a.operands().subspan(1), depth);
    case ExprKind::mul: {
      int64_t divisor = 1;
      for (const Expr& operand : a.operands()) {
        int64_t larger = 0;
        if (!__builtin_mul_overflow(divisor, factor_within(operand, depth - 1), &larger)) {
          divisor = larger;
        }
      }
      return divisor;
    }
    case ExprKind::pow:
      // x**n with n >= 1 is a multiple of x; higher powers are not worth the overflow care.
      return range_of(a.operands()[1]).lo >= 1 ? factor_within(a.operands()[0], depth - 1) : 1;
    default:
      return 1;
  }
}

}  // namespace

int64_t known_factor(Expr a) { return factor_within(a, kFactorDepth); }

std::optional<std::pair<Expr, Expr>> linear_in(Expr a, SymbolId symbol) {
  if (a.domain() != ExprDomain::integer) return std::nullopt;
  if (!mentions(a, symbol)) return std::pair{Expr(0), a};
  const Expr variable = a.pool()->symbol_expr(symbol);
  Terms coefficient;
  Terms rest;
  for (const Term& term : terms_of(a)) {
    if (!mentions(term.monomial, symbol)) {
      rest.push_back(term);
      continue;
    }
    const auto quotient = divide_term(term, {1, variable});
    if (!quotient || mentions(quotient->monomial, symbol)) return std::nullopt;
    coefficient.push_back(*quotient);
  }
  return std::pair{build_sum(normalised_terms(coefficient)), build_sum(rest)};
}

// Building

namespace {

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
    if (is_sum(operand)) {
      sums.push_back({operand, 1});
      continue;
    }
    Term term = terms_of(operand).front();
    if (has_sum_factor(term.monomial)) {
      std::vector<Factor> others;
      for (const Factor& factor : factors_of(term.monomial)) {
        (is_sum(factor.atom) ? sums : others).push_back(factor);
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
    for (int64_t i = 0; i < sum.power; ++i) result = multiplied(result, terms);
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
  if (is_sum(base)) {
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
