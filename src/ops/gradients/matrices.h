// Triangles of matrices in formulas.

#pragma once

#include "ops/gradients/term.h"

namespace litz::ops {

inline Term lower_triangle(const Term& x, int64_t diagonal = 0) {
  return aten("tril", {x, diagonal});
}

inline Term upper_triangle(const Term& x, int64_t diagonal = 0) {
  return aten("triu", {x, diagonal});
}

/// The lower triangle with half of the diagonal.
inline Term lower_half(const Term& x) { return (lower_triangle(x) + lower_triangle(x, -1)) / 2; }

enum class Triangle : uint8_t { lower, upper };
enum class Side : uint8_t { left, right };

/// X with a X = b, or X a = b for the right side.
inline Term solve_triangular(const Term& a, const Term& b, Triangle triangle, Side side) {
  return aten("linalg_solve_triangular", {a, b, Expr::boolean(triangle == Triangle::upper),
                                          Expr::boolean(side == Side::left)});
}

}  // namespace litz::ops
