// Lower bounds of sums, from the ranges of their terms and from relations between terms.
//
//   - A polynomial is rewritten around the limits of its atoms (s0 = 2 + t or s0 = 7 - t, t >= 0):
//     if no coefficient is negative, the constant is a bound: s0*s0 - s0 >= 2.
//   - floor_div, mod, min, max, where and indices of symbolic extent are replaced by their bounds,
//     and the search continues with the simpler sum: s0 - s0//2 >= s0 - s0/2 >= 1.
//
// Each replacement only lowers the sum, so every answer is a bound, and the best one wins. The
// search has a step limit and only interns products of atoms.

#include <algorithm>
#include <array>
#include <numeric>

#include "expr/node.h"
#include "expr/wide.h"

namespace litz {
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

// t is the distance of an atom from its lower or its upper limit.
struct Origin {
  Expr atom;
  bool from_above;
};

// Selects the origin of atoms with two limits. Indices are measured from the sizes that they are
// compared with: 14*s0 - 2*i0*s0 is 2*(7 - i0)*s0, with i0 from its upper limit and s0 from its
// lower.
enum class Side : uint8_t { below, above, indices_above };

bool is_index(Expr atom) {
  return atom.is_symbol() && atom.pool()->symbol(atom.symbol()).kind == SymbolKind::index;
}

class ShiftedPolynomial {
 public:
  // False if there are too many atoms, or one without any limit.
  bool choose_origins(const Terms& terms, Side side) {
    for (const Term& term : terms) {
      for (const Factor& factor : factors_of(term.monomial)) {
        if (std::ranges::find(origins_, factor.atom, &Origin::atom) != origins_.end()) continue;
        const Interval range = range_of(factor.atom);
        const bool has_lower = range.lo != Interval::kMin;
        const bool has_upper = range.hi != Interval::kMax;
        if (origins_.size() == kMaxAtoms || (!has_lower && !has_upper)) return false;
        const bool prefer_above =
            side == Side::above || (side == Side::indices_above && is_index(factor.atom));
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
      if (is_infinite(coefficient)) return -kWideInfinity;
      if (exponents == Exponents{}) {
        total = plus(total, coefficient);
      } else if (coefficient < 0) {
        total = plus(total, times(coefficient, largest(exponents)));
      }
      if (total <= -kWideInfinity) return total;
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
      const Wide width = finite ? Wide{range.hi} - range.lo : kWideInfinity;
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
  if (terms.size() > kMaxShiftedTerms) return -kWideInfinity;
  for (const Term& term : terms) {
    if (!term.is_constant() && term.monomial.node()->degree > kMaxDegree) return -kWideInfinity;
  }
  Wide best = -kWideInfinity;
  for (const Side side : {Side::below, Side::above, Side::indices_above}) {
    ShiftedPolynomial polynomial;
    if (!polynomial.choose_origins(terms, side)) return best;
    for (const Term& term : terms) polynomial.add(term);
    best = std::max(best, polynomial.lower());
  }
  return best;
}

// True if the atoms of a term share a symbol with another term: only then can relations help.
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
    if (steps_-- <= 0) return -kWideInfinity;
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
        return is_entangled(terms, index) ? relax_quotient(terms, index, depth) : -kWideInfinity;
      case ExprKind::mod:
        return relax_modulus(terms, index, depth);
      case ExprKind::min:
      case ExprKind::max:
      case ExprKind::where:
        return is_entangled(terms, index) ? relax_choice(terms, index, term.monomial, depth)
                                          : -kWideInfinity;
      case ExprKind::symbol:
      case ExprKind::mul:
        return relax_product(terms, index, depth);
      default:
        return -kWideInfinity;
    }
  }

  // Searches scale * (terms without one) + factor * replacement, and scales the result back.
  Wide replaced(const Terms& terms, size_t index, int64_t scale, Expr replacement, int64_t factor,
                int depth) {
    Terms others = terms;
    others.erase(others.begin() + static_cast<ptrdiff_t>(index));
    const auto sum = combine(others, scale, terms_of(replacement), factor);
    if (!sum) return -kWideInfinity;
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
    if (!divisor || *divisor < 1 || term.coefficient == INT64_MIN) return -kWideInfinity;
    const int64_t shared = std::gcd(term.coefficient, *divisor);
    const int64_t scale = *divisor / shared;
    const int64_t factor = term.coefficient / shared;
    if (factor < 0) return replaced(terms, index, scale, operands[0], factor, depth);
    Terms shifted = terms;
    const auto slack = combine({}, 1, {{1, 1}}, 1 - *divisor);
    if (!slack) return -kWideInfinity;
    const auto bound = combine(terms_of(operands[0]), 1, *slack, 1);
    if (!bound) return -kWideInfinity;
    shifted.erase(shifted.begin() + static_cast<ptrdiff_t>(index));
    const auto sum = combine(shifted, scale, *bound, factor);
    if (!sum) return -kWideInfinity;
    const Wide goal = goal_;
    goal_ = times(goal, scale);
    const Wide found = search(*sum, depth);
    goal_ = goal;
    return is_infinite(found) ? found : -floor_quotient(-found, Wide{scale});
  }

  // mod(x, n) <= x for x >= 0; mod(x, n) <= n - 1 for n >= 1.
  Wide relax_modulus(const Terms& terms, size_t index, int depth) {
    const Term& term = terms[index];
    if (term.coefficient > 0) return -kWideInfinity;
    const auto operands = term.monomial.operands();
    if (range_of(operands[1]).lo < 1) return -kWideInfinity;
    Wide best = -kWideInfinity;
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

  // One alternative suffices if the choice can only exceed it; otherwise all must hold. The choice
  // may be multiplied by a non-negative rest.
  Wide relax_choice(const Terms& terms, size_t index, Expr choice, int depth) {
    const auto rest = divide_term(terms[index], {1, choice});
    if (!rest || range_of(rest->monomial).lo < 0) return -kWideInfinity;
    Terms others = terms;
    others.erase(others.begin() + static_cast<ptrdiff_t>(index));
    const bool any = (choice.kind() == ExprKind::max && rest->coefficient > 0) ||
                     (choice.kind() == ExprKind::min && rest->coefficient < 0);
    auto alternatives = choice.operands();
    if (choice.kind() == ExprKind::where) alternatives = alternatives.subspan(1);
    Wide result = any ? -kWideInfinity : kWideInfinity;
    for (const Expr& alternative : alternatives) {
      Terms taken;
      for (const Term& part : terms_of(alternative)) taken.push_back(multiply_terms(*rest, part));
      const auto sum = combine(others, 1, sorted_terms(std::move(taken)), 1);
      const Wide bound = sum ? search(*sum, depth) : -kWideInfinity;
      result = any ? std::max(result, bound) : std::min(result, bound);
      if (any ? result >= goal_ : result <= -kWideInfinity) break;
    }
    return result;
  }

  // -c*v*rest >= -c*(extent - 1)*rest for an index v with a symbolic extent and rest >= 0; likewise
  // -c*n*floor_div(x, n)*rest >= -c*x*rest.
  Wide relax_product(const Terms& terms, size_t index, int depth) {
    const Term term = terms[index];
    Wide best = -kWideInfinity;
    for (const Factor& factor : factors_of(term.monomial)) {
      if (factor.power != 1) continue;
      if (is_choice(factor.atom) && is_entangled(terms, index)) {
        best = std::max(best, relax_choice(terms, index, factor.atom, depth));
      }
      if (term.coefficient > 0) continue;
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
    return interval_lower(terms);  // Intermediate numbers exceed 64 bits: no deeper answer.
  }
}

}  // namespace

int64_t lower_bound(const Terms& terms) {
  const Wide bound = searched_lower(terms, kWideInfinity);
  return interval_of(bound, kWideInfinity).lo;
}

int64_t upper_bound(const Terms& terms) {
  const auto negated = combine({}, 1, terms, -1);
  if (!negated) return Interval::kMax;
  const Wide bound = searched_lower(*negated, kWideInfinity);
  return interval_of(-kWideInfinity, -bound).hi;
}

bool proves_at_least(const Terms& terms, int64_t goal) {
  return searched_lower(terms, goal) >= goal;
}

}  // namespace litz
