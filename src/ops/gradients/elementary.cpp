// Gradients of elementary functions of one tensor.

#include <array>
#include <numbers>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr double kLn10 = std::numbers::ln10;
constexpr double kPi = std::numbers::pi;
constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;

Term rsqrt(const Term& x) { return aten("rsqrt", {x}); }

// The gradient of self from the derivative of the result.
void give(GradientCall& call, const Term& derivative) {
  call.give("self", call.grad() * conj(derivative));
}

// The derivative of abs is sgn, whose conjugate is not taken: abs is real.
void abs(GradientCall& call) { call.give("self", call.grad() * sgn(call["self"])); }

void acos(GradientCall& call) { give(call, -rsqrt(1 - square(call["self"]))); }

void acosh(GradientCall& call) {
  const Term x = call["self"];
  give(call, x.is_complex() ? rsqrt(x + 1) * rsqrt(x - 1) : rsqrt(square(x) - 1));
}

void asin(GradientCall& call) { give(call, rsqrt(1 - square(call["self"]))); }

void asinh(GradientCall& call) { give(call, rsqrt(square(call["self"]) + 1)); }

void atan(GradientCall& call) { call.give("self", call.grad() / conj(square(call["self"]) + 1)); }

void atanh(GradientCall& call) { call.give("self", call.grad() / conj(1 - square(call["self"]))); }

void cos(GradientCall& call) { give(call, -aten("sin", {call["self"]})); }

void cosh(GradientCall& call) { give(call, aten("sinh", {call["self"]})); }

void deg2rad(GradientCall& call) { give(call, kPi / 180); }

void digamma(GradientCall& call) { give(call, aten("polygamma", {1, call["self"]})); }

Term bell(const Term& x) { return kTwoOverRootPi * exp(-square(x)); }

void erf(GradientCall& call) { give(call, bell(call["self"])); }

void erfc(GradientCall& call) { give(call, -bell(call["self"])); }

void erfinv(GradientCall& call) { give(call, exp(square(call.result())) / kTwoOverRootPi); }

void exp(GradientCall& call) { give(call, call.result()); }

void exp2(GradientCall& call) { give(call, call.result() * kLn2); }

void expm1(GradientCall& call) { give(call, call.result() + 1); }

void identity(GradientCall& call) { call.give("self", call.grad()); }

void lgamma(GradientCall& call) { give(call, aten("digamma", {call["self"]})); }

void log(GradientCall& call) { call.give("self", call.grad() / conj(call["self"])); }

void log10(GradientCall& call) { call.give("self", call.grad() / conj(call["self"] * kLn10)); }

void log1p(GradientCall& call) { call.give("self", call.grad() / conj(call["self"] + 1)); }

void log2(GradientCall& call) { call.give("self", call.grad() / conj(call["self"] * kLn2)); }

void logit(GradientCall& call) { call.give("self", call.backward("logit_backward")); }

void nan_to_num(GradientCall& call) {
  call.give("self", call.grad() * aten("isfinite", {call["self"]}));
}

void neg(GradientCall& call) { call.give("self", -call.grad()); }

void rad2deg(GradientCall& call) { give(call, 180 / kPi); }

void reciprocal(GradientCall& call) { give(call, -square(call.result())); }

void rsqrt(GradientCall& call) { give(call, -0.5 * pow(call.result(), 3)); }

// A real sign is constant wherever it has a derivative. A complex one turns with its operand.
void sgn(GradientCall& call) {
  const Term x = call["self"];
  if (!x.is_complex()) return zero_gradient(call);
  const Term result = call.result();
  const Term size = abs(x);
  const Term along = real(conj(call.grad()) * result) * result;
  call.give("self", masked((call.grad() - along) / size, size != 0));
}

void sin(GradientCall& call) { give(call, aten("cos", {call["self"]})); }

void sinc(GradientCall& call) {
  const Term x = call["self"] * kPi;
  const Term slope = (x * aten("cos", {x}) - aten("sin", {x})) / (x * call["self"]);
  call.give("self", masked(call.grad() * conj(slope), x != 0));
}

void sinh(GradientCall& call) { give(call, aten("cosh", {call["self"]})); }

void sqrt(GradientCall& call) { call.give("self", call.grad() / conj(2 * call.result())); }

void square_of(GradientCall& call) { give(call, 2 * call["self"]); }

void tan(GradientCall& call) { give(call, square(call.result()) + 1); }

constexpr std::array kGradients{
    Gradient{"aten.abs aten.absolute", abs},
    Gradient{"aten.acos aten.arccos", acos},
    Gradient{"aten.acosh aten.arccosh", acosh},
    Gradient{"aten.asin aten.arcsin", asin},
    Gradient{"aten.asinh aten.arcsinh", asinh},
    Gradient{"aten.atan aten.arctan", atan},
    Gradient{"aten.atanh aten.arctanh", atanh},
    Gradient{"aten.ceil aten.floor aten.trunc aten.fix aten.round aten.round.decimals aten.sign",
             zero_gradient},
    Gradient{"aten.cos", cos},
    Gradient{"aten.cosh", cosh},
    Gradient{"aten.deg2rad", deg2rad},
    Gradient{"aten.digamma", digamma},
    Gradient{"aten.erf", erf},
    Gradient{"aten.erfc", erfc},
    Gradient{"aten.erfinv", erfinv},
    Gradient{"aten.exp", exp},
    Gradient{"aten.exp2", exp2},
    Gradient{"aten.expm1", expm1},
    Gradient{"aten.frac aten.positive", identity},
    Gradient{"aten.lgamma", lgamma},
    Gradient{"aten.log", log},
    Gradient{"aten.log10", log10},
    Gradient{"aten.log1p", log1p},
    Gradient{"aten.log2", log2},
    Gradient{"aten.logit", logit},
    Gradient{"aten.nan_to_num", nan_to_num},
    Gradient{"aten.neg aten.negative", neg},
    Gradient{"aten.rad2deg", rad2deg},
    Gradient{"aten.reciprocal", reciprocal},
    Gradient{"aten.rsqrt", rsqrt},
    Gradient{"aten.sgn", sgn},
    Gradient{"aten.sin", sin},
    Gradient{"aten.sinc", sinc},
    Gradient{"aten.sinh", sinh},
    Gradient{"aten.sqrt", sqrt},
    Gradient{"aten.square", square_of},
    Gradient{"aten.tan", tan},
};

}  // namespace

std::span<const Gradient> elementary_gradients() { return kGradients; }

}  // namespace litz::ops
