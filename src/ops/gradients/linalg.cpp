// Gradients of linear algebra: inverses, solutions, determinants, triangular factors.
//
// X' is the adjoint of X, its conjugate transpose; g is the gradient of a result.

#include <array>

#include "ops/gradients/families.h"
#include "ops/gradients/matrices.h"
#include "support/check.h"

namespace litz::ops {
namespace {

// A' \ b, or b / A'.
Term solve(const Term& a, const Term& b, bool left) {
  return aten("linalg_solve", {a, b, Expr::boolean(left)});
}

void inverse_of(GradientCall& call, std::string_view name) {
  const Term adjoint_inverse = adjoint(call.result());
  call.give(name, -matmul(adjoint_inverse, matmul(call.grad(), adjoint_inverse)));
}

void inverse_of_self(GradientCall& call) { inverse_of(call, "self"); }

void inverse_of_a(GradientCall& call) { inverse_of(call, "A"); }

// L^-T * sym(phi(L' g)) * L^-1, where phi takes the lower triangle and halves its diagonal.
void cholesky(GradientCall& call) {
  const bool upper = call.flag("upper");
  const Term factor = upper ? adjoint(call.result()) : call.result();
  const Term grad = upper ? adjoint(call.grad()) : call.grad();
  const Term lower = lower_half(matmul(adjoint(factor), lower_triangle(grad)));
  const Term symmetric = (lower + adjoint(lower)) / 2;
  const Term right = solve_triangular(factor, symmetric, Triangle::lower, Side::right);
  call.give("self", solve_triangular(adjoint(factor), right, Triangle::upper, Side::left));
}

void cholesky_inverse(GradientCall& call) {
  const Term factor = call["self"];
  const Term inverse = call.result();
  const Term both = call.grad() + adjoint(call.grad());
  const Term inner = matmul(inverse, matmul(both, inverse));
  call.give("self", call.flag("upper") ? -matmul(factor, inner) : -matmul(inner, factor));
}

void cholesky_solve(GradientCall& call) {
  const Term factor = call["input2"];
  const Term by_self = aten("cholesky_solve", {call.grad(), factor, call.pass("upper")});
  if (call.wants("self")) call.give("self", by_self);
  if (!call.wants("input2")) return;
  const Term outer = matmul(by_self, adjoint(call.result()));
  const Term both = outer + adjoint(outer);
  call.give("input2", call.flag("upper") ? -matmul(factor, both) : -matmul(both, factor));
}

// b = A' \ g, and -b X'. Vectors are matrices of one column.
void solve(GradientCall& call) {
  const Term a = call["A"];
  const Term x = call.result();
  const bool left = call.flag("left");
  const Term by_b = solve(adjoint(a), call.grad(), left);
  if (call.wants("B")) call.give("B", by_b);
  if (!call.wants("A")) return;
  const Sizes& sizes = a.sizes();
  const bool is_vector = call["B"].rank() == 1 ||
                         (call["B"].rank() + 1 == a.rank() &&
                          same_sizes(call["B"].sizes(), Sizes(sizes.begin(), sizes.end() - 1)));
  const auto matrix = [&](const Term& y) { return is_vector ? unsqueeze(y, -1) : y; };
  call.give("A", left ? -matmul(matrix(by_b), adjoint(matrix(x)))
                      : -matmul(adjoint(matrix(x)), matrix(by_b)));
}

void solve_triangular_of(GradientCall& call) {
  const Term a = call["self"];
  const Term x = call.result();
  const bool upper = call.flag("upper");
  const bool left = call.flag("left");
  const bool is_unit = call.flag("unitriangular");
  const Term by_b = aten("linalg_solve_triangular", {adjoint(a), call.grad(), Expr::boolean(!upper),
                                                     Expr::boolean(left), Expr::boolean(is_unit)});
  if (call.wants("B")) call.give("B", by_b);
  if (!call.wants("self")) return;
  const Term whole = left ? -matmul(by_b, adjoint(x)) : -matmul(adjoint(x), by_b);
  const int64_t diagonal = is_unit ? (upper ? 1 : -1) : 0;
  call.give("self", upper ? upper_triangle(whole, diagonal) : lower_triangle(whole, diagonal));
}

// --- LU. A = P L U.

struct LuParts {
  Term permutation, lower, upper;
};

LuParts unpacked(const Term& lu, const Term& pivots) {
  const std::vector<Term> parts = aten_all("lu_unpack", {lu, pivots});
  return {parts[0], parts[1], parts[2]};
}

// The gradient of A from those of its factors, whose excluded triangles are ignored.
Term by_factors(const LuParts& of, const Term& by_lower, const Term& by_upper) {
  const Expr m = of.lower.sizes()[of.lower.rank() - 2];
  const Expr n = of.upper.sizes().back();
  const Expr k = of.lower.sizes().back();
  const bool is_tall = !known_equal(m, k);
  const bool is_wide = !known_equal(n, k);
  const auto rows = [&](const Term& x, Expr from, Expr count) {
    return narrow(x, -2, from, count);
  };
  const auto columns = [&](const Term& x, Expr from, Expr count) {
    return narrow(x, -1, from, count);
  };
  const Term lower = is_tall ? rows(of.lower, 0, k) : of.lower;
  const Term upper = is_wide ? columns(of.upper, 0, k) : of.upper;
  Term below = matmul(adjoint(lower), is_tall ? rows(by_lower, 0, k) : by_lower);
  Term above = matmul(is_wide ? columns(by_upper, 0, k) : by_upper, adjoint(upper));
  if (is_wide) {
    below = below - matmul(columns(by_upper, k, n - k), adjoint(columns(of.upper, k, n - k)));
  }
  if (is_tall) {
    above = above - matmul(adjoint(rows(of.lower, k, m - k)), rows(by_lower, k, m - k));
  }
  const Term inner = lower_triangle(below, -1) + upper_triangle(above);
  const Term half = solve_triangular(adjoint(upper), inner, Triangle::lower, Side::right);
  Term whole = solve_triangular(adjoint(lower), half, Triangle::upper, Side::left);
  if (is_wide) {
    const Term rest =
        solve_triangular(adjoint(lower), columns(by_upper, k, n - k), Triangle::upper, Side::left);
    whole = cat({whole, rest}, static_cast<int64_t>(whole.rank()) - 1);
  }
  if (is_tall) {
    const Term rest =
        solve_triangular(adjoint(upper), rows(by_lower, k, m - k), Triangle::lower, Side::right);
    whole = cat({whole, rest}, static_cast<int64_t>(whole.rank()) - 2);
  }
  return matmul(of.permutation, whole);
}

Term by_lu(const Term& lu, const Term& pivots, const Term& grad) {
  const LuParts of = unpacked(lu, pivots);
  const Expr k = of.lower.sizes().back();
  const Term by_lower = lower_triangle(narrow(grad, -1, 0, k), -1);
  const Term by_upper = upper_triangle(narrow(grad, -2, 0, k));
  return by_factors(of, by_lower, by_upper);
}

void lu_factor(GradientCall& call, std::string_view name) {
  require(call.flag("pivot"), ErrorCode::unsupported, "the gradient of LU without pivots");
  call.give(name, by_lu(call.result(0), call.result(1), call.grad()));
}

void lu_factor_of_a(GradientCall& call) { lu_factor(call, "A"); }

// The triangles of LU_data; a larger side has more rows or columns.
void lu_unpack(GradientCall& call) {
  const Term lu = call["LU_data"];
  const Expr m = lu.sizes()[lu.rank() - 2];
  const Expr n = lu.sizes().back();
  const Term by_lower = lower_triangle(call.grad(1), -1);
  const Term by_upper = upper_triangle(call.grad(2));
  const Expr k = by_lower.sizes().back();
  const auto padded = [](const Term& x, Expr columns, Expr rows) {
    return aten("constant_pad_nd", {x, Sizes{0, columns, 0, rows}});
  };
  call.give("LU_data", padded(by_lower, n - k, 0) + padded(by_upper, 0, m - k));
}

// By the gradient of the matrix, as for solve.
void lu_solve(GradientCall& call) {
  const Term lu = call["LU"];
  const Term pivots = call["pivots"];
  const Term x = call.result();
  const bool left = call.flag("left");
  const bool is_adjoint = call.flag("adjoint");
  const Term by_b = aten("linalg_lu_solve", {lu, pivots, call.grad(), Expr::boolean(left),
                                             Expr::boolean(!is_adjoint)});
  if (call.wants("B")) call.give("B", by_b);
  if (!call.wants("LU")) return;
  const Term first = is_adjoint ? x : by_b;
  const Term second = is_adjoint ? by_b : x;
  const Term by_a = left ? -matmul(first, adjoint(second)) : -matmul(adjoint(second), first);
  const LuParts of = unpacked(lu, pivots);
  const Term turned = matmul(adjoint(of.permutation), by_a);
  call.give("LU", lower_triangle(matmul(turned, adjoint(of.upper)), -1) +
                      upper_triangle(matmul(adjoint(of.lower), turned)));
}

// --- Determinants.

Term diagonal_matrix(const Term& value, const Term& like) {
  const Sizes& sizes = like.sizes();
  const Term wide = expand(unsqueeze(value, -1), Sizes(sizes.begin(), sizes.end() - 1));
  return aten("diag_embed", {wide});
}

Term solve_adjoint(const Term& lu, const Term& pivots, const Term& b) {
  return aten("linalg_lu_solve", {lu, pivots, b, Expr::boolean(true), Expr::boolean(true)});
}

// det(A)* g A^-T. A singular matrix gets a pivot near 0, since the product is finite. Gradients of the
// factors come from derivatives of this formula.
void determinant(GradientCall& call) {
  const Term lu = call.result(1);
  if (call.has_grad(1)) call.give("A", by_lu(lu, call.result(2), call.grad(1)));
  if (!call.has_grad(0)) return;
  const double epsilon = lu.dtype() == DType::f64 || lu.dtype() == DType::c128 ? 0x1p-52 : 0x1p-23;
  const Term pivot = aten("diagonal", {lu, 0, -2, -1});
  const Term small = to(pivot == 0, lu.dtype()) * epsilon;
  const Term regular = lu + aten("diag_embed", {small});
  const Term scale = call.grad() * conj(call.result(0));
  call.give("A", solve_adjoint(regular, call.result(2), diagonal_matrix(scale, call["A"])));
}

void log_determinant(GradientCall& call) {
  require(!call["A"].is_complex() || !call.has_grad(0), ErrorCode::unsupported,
          "the gradient of the sign of a complex determinant");
  if (call.has_grad(2)) call.give("A", by_lu(call.result(2), call.result(3), call.grad(2)));
  if (call.has_grad(0)) call.give("A", zeros_like(call["A"]));
  if (!call.has_grad(1)) return;
  const Term scale = to(call.grad(1), call["A"].dtype());
  call.give("A", solve_adjoint(call.result(2), call.result(3), diagonal_matrix(scale, call["A"])));
}

// The exponential of [[A', g], [0, A']] has the gradient in its corner.
void matrix_exp(GradientCall& call) {
  const Term a = adjoint(call["self"]);
  const int64_t row = static_cast<int64_t>(a.rank()) - 2;
  const Expr n = a.sizes().back();
  const Term above = cat({a, call.grad()}, row + 1);
  const Term below = cat({zeros_like(a), a}, row + 1);
  const Term whole = aten("linalg_matrix_exp", {cat({above, below}, row)});
  call.give("self", narrow(narrow(whole, -2, 0, n), -1, n, n));
}

// In both cases the products with the smaller side are made first.
void pinv(GradientCall& call) {
  const Term a = call["self"];
  const Term p = call.result();
  const Term ph = adjoint(p);
  const Term gh = adjoint(call.grad());
  const Expr m = a.sizes()[a.rank() - 2];
  if (known(le(m, a.sizes().back())) == true) {
    const Term k = matmul(gh, p);
    const Term kph = matmul(k, ph);
    call.give("self", -adjoint(matmul(p, k)) + kph - matmul(matmul(a, p), kph) +
                          matmul(matmul(ph, p), gh - matmul(k, a)));
    return;
  }
  const Term k = matmul(p, gh);
  const Term phk = matmul(ph, k);
  call.give("self", -adjoint(matmul(k, p)) + matmul(matmul(gh - matmul(a, k), p), ph) + phk -
                        matmul(matmul(phk, p), a));
}

constexpr std::array kGradients{
    Gradient{"aten._linalg_solve_ex aten.linalg_solve aten.linalg_solve_ex", solve},
    Gradient{"aten.cholesky aten.linalg_cholesky aten.linalg_cholesky_ex", cholesky},
    Gradient{"aten.cholesky_inverse", cholesky_inverse},
    Gradient{"aten.cholesky_solve", cholesky_solve},
    Gradient{"aten.inverse", inverse_of_self},
    Gradient{"aten.linalg_inv aten.linalg_inv_ex", inverse_of_a},
    Gradient{"aten.linalg_lu_factor aten.linalg_lu_factor_ex", lu_factor_of_a},
    Gradient{"aten.linalg_lu_solve", lu_solve},
    Gradient{"aten.linalg_matrix_exp", matrix_exp},
    Gradient{"aten.linalg_pinv.atol_rtol_float aten.linalg_pinv.atol_rtol_tensor", pinv},
    Gradient{"aten.linalg_solve_triangular", solve_triangular_of},
    Gradient{"aten.lu_unpack", lu_unpack},
    Gradient{"litz.linalg_det", determinant},
    Gradient{"litz.linalg_slogdet", log_determinant},
    undefined("aten.geqrf", "PyTorch defines none"),
};

}  // namespace

std::span<const Gradient> linalg_gradients() { return kGradients; }

}  // namespace litz::ops
