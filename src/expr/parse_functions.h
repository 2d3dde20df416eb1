// The functions in expression text, under all names that writers use, and the promotion from int to
// real that they share with operators.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "expr/expr.h"

namespace litz {

struct TextFunction {
  std::string_view name;
  int least;  ///< Minimum number of arguments.
  int most;   ///< Maximum; -1: any number.
  Expr (*build)(std::span<const Expr> arguments);
};

/// The function of that name, or null.
const TextFunction* find_text_function(std::string_view name);

/// The value of a named constant: True, pi, oo, math.inf; nothing for other names.
std::optional<Expr> find_text_constant(std::string_view name);

/// Python's arithmetic: int with int stays int (except `/`), with real becomes real.
Expr text_sum(std::span<const Expr> terms);
Expr text_product(std::span<const Expr> factors);
Expr text_true_div(Expr a, Expr b);
Expr text_power(Expr a, Expr b);
Expr text_negation(Expr a);
/// eq, ne, lt or le after promotion.
Expr text_comparison(ExprKind kind, Expr a, Expr b);

}  // namespace litz
