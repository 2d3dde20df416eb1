// Gradients of orthogonal and spectral factors: eigenvalues, singular values, QR, reflectors.

#include <array>

#include "ops/gradients/families.h"
#include "ops/gradients/matrices.h"
#include "support/check.h"

namespace litz::ops {
namespace {

// Differences of the entries of a vector, by row and column; 1 on the diagonal.
Term differences(const Term& values) {
  const Term apart = unsqueeze(values, -2) - unsqueeze(values, -1);
  return apart + aten("diag_embed", {ones_like(values)});
}

Term skew(const Term& x) { return x - adjoint(x); }

// V (diag(gL) + skew(V' gV) / 2 / E) V'.
void eigh(GradientCall& call) {
  Term values = call.result(0);
  Term vectors = call.result(1);
  if (call.op().schema.find("compute_v") >= 0 && !call.flag("compute_v")) {
    const std::vector<Term> whole = aten_all("linalg_eigh", {call["A"], call.pass("UPLO")});
    values = whole[0];
    vectors = whole[1];
  }
  const std::string_view name = call.op().schema.find("A") >= 0 ? "A" : "self";
  if (!call.has_grad(1)) {
    return call.give(name, matmul(vectors * unsqueeze(call.grad(0), -2), adjoint(vectors)));
  }
  Term inner = skew(matmul(adjoint(vectors), call.grad(1))) / 2 / differences(values);
  if (call.has_grad(0)) inner = inner + aten("diag_embed", {call.grad(0)});
  call.give(name, matmul(vectors, matmul(inner, adjoint(vectors))));
}

struct Singular {
  Term u, s, vh;
  Term by_u, by_s, by_vh;  // Absent without a gradient.
};

// The parts of U and V outside of the other one's range.
Term outside_left(const Singular& of) {
  const Term scaled = of.by_u / unsqueeze(of.s, -2);
  return scaled - matmul(of.u, matmul(adjoint(of.u), scaled));
}

Term outside_right(const Singular& of) {
  const Term scaled = of.by_vh / unsqueeze(of.s, -1);
  return scaled - matmul(matmul(scaled, adjoint(of.vh)), of.vh);
}

Term svd_slope(const Singular& of, bool is_tall, bool is_wide) {
  if (!of.by_u && !of.by_vh) return matmul(of.u * unsqueeze(of.by_s, -2), of.vh);
  require(!of.u.is_complex(), ErrorCode::unsupported,
          "the gradient of singular vectors of complex matrices");
  const Term gaps = differences(square(of.s));
  Term inner;
  const auto add = [&](const Term& part) { inner = inner ? inner + part : part; };
  if (of.by_u) {
    add(skew(matmul(adjoint(of.u), of.by_u)) / gaps * unsqueeze(of.s, -2));
  }
  if (of.by_vh) {
    add(unsqueeze(of.s, -1) * (skew(matmul(of.vh, adjoint(of.by_vh))) / gaps));
  }
  if (of.by_s) add(aten("diag_embed", {of.by_s}));
  if (is_tall && of.by_u) return matmul(matmul(of.u, inner) + outside_left(of), of.vh);
  if (is_wide && of.by_vh) return matmul(of.u, matmul(inner, of.vh) + outside_right(of));
  return matmul(matmul(of.u, inner), of.vh);
}

// Only the first columns of full matrices are determined, and differentiated.
void svd(GradientCall& call) {
  const Term a = call["A"];
  const Expr m = a.sizes()[a.rank() - 2];
  const Expr n = a.sizes().back();
  const Expr k = min(m, n);
  std::vector<Term> parts = {call.result(0), call.result(1), call.result(2)};
  const bool has_vectors = call.op().schema.find("compute_uv") < 0 || call.flag("compute_uv");
  if (!has_vectors) parts = aten_all("linalg_svd", {a, Expr::boolean(false)});
  const auto columns = [&](const Term& x) {
    return known_equal(x.sizes().back(), k) ? x : narrow(x, -1, 0, k);
  };
  const auto rows = [&](const Term& x) {
    return known_equal(x.sizes()[x.rank() - 2], k) ? x : narrow(x, -2, 0, k);
  };
  Singular of{.u = columns(parts[0]), .s = parts[1], .vh = rows(parts[2])};
  if (has_vectors && call.has_grad(0)) of.by_u = columns(call.grad(0));
  if (call.has_grad(1)) of.by_s = call.grad(1);
  if (has_vectors && call.has_grad(2)) of.by_vh = rows(call.grad(2));
  if (!of.by_u && !of.by_s && !of.by_vh) return zero_gradient(call);
  call.give("A", svd_slope(of, !known_equal(m, k), !known_equal(n, k)));
}

Term with_half_diagonal(const Term& x) {
  return x - aten("diag_embed", {aten("diagonal", {x, 0, -2, -1})}) / 2;
}

// With M = gR R' - Q' gQ: (Q sym(triu(M)) + gQ) R^-T for tall matrices.
void qr(GradientCall& call) {
  const std::string_view mode = call.str("mode");
  require(mode != "r", ErrorCode::unsupported, "the gradient of QR needs Q: mode 'r' lacks it");
  const Term a = call["A"];
  const Expr m = a.sizes()[a.rank() - 2];
  const Expr n = a.sizes().back();
  const bool is_wide = known(lt(m, n)) == true;
  require(mode == "reduced" || is_wide || known_equal(m, n), ErrorCode::unsupported,
          "the gradient of a complete QR of a tall matrix");
  const Term q = call.result(0);
  const Term r = call.result(1);
  Term inner;
  if (call.has_grad(1)) inner = matmul(call.grad(1), adjoint(r));
  if (call.has_grad(0)) {
    const Term by_q = matmul(adjoint(q), call.grad(0));
    inner = inner ? inner - by_q : -by_q;
  }
  if (!is_wide) {
    const Term upper = upper_triangle(inner);
    const Term symmetric = with_half_diagonal(upper + adjoint(upper));
    Term whole = matmul(q, symmetric);
    if (call.has_grad(0)) whole = whole + call.grad(0);
    return call.give("A", solve_triangular(adjoint(r), whole, Triangle::lower, Side::right));
  }
  const Term skewed = with_half_diagonal(lower_triangle(skew(-inner)));
  const Term square_r = narrow(r, -1, 0, m);
  const Term part =
      solve_triangular(adjoint(square_r), matmul(q, skewed), Triangle::lower, Side::right);
  Term whole = aten("constant_pad_nd", {part, Sizes{0, n - m}});
  if (call.has_grad(1)) whole = whole + matmul(q, call.grad(1));
  call.give("A", whole);
}

// --- Products of reflectors H_i = I - tau_i v_i v_i', applied one by one. v_i has zeros, then a 1,
// then the entries below the diagonal of column i.

struct Reflectors {
  Term columns, tau;
  Expr rows;
  int64_t count;

  Term vector(int64_t i) const {
    const Term below = narrow(narrow(columns, -1, i, 1), -2, i + 1, rows - (i + 1));
    const Term one = ones_like(narrow(narrow(columns, -1, i, 1), -2, i, 1));
    const Term entries = cat({one, below}, static_cast<int64_t>(columns.rank()) - 2);
    return aten("constant_pad_nd", {entries, Sizes{0, 0, i, 0}});
  }

  Term scale(int64_t i) const { return unsqueeze(narrow(tau, -1, i, 1), -1); }
};

struct ReflectorSlopes {
  Term by_columns, by_tau;
};

// From the gradient of the product's columns.
ReflectorSlopes slopes(const Reflectors& of, const Term& grad) {
  require(!of.columns.is_complex(), ErrorCode::unsupported,
          "the gradient of products of complex reflectors");
  std::vector<Term> after(static_cast<size_t>(of.count) + 1);
  Sizes flat(grad.rank(), Expr(1));
  flat[grad.rank() - 2] = of.rows;
  Sizes wide(grad.rank(), Expr(1));
  wide.back() = grad.sizes().back();
  const Term identity =
      to(reshape(range_like(grad, of.rows), flat) == reshape(range_like(grad, wide.back()), wide),
         grad.dtype());
  after.back() = expand(identity, grad.sizes());
  for (int64_t i = of.count; i-- > 0;) {
    const auto k = static_cast<size_t>(i);
    const Term v = of.vector(i);
    after[k] = after[k + 1] - of.scale(i) * matmul(v, matmul(adjoint(v), after[k + 1]));
  }
  std::vector<Term> columns;
  std::vector<Term> scales;
  Term rest = grad;
  for (int64_t i = 0; i < of.count; ++i) {
    const Term v = of.vector(i);
    const Term& inner = after[static_cast<size_t>(i) + 1];
    const Term by_row = matmul(adjoint(v), rest);
    const Term row = matmul(adjoint(v), inner);
    scales.push_back(squeeze(-sum(by_row * row, {-1}, true), -1));
    const Term by_v = -of.scale(i) * (matmul(rest, adjoint(row)) + matmul(inner, adjoint(by_row)));
    const Term below = narrow(by_v, -2, i + 1, of.rows - (i + 1));
    columns.push_back(aten("constant_pad_nd", {below, Sizes{0, 0, i + 1, 0}}));
    rest = rest - of.scale(i) * matmul(v, by_row);
  }
  const Expr unused = of.columns.sizes().back() - of.count;
  Term by_columns = cat(columns, static_cast<int64_t>(of.columns.rank()) - 1);
  by_columns = aten("constant_pad_nd", {by_columns, Sizes{0, unused}});
  return {by_columns, cat(scales, static_cast<int64_t>(of.tau.rank()) - 1)};
}

bool is_empty(const Term& x) { return known_equal(x.type().numel(), Expr(0)); }

Reflectors reflectors(const Term& columns, const Term& tau) {
  const std::optional<int64_t> count = tau.sizes().back().maybe_constant();
  require(count.has_value(), ErrorCode::unsupported,
          "the gradient of a symbolic number of reflectors");
  return {columns, tau, columns.sizes()[columns.rank() - 2], *count};
}

// Without reflectors there is nothing to differentiate.
void householder_product(GradientCall& call) {
  const Reflectors of = reflectors(call["input"], call["tau"]);
  if (of.count == 0 || is_empty(of.columns)) {
    call.give_nothing("input");
    return call.give_nothing("tau");
  }
  const ReflectorSlopes given = slopes(of, call.grad());
  call.give("input", given.by_columns);
  call.give("tau", given.by_tau);
}

void ormqr(GradientCall& call) {
  const bool left = call.flag("left");
  const bool is_transposed = call.flag("transpose");
  const Term other = call["input3"];
  const Term grad = call.grad();
  if (call.wants("input3")) {
    call.give("input3", aten("ormqr", {call["self"], call["input2"], grad, Expr::boolean(left),
                                       Expr::boolean(!is_transposed)}));
  }
  if (!call.wants("self") && !call.wants("input2")) return;
  const Term direct = left ? matmul(grad, adjoint(other)) : matmul(adjoint(other), grad);
  const Term by_q = is_transposed ? adjoint(direct) : direct;
  const Reflectors of = reflectors(call["self"], call["input2"]);
  if (of.count == 0 || is_empty(of.columns)) {
    call.give_nothing("self");
    return call.give_nothing("input2");
  }
  const ReflectorSlopes given = slopes(of, by_q);
  call.give("self", given.by_columns);
  call.give("input2", given.by_tau);
}

constexpr std::array kGradients{
    Gradient{"aten._linalg_eigh aten.linalg_eigh", eigh},
    Gradient{"aten._linalg_svd aten.linalg_svd", svd},
    Gradient{"aten.linalg_householder_product", householder_product},
    Gradient{"aten.linalg_qr", qr},
    Gradient{"aten.ormqr", ormqr},
};

}  // namespace

std::span<const Gradient> spectral_gradients() { return kGradients; }

}  // namespace litz::ops
