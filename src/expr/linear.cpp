// Integer sums as lists of terms: ordering, merging, multiplying and dividing polynomials.
//
// The order of terms is a monomial order in the algebraic sense (compatible with multiplication),
// which makes long division below terminate and find every exact quotient.

#include <algorithm>
#include <numeric>

#include "expr/node.h"

namespace litz {
namespace {

// Limits the quotient terms of the long division of polynomials.
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

// A quotient may leave a sum that was too large to expand before; expands it now.
void append_normalised(Terms& out, const Term& term) {
  if (!has_sum_factor(term.monomial)) {
    out.push_back(term);
    return;
  }
  const Terms expanded = terms_of(expanded_term(term));
  out.insert(out.end(), expanded.begin(), expanded.end());
}

}  // namespace

Terms normalised_terms(const Terms& terms) {
  Terms out;
  out.reserve(terms.size());
  for (const Term& term : terms) append_normalised(out, term);
  return sorted_terms(std::move(out));
}

bool is_integer_sum(Expr a) {
  return a.kind() == ExprKind::add && a.domain() == ExprDomain::integer;
}

bool is_choice(Expr a) {
  return a.kind() == ExprKind::min || a.kind() == ExprKind::max || a.kind() == ExprKind::where;
}

bool has_sum_factor(Expr monomial) {
  for (size_t i = 0; i < factor_count(monomial); ++i) {
    if (is_integer_sum(factor_at(monomial, i).atom)) return true;
  }
  return false;
}

Terms multiply_out(const Terms& a, const Terms& b) {
  Terms out;
  out.reserve(a.size() * b.size());
  for (const Term& x : a) {
    for (const Term& y : b) out.push_back(multiply_terms(x, y));
  }
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
  if (is_integer_sum(a)) {
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

// Divides by a sum that the terms contain unexpanded, because their product was too large.
std::optional<Terms> divide_by_whole_sum(const Terms& a, const Terms& b) {
  const Expr whole = build_sum(b);
  if (!is_integer_sum(whole)) return std::nullopt;
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
      rest = combine_checked(rest, 1, multiply_out({*lead}, b), -1);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_range) throw;
      return std::nullopt;  // Coefficients exceeded 64 bits: no simple quotient.
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
      // x**n with n >= 1 is a multiple of x; higher powers would need overflow checks.
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

}  // namespace litz
