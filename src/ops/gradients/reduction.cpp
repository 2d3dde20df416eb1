// Gradients of reductions and of choices along dimensions.

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/gradients/families.h"
#include "ops/reduced_dims.h"

namespace litz::ops {
namespace {

// The dimensions of a reduction: all if the operator takes none.
Dims dims_of(const GradientCall& call, const Term& x) {
  if (call.op().schema.find("dim") >= 0) return reduced_dims(call, x.rank());
  Dims dims(x.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

// A reduction under differentiation: its operand, and its results with the reduced dimensions.
struct Reduced {
  Term x;
  Dims dims;
  Sizes kept;  // The operand's sizes, with 1 in place of reduced ones.

  explicit Reduced(const GradientCall& call)
      : x(call["self"]), dims(dims_of(call, x)), kept(x.sizes()) {
    for (const int64_t d : dims) {
      if (!kept.empty()) kept[static_cast<size_t>(d)] = 1;
    }
  }

  Term restored(const Term& result) const { return reshape(result, kept); }

  Expr count() const {
    Expr count = 1;
    for (const int64_t d : dims) {
      if (x.rank() > 0) count = count * x.sizes()[static_cast<size_t>(d)];
    }
    return count;
  }

  Term sum(const Term& value) const { return x.rank() == 0 ? value : ops::sum(value, dims, true); }

  Term mean(const Term& value) const {
    return x.rank() == 0 ? value : aten("mean.dim", {value, list(dims), Expr::boolean(true)});
  }
};

Term number_of(const Term& mask) { return to(mask, DType::i64); }

void sum_of(GradientCall& call) {
  const Reduced of(call);
  call.give("self", expand(of.restored(call.grad()), of.x.sizes()));
}

void mean(GradientCall& call) {
  const Reduced of(call);
  call.give("self", expand(of.restored(call.grad()), of.x.sizes()) / of.count());
}

void nansum(GradientCall& call) {
  const Reduced of(call);
  const Term grad = to(of.restored(call.grad()), of.x.dtype());
  call.give("self", grad * ~aten("isnan", {of.x}));
}

void nanmean(GradientCall& call) {
  const Reduced of(call);
  const Term is_number = ~aten("isnan", {of.x});
  call.give("self", of.restored(call.grad()) / of.sum(number_of(is_number)) * is_number);
}

// The number of elements less the correction.
Term divisor(const GradientCall& call, const Reduced& of) {
  double correction = 1;
  if (call.has("correction")) correction = call.real("correction");
  if (call.op().schema.find("unbiased") >= 0) correction = call.flag("unbiased") ? 1 : 0;
  return to_real(of.count()) - Expr::real(correction);
}

Term var_slope(GradientCall& call, const Reduced& of, const Term& grad) {
  return grad * (of.x - of.mean(of.x)) * 2 / divisor(call, of);
}

void var(GradientCall& call) {
  const Reduced of(call);
  call.give("self", var_slope(call, of, of.restored(call.grad())));
}

void std_of(GradientCall& call) {
  const Reduced of(call);
  const Term result = of.restored(call.result());
  const Term grad = of.restored(call.grad()) / (result * 2);
  call.give("self", var_slope(call, of, where(result == 0, 0, grad)));
}

// Equal extremes share the gradient.
void extreme_along(GradientCall& call) {
  const Reduced of(call);
  const Term is_chosen = of.restored(call.result()) == of.x;
  call.give("self", of.restored(call.grad()) * is_chosen / of.sum(number_of(is_chosen)));
}

void extreme(GradientCall& call) {
  const Term x = call["self"];
  const Term result = call.result();
  const Term is_chosen = (x == result) | (aten("isnan", {x}) & aten("isnan", {result}));
  const Term share = call.grad() / sum(number_of(is_chosen));
  call.give("self", masked(share, is_chosen));
}

void logsumexp(GradientCall& call) {
  const Reduced of(call);
  const Term share = exp(of.x - of.restored(call.result()));
  call.give("self", of.restored(call.grad()) * conj(share));
}

// Products of all other elements, so that zeros need no case of their own.
Term product_of_others(const Term& x, int64_t dim) {
  const Expr size = x.sizes()[static_cast<size_t>(dim)];
  const ir::Argument dims = list({dim});
  const auto before = [&](const Term& y) {
    const Term one = ones_like(narrow(y, dim, 0, 1));
    return aten("cumprod", {cat({one, narrow(y, dim, 0, size - 1)}, dim), dim});
  };
  const Term after = aten("flip", {before(aten("flip", {x, dims})), dims});
  return before(x) * after;
}

void prod(GradientCall& call) {
  const Term x = to(call["self"], call.result().dtype());
  if (call.has("dim") && x.rank() > 0) {
    const Reduced of(call);
    const Term others = product_of_others(x, of.dims[0]);
    return call.give("self", of.restored(call.grad()) * conj(others));
  }
  if (x.rank() == 0) return call.give("self", call.grad());
  const Term others = product_of_others(aten("reshape", {x, Sizes{-1}}), 0);
  call.give("self", call.grad() * conj(reshape(others, x.sizes())));
}

// The gradient of a p-norm, 0 where the norm is.
Term norm_slope(const Reduced& of, const Term& x, const Term& norm, const Term& grad, double p) {
  if (p == 0) return zeros_like(x);
  if (p == 1) return sgn(x) * grad;
  if (p == 2) return grad * where(norm == 0, 0, x / norm);
  const Term size = abs(x);
  if (std::isinf(p)) {
    const Term is_chosen = (size == norm) | aten("isnan", {size});
    return sgn(x) * (grad / of.sum(number_of(is_chosen)) * is_chosen);
  }
  if (p < 1) return sgn(x) * where(x == 0, 0, pow(size, p - 1)) * grad * pow(norm, 1 - p);
  const Term scaled = where(norm == 0, 0, grad / pow(norm, p - 1));
  return (p < 2 ? sgn(x) * pow(size, p - 1) : x * pow(size, p - 2)) * scaled;
}

void norm(GradientCall& call) {
  const Reduced of(call);
  const std::string_view name = call.op().schema.find("ord") >= 0 ? "ord" : "p";
  const double p = call.has(name) ? call.real(name) : 2;
  Term x = of.x;
  const DType real = call.result().dtype();
  x = to(x, x.is_complex() ? complex_dtype(real) : real);
  const Term slope = norm_slope(of, x, of.restored(call.result()), of.restored(call.grad()), p);
  call.give("self", slope);
}

void chosen_along(GradientCall& call) {
  const bool keepdim = call.op().schema.find("keepdim") < 0 || call.flag("keepdim");
  call.give("self", aten("value_selecting_reduction_backward",
                         {call.grad(), call.dim("dim", call.type("self").rank()), call.result(1),
                          call["self"].sizes(), Expr::boolean(keepdim)}));
}

Term flip(const Term& x, int64_t dim) { return x.rank() == 0 ? x : aten("flip", {x, list({dim})}); }

// The sum of an element and all later ones.
Term sum_from(const Term& x, int64_t dim) { return flip(aten("cumsum", {flip(x, dim), dim}), dim); }

void cumsum(GradientCall& call) {
  const Term grad = to(call.grad(), call.type("self").dtype);
  call.give("self", sum_from(grad, call.dim("dim", grad.rank())));
}

// Up to the first zero, elements divide out of the products. The first zero leaves the products of
// the others. Later elements are in products that are zero.
void cumprod(GradientCall& call) {
  const Term x = call["self"];
  const int64_t dim = call.dim("dim", x.rank());
  const Term grad = to(call.grad(), x.dtype());
  const Term zeros = aten("cumsum", {number_of(x == 0), dim});
  const Term is_first = (x == 0) & (zeros == 1);
  const Term others = aten("cumprod", {where(is_first, 1, x), dim});
  const Term result = to(call.result(), x.dtype());
  const Term before = sum_from(grad * conj(result), dim) / conj(x);
  const Term at_first = sum_from(grad * conj(others), dim);
  call.give("self", where(zeros == 0, before, masked(at_first, is_first)));
}

void chosen_so_far(GradientCall& call) {
  const Term x = call["self"];
  const int64_t dim = call.dim("dim", x.rank());
  if (x.rank() == 0) return call.give("self", call.grad());
  call.give("self", aten("scatter_add", {zeros_like(x), dim, call.result(1), call.grad()}));
}

double lowest(DType dtype) {
  if (dtype == DType::f64) return std::numeric_limits<double>::lowest();
  if (dtype == DType::f16) return -65504;
  // The largest bf16 is below the largest f32.
  return dtype == DType::bf16 ? -0x1.FEp127 : std::numeric_limits<float>::lowest();
}

// In logarithms, separately for positive and negative gradients.
void logcumsumexp(GradientCall& call) {
  const Term x = call["self"];
  const Term grad = call.grad();
  const Term result = call.result();
  const int64_t dim = call.dim("dim", x.rank());
  const auto part = [&](const Term& positive) {
    // The lowest number stands for the logarithm of 0: differences of infinities would be NaN.
    const Term logs = where(positive > 0, log(positive), lowest(positive.dtype()));
    const Term sums = aten("logcumsumexp", {flip(logs - result, dim), dim});
    return exp(flip(sums, dim) + x);
  };
  require(!x.is_complex(), ErrorCode::unsupported, "logcumsumexp of complex numbers");
  call.give("self", part(grad) - part(-grad));
}

constexpr std::array kGradients{
    Gradient{"aten.amax aten.amin", extreme_along},
    Gradient{"aten.cummax aten.cummin", chosen_so_far},
    Gradient{"aten.cumprod", cumprod},
    Gradient{"aten.cumsum", cumsum},
    Gradient{"aten.linalg_vector_norm aten.norm.Scalar aten.norm.ScalarOpt_dim "
             "aten.norm.ScalarOpt_dim_dtype aten.norm.ScalarOpt_dtype",
             norm},
    Gradient{"aten.logcumsumexp", logcumsumexp},
    Gradient{"aten.logsumexp", logsumexp},
    Gradient{"aten.max aten.min aten.median aten.nanmedian", extreme},
    Gradient{"aten.max.dim aten.min.dim aten.median.dim aten.nanmedian.dim aten.mode "
             "aten.kthvalue aten.topk litz.stable_sort litz.unstable_sort",
             chosen_along},
    Gradient{"aten.mean aten.mean.dim", mean},
    Gradient{"aten.nanmean", nanmean},
    Gradient{"aten.nansum", nansum},
    Gradient{"aten.prod aten.prod.dim_int", prod},
    Gradient{"aten.std aten.std.correction aten.std.dim", std_of},
    Gradient{"aten.sum aten.sum.dim_IntList", sum_of},
    Gradient{"aten.var aten.var.correction aten.var.dim", var},
};

}  // namespace

std::span<const Gradient> reduction_gradients() { return kGradients; }

}  // namespace litz::ops
