// Gradients of special functions.

#include <array>
#include <limits>
#include <numbers>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;
constexpr double kRoot2 = std::numbers::sqrt2;

void entr(GradientCall& call) { call.give("self", call.grad() * -(1 + log(call["self"]))); }

void erfcx(GradientCall& call) {
  call.give("self", (2.0 * call["self"] * call.result() - kTwoOverRootPi) * call.grad());
}

Term bessel(std::string_view name, const Term& x) { return aten(name, {x}); }

void i0(GradientCall& call) { call.give("self", call.grad() * bessel("special_i1", call["self"])); }

void i0e(GradientCall& call) {
  const Term x = call["self"];
  call.give("self", call.grad() * (bessel("special_i1e", x) - sgn(x) * call.result()));
}

double epsilon(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
}

// Near 0 the quotient by x is its limit.
void i1(GradientCall& call) {
  const Term x = call["self"];
  const Term is_large = abs(x) > epsilon(x.dtype());
  const Term safe = where(is_large, x, epsilon(x.dtype()));
  const Term slope = bessel("i0", safe) - call.result() * reciprocal(safe);
  call.give("self", call.grad() * where(is_large, slope, 0.5));
}

void i1e(GradientCall& call) {
  const Term x = call["self"];
  const Term is_large = abs(x) > epsilon(x.dtype());
  const Term safe = where(is_large, x, epsilon(x.dtype()));
  const Term slope = bessel("special_i0e", safe) - call.result() * (sgn(safe) + reciprocal(safe));
  call.give("self", call.grad() * where(is_large, slope, 0.5));
}

Term gamma_density(GradientCall& call) {
  const Term a = call["self"];
  const Term x = call["other"];
  return exp((a - 1) * log(x) - x - aten("lgamma", {a}));
}

void igamma(GradientCall& call) { call.give("other", call.grad() * gamma_density(call)); }

void igammac(GradientCall& call) { call.give("other", -call.grad() * gamma_density(call)); }

void log_ndtr(GradientCall& call) {
  const Term x = call["self"];
  const Term ratio = exp(-(call.result() + square(x) * 0.5));
  call.give("self", call.grad() * (kTwoOverRootPi * kRoot2 * 0.25) * ratio);
}

// A sum of digamma at x, x - 1/2, ...
void mvlgamma(GradientCall& call) {
  const Term x = call["self"];
  Term slope;
  for (int64_t i = 0; i < call.integer("p"); ++i) {
    const Term term = aten("digamma", {x - static_cast<double>(i) / 2});
    slope = slope ? slope + term : term;
  }
  call.give("self", call.grad() * slope);
}

void ndtri(GradientCall& call) {
  const double scale = std::numbers::pi / 2 * kRoot2 * kTwoOverRootPi;
  call.give("self", call.grad() * scale * exp(square(call.result()) * 0.5));
}

void polygamma(GradientCall& call) {
  call.give("self", call.grad() * aten("polygamma", {call.integer("n") + 1, call["self"]}));
}

void xlog1py(GradientCall& call) {
  const Term x = call["self"];
  const Term y = call["other"];
  if (call.wants("self")) {
    const Term slope = y.is_tensor() ? aten("special_xlog1py", {call.grad(), y})
                                     : aten("special_xlog1py.other_scalar", {call.grad(), y});
    const bool is_smooth = y.number().value_or(-1) > -1;
    const Term is_flat = y.is_tensor() ? (x == 0) & (y <= -1) : x == 0;
    call.give("self", is_smooth ? slope : where(is_flat, 0, slope));
  }
  if (call.wants("other")) call.give("other", call.grad() * x / (y + 1));
}

void zeta(GradientCall& call) {
  if (!call.wants("other")) return;
  const Term s = call["self"];
  const Term next = s.is_tensor() ? aten("special_zeta", {s + 1, call["other"]})
                                  : aten("special_zeta.self_scalar", {s + 1, call["other"]});
  call.give("other", call.grad() * -s * next);
}

constexpr std::array kGradients{
    Gradient{"aten.i0 aten.special_i0", i0},
    Gradient{"aten.igamma", igamma},
    Gradient{"aten.igammac", igammac},
    Gradient{"aten.mvlgamma", mvlgamma},
    Gradient{"aten.polygamma aten.special_polygamma", polygamma},
    Gradient{"aten.special_entr", entr},
    Gradient{"aten.special_erfcx", erfcx},
    Gradient{"aten.special_i0e", i0e},
    Gradient{"aten.special_i1", i1},
    Gradient{"aten.special_i1e", i1e},
    Gradient{"aten.special_log_ndtr", log_ndtr},
    Gradient{"aten.special_ndtri", ndtri},
    Gradient{"aten.special_xlog1py aten.special_xlog1py.other_scalar "
             "aten.special_xlog1py.self_scalar",
             xlog1py},
    Gradient{"aten.special_zeta aten.special_zeta.other_scalar aten.special_zeta.self_scalar",
             zeta},
};

}  // namespace

std::span<const Gradient> special_gradients() { return kGradients; }

}  // namespace litz::ops
