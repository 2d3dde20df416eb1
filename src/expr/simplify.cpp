// Floor division, its remainder and functions built from them: the index algebra.
//
// Both functions split the dividend into multiples of the divisor and a reduced rest, and then
// apply the same rules to the rest (n > 0, all under floor semantics, so for any sign of x):
//
//   x in [k*n, (k+1)*n)      floor_div(x, n) = k                      mod(x, n) = x - k*n
//   x = g*y + r, 0 <= r < g  floor_div(x, g*n) = floor_div(y, n)      mod(x, g*n) = g*mod(y, n) + r
//   x = floor_div(y, c) + k  floor_div(x, n) = floor_div(y + k*c, c*n)
//   x = mod(y, n*m)          floor_div(x, n) = mod(floor_div(y, n), m)
//   x = y + c*mod(z, k*n)                                             mod(x, n) = mod(y + c*z, n)
//   leading term negative    floor_div(x, n) = -floor_div(n - 1 - x, n)
//                            mod(x, n) = n - 1 - mod(-x - 1, n)
//
// Rewrites may drop an error (0 divided by a symbol that is 0), but never add one.

#include <algorithm>
#include <array>
#include <numeric>

#include "expr/node.h"

namespace litz {
namespace {

// A dividend as quotient * divisor + rest, with the coefficients of rest smaller than the divisor.
struct Reduced {
  Terms quotient;
  Terms rest;
};

Reduced reduce(const Terms& terms, int64_t divisor) {
  Reduced out;
  for (const Term& term : terms) {
    int64_t quotient = term.coefficient / divisor;
    int64_t rest = term.coefficient % divisor;
    if (term.is_constant() && rest < 0) {
      rest += divisor;
      --quotient;
    }
    if (quotient != 0) out.quotient.push_back({quotient, term.monomial});
    if (rest != 0) out.rest.push_back({rest, term.monomial});
  }
  return out;
}

// Computes constant - terms.
Terms reflected(const Terms& terms, const Terms& constant) {
  return combine_checked(constant, 1, terms, -1);
}

Terms constant_terms(int64_t value) { return value == 0 ? Terms{} : Terms{{value, 1}}; }

bool leads_negative(const Terms& terms) {
  return !terms.empty() && !terms.front().is_constant() && terms.front().coefficient < 0;
}

// The only k with rest in [k*n, (k+1)*n), if the bounds determine one.
std::optional<int64_t> constant_quotient(const Terms& rest, int64_t divisor) {
  const int64_t lo = lower_bound(rest);
  if (lo == Interval::kMin) return std::nullopt;
  const int64_t hi = upper_bound(rest);
  if (hi == Interval::kMax) return std::nullopt;
  const int64_t k = floor_quotient(lo, divisor);
  if (k != floor_quotient(hi, divisor)) return std::nullopt;
  return k;
}

// rest = unit * multiple + small, with small in [shift*unit, (shift+1)*unit) and unit | divisor.
struct SmallSplit {
  int64_t unit;
  Terms multiple;  ///< Already divided by the unit, including the shift.
  Terms small;     ///< Already reduced by shift*unit: in [0, unit).
};

std::optional<SmallSplit> split_small(const Terms& rest, int64_t divisor) {
  std::vector<int64_t> units;
  for (const Term& term : rest) {
    if (term.is_constant()) continue;
    units.push_back(std::gcd(term.coefficient, divisor));
  }
  std::ranges::sort(units, std::greater<>());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  for (const int64_t unit : units) {
    if (unit == 1) break;
    SmallSplit split{unit, {}, {}};
    for (const Term& term : rest) {
      if (!term.is_constant() && term.coefficient % unit == 0) {
        split.multiple.push_back({term.coefficient / unit, term.monomial});
      } else {
        split.small.push_back(term);
      }
    }
    const auto shift = constant_quotient(split.small, unit);
    if (!shift) continue;
    split.multiple = combine_checked(split.multiple, 1, constant_terms(*shift), 1);
    split.small =
        combine_checked(split.small, 1, constant_terms(checked_multiply(*shift, unit)), -1);
    return split;
  }
  return std::nullopt;
}

// The single non-constant term, if its coefficient is 1 and at most a constant is added.
std::optional<Expr> lone_atom(const Terms& terms) {
  if (terms.empty() || terms.size() > 2 || terms[0].is_constant()) return std::nullopt;
  if (terms.size() == 2 && !terms[1].is_constant()) return std::nullopt;
  if (terms[0].coefficient != 1) return std::nullopt;
  return terms[0].monomial;
}

// Applies a monotone or branch-wise function to every alternative of min, max or where.
Expr map_choice(Expr choice, auto function) {
  std::vector<Expr> operands(choice.operands().begin(), choice.operands().end());
  for (size_t i = choice.kind() == ExprKind::where ? 1 : 0; i < operands.size(); ++i) {
    operands[i] = function(operands[i]);
  }
  return litz::apply(choice.kind(), operands);
}

// Computes floor_div of reduced terms by a constant above 1.
Expr divide_rest(const Terms& rest, int64_t divisor) {
  if (rest.empty() || rest[0].is_constant()) return 0;
  if (leads_negative(rest)) {
    const Terms mirrored = reflected(rest, constant_terms(divisor - 1));
    return -floor_div(build_sum(mirrored), divisor);
  }
  if (const auto k = constant_quotient(rest, divisor)) return *k;
  if (const auto split = split_small(rest, divisor)) {
    return floor_div(build_sum(split->multiple), divisor / split->unit);
  }
  if (const auto atom = lone_atom(rest)) {
    const int64_t shift = constant_of(rest);
    const auto operands = atom->operands();
    int64_t joined = 0;
    if (atom->kind() == ExprKind::floor_div &&
        (!operands[1].is_constant() ||
         !__builtin_mul_overflow(operands[1].constant(), divisor, &joined))) {
      return floor_div(operands[0] + operands[1] * shift, operands[1] * divisor);
    }
    if (atom->kind() == ExprKind::mod && shift == 0) {
      const auto period = operands[1].maybe_constant();
      if (period && *period % divisor == 0) {
        return mod(floor_div(operands[0], divisor), *period / divisor);
      }
    }
  }
  if (rest.size() == 1 && is_choice(rest[0].monomial) &&
      known_factor(rest[0].monomial) % divisor == 0) {
    return Expr(rest[0].coefficient) *
           map_choice(rest[0].monomial, [&](Expr a) { return floor_div(a, divisor); });
  }
  return intern(ExprKind::floor_div, ExprDomain::integer, {build_sum(rest), divisor});
}

Expr floor_div_by_constant(Expr a, int64_t divisor) {
  const Reduced parts = reduce(terms_of(a), divisor);
  const Expr rest = divide_rest(parts.rest, divisor);
  return parts.quotient.empty() ? rest : build_sum(parts.quotient) + rest;
}

// Replaces c*mod(z, m) by c*z if the divisor divides c*m, and drops multiples of the divisor.
Terms reduced_modulo(Terms terms, int64_t divisor) {
  for (bool changed = true; changed;) {
    changed = false;
    terms = reduce(terms, divisor).rest;
    for (size_t i = 0; i < terms.size(); ++i) {
      const Term term = terms[i];
      if (term.is_constant()) continue;
      const Wide factor = Wide{term.coefficient} * known_factor(term.monomial);
      const bool inner = term.monomial.kind() == ExprKind::mod;
      const auto period = inner ? term.monomial.operands()[1].maybe_constant() : std::nullopt;
      const bool nested = period && Wide{term.coefficient} * *period % divisor == 0;
      if (factor % divisor != 0 && !nested) continue;
      terms.erase(terms.begin() + static_cast<ptrdiff_t>(i));
      if (nested) {
        terms = combine_checked(terms, 1, terms_of(term.monomial.operands()[0]), term.coefficient);
      }
      changed = true;
      break;
    }
  }
  return terms;
}

Expr mod_by_constant(Expr a, int64_t divisor) {
  const Terms rest = reduced_modulo(terms_of(a), divisor);
  if (rest.empty()) return 0;
  if (rest[0].is_constant()) return rest[0].coefficient;  // Reduced to [0, divisor).
  if (const auto k = constant_quotient(rest, divisor)) {
    return build_sum(rest) - Expr(checked_multiply(*k, divisor));
  }
  if (leads_negative(rest)) {
    const Expr mirrored = build_sum(reflected(rest, constant_terms(-1)));
    return Expr(divisor - 1) - mod(mirrored, divisor);
  }
  if (const auto split = split_small(rest, divisor)) {
    return Expr(split->unit) * mod(build_sum(split->multiple), divisor / split->unit) +
           build_sum(split->small);
  }
  return intern(ExprKind::mod, ExprDomain::integer, {build_sum(rest), divisor});
}

// --- Symbolic divisors

struct SymbolicDivision {
  Expr quotient;  ///< The part that was divided out exactly.
  Terms rest;
  Terms divisor;
  Expr factor;  ///< Common factor removed from both; mod is scaled back by it.
};

// Moves multiples of the divisor into the quotient: term by term for a monomial divisor; for a sum,
// by long division while every step shortens the rest.
void divide_out(SymbolicDivision& division) {
  Terms quotient;
  if (division.divisor.size() == 1) {
    Terms rest;
    for (const Term& term : division.rest) {
      const auto exact = divide_term(term, division.divisor[0]);
      if (exact) {
        quotient.push_back(*exact);
      } else {
        rest.push_back(term);
      }
    }
    division.rest = std::move(rest);
  } else if (auto exact = divide_exactly(division.rest, division.divisor)) {
    quotient = *std::move(exact);
    division.rest.clear();
  } else {
    for (size_t i = 0; i < division.rest.size();) {
      const auto step = divide_term(division.rest[i], division.divisor[0]);
      const Terms taken =
          step ? terms_of(build_term(*step) * build_sum(division.divisor)) : Terms{};
      const auto shorter = step ? combine(division.rest, 1, taken, -1) : std::nullopt;
      if (!shorter || shorter->size() >= division.rest.size()) {
        ++i;
        continue;
      }
      quotient.push_back(*step);
      division.rest = *shorter;
      i = 0;
    }
  }
  division.quotient = build_sum(normalised_terms(quotient));
}

SymbolicDivision divide_symbolically(Expr a, Expr b) {
  SymbolicDivision division{0, terms_of(a), terms_of(b), 1};
  divide_out(division);
  if (division.rest.empty()) return division;
  const int64_t scale = std::gcd(content(division.rest), content(division.divisor));
  const Expr common = common_monomial(division.rest, division.divisor);
  if (scale != 1 || !common.is(1)) {
    division.rest = divide_by_monomial(division.rest, common, scale);
    division.divisor = divide_by_monomial(division.divisor, common, scale);
    division.factor = build_term({scale, common});
  }
  return division;
}

// The quotient of the rest if ranges determine it: 0 if 0 <= rest < b, -1 if -b <= rest < 0.
std::optional<int64_t> symbolic_quotient(const Terms& rest, const Terms& divisor) {
  const auto slack = combine(divisor, 1, rest, -1);
  if (slack && proves_at_least(*slack, 1) && proves_at_least(rest, 0)) return 0;
  const auto negated = combine({}, 1, rest, -1);
  const auto sum = combine(divisor, 1, rest, 1);
  if (negated && sum && proves_at_least(*negated, 1) && proves_at_least(*sum, 0)) return -1;
  return std::nullopt;
}

Expr floor_div_symbolic(Expr a, Expr b) {
  const SymbolicDivision division = divide_symbolically(a, b);
  if (division.rest.empty()) return division.quotient;
  const Expr rest = build_sum(division.rest);
  const Expr divisor = build_sum(division.divisor);
  if (divisor.is_constant() || !division.factor.is(1)) {
    return division.quotient + floor_div(rest, divisor);
  }
  if (const auto k = symbolic_quotient(division.rest, division.divisor)) {
    return division.quotient + *k;
  }
  if (proves_at_least(division.divisor, 1)) {
    if (leads_negative(division.rest)) {
      // This is -ceil(y / b), written with floor.
      return division.quotient - 1 - floor_div(-rest - 1, divisor);
    }
    if (const auto atom = lone_atom(division.rest); atom && atom->kind() == ExprKind::floor_div) {
      const Expr inner = atom->operands()[1];
      return division.quotient +
             floor_div(atom->operands()[0] + inner * Expr(constant_of(division.rest)),
                       inner * divisor);
    }
  }
  return division.quotient + intern(ExprKind::floor_div, ExprDomain::integer, {rest, divisor});
}

Expr mod_symbolic(Expr a, Expr b) {
  const SymbolicDivision division = divide_symbolically(a, b);
  if (division.rest.empty()) return 0;
  const Expr rest = build_sum(division.rest);
  const Expr divisor = build_sum(division.divisor);
  if (divisor.is_constant() || !division.factor.is(1)) {
    return division.factor * mod(rest, divisor);
  }
  if (const auto k = symbolic_quotient(division.rest, division.divisor)) {
    return rest - Expr(*k) * divisor;
  }
  if (leads_negative(division.rest) && proves_at_least(division.divisor, 1)) {
    return divisor - 1 - mod(-rest - 1, divisor);
  }
  if (const auto atom = lone_atom(division.rest); atom && atom->kind() == ExprKind::mod) {
    // mod(mod(z, k*b) + c, b) = mod(z + c, b).
    if (exact_quotient(atom->operands()[1], divisor)) {
      return mod(atom->operands()[0] + Expr(constant_of(division.rest)), divisor);
    }
  }
  return intern(ExprKind::mod, ExprDomain::integer, {rest, divisor});
}

// Uses the plain node if the numbers of a rewrite do not fit in 64 bits.
Expr or_plain(ExprKind kind, Expr a, Expr b, Expr (*build)(Expr, Expr)) {
  try {
    return build(a, b);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    return intern(kind, ExprDomain::integer, {a, b});
  }
}

Expr build_floor_div(Expr a, Expr b) {
  return or_plain(ExprKind::floor_div, a, b, [](Expr x, Expr y) {
    const auto constant = y.maybe_constant();
    if (!constant) return floor_div_symbolic(x, y);
    if (*constant < 0) return floor_div(-x, -y);
    return floor_div_by_constant(x, *constant);
  });
}

Expr build_mod(Expr a, Expr b) {
  return or_plain(ExprKind::mod, a, b, [](Expr x, Expr y) {
    const auto constant = y.maybe_constant();
    if (!constant) return mod_symbolic(x, y);
    if (*constant < 0) return -mod(-x, -y);
    return mod_by_constant(x, *constant);
  });
}

}  // namespace

Expr floor_div(Expr a, Expr b) {
  require_domain(a, ExprDomain::integer, "floor_div");
  require_domain(b, ExprDomain::integer, "floor_div");
  if (b.is(0)) fail_out_of_range("division by zero");
  if (a.is_constant() && b.is_constant()) return floor_quotient(a.constant(), b.constant());
  if (a.is(0) || b.is(1)) return a;
  if (a == b) return 1;
  return memoised(ExprKind::floor_div, a, b, build_floor_div);
}

Expr mod(Expr a, Expr b) {
  require_domain(a, ExprDomain::integer, "mod");
  require_domain(b, ExprDomain::integer, "mod");
  if (b.is(0)) fail_out_of_range("modulus by zero");
  if (a.is_constant() && b.is_constant()) return floor_remainder(a.constant(), b.constant());
  if (a.is(0) || b.is(1) || b.is(-1) || a == b) return 0;
  return memoised(ExprKind::mod, a, b, build_mod);
}

Expr ceil_div(Expr a, Expr b) {
  require_domain(a, ExprDomain::integer, "ceil_div");
  return -floor_div(-a, b);
}

Expr clean_div(Expr a, Expr b) {
  require_domain(a, ExprDomain::integer, "clean_div");
  require_domain(b, ExprDomain::integer, "clean_div");
  if (b.is(0)) fail_out_of_range("division by zero");
  const Expr remainder = mod(a, b);
  if (remainder.is(0)) return floor_div(a, b);
  if (remainder.is_constant()) fail_out_of_range("an exact quotient leaves a remainder");
  return intern(ExprKind::clean_div, ExprDomain::integer, {a, b});
}

bool known_divisible(Expr a, Expr b) {
  if (b.is(0)) return false;
  if (a.is(0)) return true;
  if (a.is_constant() && !b.is_constant()) return false;
  return known_equal(mod(a, b), 0);
}

}  // namespace litz
