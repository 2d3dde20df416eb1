// Gradients of distances, cross products and Fourier transforms.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

// Batches are made equal first.
void cdist(GradientCall& call) {
  const auto with_batch = [&](const Term& x) {
    Sizes sizes = call.result().sizes();
    sizes[sizes.size() - 2] = x.sizes()[x.rank() - 2];
    sizes.back() = x.sizes().back();
    return expand(x, sizes);
  };
  const Term a = with_batch(call["x1"]);
  const Term b = with_batch(call["x2"]);
  const auto slope = [&](const Term& grad, const Term& x, const Term& y, const Term& result) {
    return aten("_cdist_backward", {grad, x, y, call.pass("p"), result});
  };
  const auto turned = [](const Term& x) { return aten("clone", {transpose(x, -2, -1)}); };
  if (call.wants("x1")) call.give("x1", slope(call.grad(), a, b, call.result()));
  if (call.wants("x2")) call.give("x2", slope(turned(call.grad()), b, a, turned(call.result())));
}

void pdist(GradientCall& call) {
  call.give("self", call.backward("_pdist_backward", {{"pdist", call.result()}}));
}

// Slices along dim with a norm above the limit are scaled down to it.
void renorm(GradientCall& call) {
  const Term x = to(call["self"], compute_dtype(call.type("self").dtype));
  const Term grad = call.grad();
  const double p = call.real("p");
  const double limit = call.real("maxnorm");
  Dims others;
  for (int64_t d = 0; d < static_cast<int64_t>(x.rank()); ++d) {
    if (d != call.dim("dim", x.rank())) others.push_back(d);
  }
  const Term norm =
      aten("linalg_vector_norm", {x, Expr::real(p), list(others), Expr::boolean(true)});
  const Term inverse = 1 / (norm + 1e-7);
  const Term by_norm = -limit * square(inverse) * sum(grad * conj(x), others, true);
  Term norm_slope = where(norm == 0, 0, x / norm);
  if (p == 1) norm_slope = sgn(x);
  if (p != 1 && p != 2) norm_slope = sgn(x) * pow(abs(x) / norm, p - 1);
  const Term scaled = grad * inverse * limit + by_norm * norm_slope;
  call.give("self", where(norm > limit, scaled, grad));
}

void cross_along(GradientCall& call, const ir::Argument& dim) {
  const Term grad = call.grad();
  const auto cross = [&](const Term& a, const Term& b) {
    return aten("linalg_cross", {expand(a, grad.sizes()), expand(b, grad.sizes()), dim});
  };
  if (call.wants("self")) call.give("self", cross(conj(call["other"]), grad));
  if (call.wants("other")) call.give("other", cross(grad, conj(call["self"])));
}

void linalg_cross(GradientCall& call) { cross_along(call, call.pass("dim")); }

// Without a dimension, the first one of self with three elements.
void cross(GradientCall& call) {
  if (call.has("dim")) return cross_along(call, call.pass("dim"));
  const Sizes& sizes = call["self"].sizes();
  auto dim = -static_cast<int64_t>(sizes.size());
  for (const Expr size : sizes) {
    if (known_equal(size, Expr(3))) break;
    ++dim;
  }
  cross_along(call, dim);
}

// Column k is the k-th power, whose derivative is k times the column before.
void vander_of(GradientCall& call, bool is_increasing) {
  const int64_t last = -1;
  Term grad = call.grad();
  Term powers = call.result();
  if (!is_increasing) {
    grad = aten("flip", {grad, list({last})});
    powers = aten("flip", {powers, list({last})});
  }
  const Expr count = powers.sizes().back();
  if (known_equal(count, Expr(0)) || known_equal(count, Expr(1))) return zero_gradient(call);
  const Term exponents = range_like(grad, count - 1) + 1;
  const Term before = narrow(powers, last, 0, count - 1) * exponents;
  call.give("x", sum(narrow(grad, last, 1, count - 1) * conj(before), {last}));
}

void vander(GradientCall& call) { vander_of(call, call.flag("increasing")); }

void linalg_vander(GradientCall& call) { vander_of(call, true); }

// --- Fourier transforms: the adjoint is the transform in the other direction.

Term c2c(const GradientCall& call, const Term& x, bool forward) {
  return aten("_fft_c2c",
              {x, call.pass("dim"), call.pass("normalization"), Expr::boolean(forward)});
}

void fft_c2c(GradientCall& call) {
  call.give("self", c2c(call, call.grad(), !call.flag("forward")));
}

int64_t last_dim(const GradientCall& call, size_t rank) {
  const int64_t dim = call.integers("dim").back();
  return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
}

// The frequencies that were left out have no gradient.
void fft_r2c(GradientCall& call) {
  Term grad = call.grad();
  if (call.flag("onesided")) {
    const auto d = static_cast<size_t>(last_dim(call, grad.rank()));
    Sizes pad(2 * (grad.rank() - d), Expr(0));
    pad.back() = call["self"].sizes()[d] - grad.sizes()[d];
    grad = aten("constant_pad_nd", {grad, pad});
  }
  call.give("self", real(c2c(call, grad, false)));
}

// Frequencies that stand for two count twice.
void fft_c2r(GradientCall& call) {
  const Term grad = call.grad();
  const Term half =
      aten("_fft_r2c", {grad, call.pass("dim"), call.pass("normalization"), Expr::boolean(true)});
  const int64_t dim = last_dim(call, grad.rank());
  const auto d = static_cast<size_t>(dim);
  const Expr size = half.sizes()[d];
  Sizes sizes(half.rank(), Expr(1));
  sizes[d] = size;
  const Term k = range_like(half, size);
  const Term is_double = (k > 0) & (k <= Term(grad.sizes()[d] - size));
  call.give("self", half * (to(reshape(is_double, sizes), grad.dtype()) + 1));
}

constexpr std::array kGradients{
    Gradient{"aten._cdist_forward", cdist},
    Gradient{"aten._fft_c2c", fft_c2c},
    Gradient{"aten._fft_c2r", fft_c2r},
    Gradient{"aten._fft_r2c", fft_r2c},
    Gradient{"aten._pdist_forward", pdist},
    Gradient{"aten.cross", cross},
    Gradient{"aten.linalg_cross", linalg_cross},
    Gradient{"aten.linalg_vander", linalg_vander},
    Gradient{"aten.renorm", renorm},
    Gradient{"aten.vander", vander},
};

}  // namespace

std::span<const Gradient> distance_gradients() { return kGradients; }

}  // namespace litz::ops
