// Joins quotients with their remainders when a sum is built.
//
//   n*floor_div(x, n) + mod(x, n)              =>  x
//   n*mod(y + floor_div(x, n), m) + mod(x, n)  =>  mod(n*y + x, n*m)
//
// Both hold for every sign of x under floor semantics, and under any common factor.

#include <algorithm>

#include "expr/node.h"

namespace litz {
namespace {

// Each join removes a modulus, so a sum needs few rounds; the cap only guards against surprises.
constexpr int kMaxJoins = 32;

bool is_modulus(Expr a) { return a.kind() == ExprKind::mod; }

bool holds_modulus(Expr monomial) {
  if (is_modulus(monomial)) return true;
  return monomial.kind() == ExprKind::mul && std::ranges::any_of(monomial.operands(), is_modulus);
}

std::vector<Expr> moduli_in(Expr monomial) {
  if (is_modulus(monomial)) return {monomial};
  std::vector<Expr> moduli;
  if (monomial.kind() == ExprKind::mul) {
    for (const Expr& factor : monomial.operands()) {
      if (is_modulus(factor)) moduli.push_back(factor);
    }
  }
  return moduli;
}

/// sum - part, where part is a term of the sum, or the sum itself.
std::optional<Expr> without(Expr sum, Expr part) {
  if (sum == part) return Expr(0);
  if (!is_integer_sum(sum)) return std::nullopt;
  const std::span<const Expr> operands = sum.operands();
  if (std::ranges::find(operands, part) == operands.end()) return std::nullopt;
  return sum - part;
}

struct Join {
  size_t partner;
  Expr replacement;
};

// A partner of the term c*rest*mod(x, n), given its modulus.
std::optional<Join> find_join(const Terms& terms, size_t own, Expr modulus) {
  const Expr base = modulus.operands()[0];
  const Expr divisor = modulus.operands()[1];
  const Expr quotient = floor_div(base, divisor);
  // A product with a sum has several terms and no partner; expanding it would lead back here, again
  // for every modulus.
  if (quotient.is_constant() || is_integer_sum(quotient) || is_integer_sum(divisor)) {
    return std::nullopt;
  }
  const auto outer = divide_term(terms[own], {1, modulus});
  check(outer.has_value(), "a monomial is divisible by its factor");
  const Expr factor = build_term(*outer);
  const Terms whole = terms_of(factor * divisor * quotient);
  if (whole.size() != 1) return std::nullopt;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == own) continue;
    if (terms[i].coefficient == whole[0].coefficient && terms[i].monomial == whole[0].monomial) {
      return Join{i, factor * base};
    }
    for (const Expr& higher : moduli_in(terms[i].monomial)) {
      const std::optional<Expr> rest = without(higher.operands()[0], quotient);
      if (!rest) continue;
      // Nested quotients only collapse over a positive outer divisor.
      if (range_of(higher.operands()[1]).lo < 1) continue;
      const Terms part = terms_of(factor * divisor * higher);
      if (part.size() == 1 && part[0].coefficient == terms[i].coefficient &&
          part[0].monomial == terms[i].monomial) {
        return Join{i, factor * mod(divisor * *rest + base, divisor * higher.operands()[1])};
      }
    }
  }
  return std::nullopt;
}

bool join_once(Terms& terms) {
  for (size_t own = 0; own < terms.size(); ++own) {
    for (const Expr& modulus : moduli_in(terms[own].monomial)) {
      const auto join = find_join(terms, own, modulus);
      if (!join) continue;
      const Terms added = terms_of(join->replacement);
      terms.erase(terms.begin() + static_cast<ptrdiff_t>(std::max(own, join->partner)));
      terms.erase(terms.begin() + static_cast<ptrdiff_t>(std::min(own, join->partner)));
      terms = combine_checked(terms, 1, added, 1);
      return true;
    }
  }
  return false;
}

void join_remainders(Terms& terms) {
  for (int round = 0; round < kMaxJoins && terms.size() >= 2; ++round) {
    if (std::ranges::none_of(terms, [](const Term& t) { return holds_modulus(t.monomial); })) {
      return;
    }
    try {
      if (!join_once(terms)) return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_range) throw;
      return;  // The joined form would not fit in 64 bits; the sum stays.
    }
  }
}

}  // namespace

Expr build_sum(Terms terms) {
  join_remainders(terms);
  if (terms.empty()) return 0;
  if (terms.size() == 1) return build_term(terms[0]);
  std::vector<Expr> operands;
  operands.reserve(terms.size());
  for (const Term& term : terms) operands.push_back(build_term(term));
  return intern(ExprKind::add, ExprDomain::integer, operands);
}

}  // namespace litz
