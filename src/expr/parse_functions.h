// The functions that expression text may call, under every name a writer gives them, and the
// promotion from int to real that the operators of the text share with them.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "expr/expr.h"

namespace litz {

struct TextFunction {
  std::string_view name;
  int least;  ///< Arguments.
  int most;   ///< -1: any number.
  Expr (*build)(std::span<const Expr> arguments);
};

/// The function of that name, or null.
const TextFunction* find_text_function(std::string_view name);

/// The value of a named constant: True, pi, oo, math.inf; nothing for other names.
std::optional<Expr> find_text_constant(std::string_view name);

/// Arithmetic as Python does it: int with int stays int (except `/`), with real becomes real.
Expr text_sum(std::span<const Expr> terms);
Expr text_product(std::span<const Expr> factors);
Expr text_true_div(Expr a, Expr b);
Expr text_power(Expr a, Expr b);
Expr text_negation(Expr a);
/// eq, ne, lt or le after promotion.
Expr text_comparison(ExprKind kind, Expr a, Expr b);

}  // namespace litz
