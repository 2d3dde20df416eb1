// Gradients of arithmetic: sums, products, quotients, powers.

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

// Overloads with a number in place of a tensor share a formula: numbers get no gradient.
void give_other(GradientCall& call, const Term& gradient) {
  if (call.wants("other")) call.give("other", gradient);
}

void add(GradientCall& call) {
  call.give("self", call.grad());
  if (call.wants("other")) call.give("other", call.grad() * conj(call["alpha"]));
}

void sub(GradientCall& call) {
  call.give("self", call.grad());
  if (call.wants("other")) call.give("other", -call.grad() * conj(call["alpha"]));
}

void rsub(GradientCall& call) {
  if (call.wants("self")) call.give("self", -call.grad() * conj(call["alpha"]));
  give_other(call, call.grad());
}

void mul(GradientCall& call) {
  if (call.wants("self")) call.give("self", call.grad() * conj(call["other"]));
  if (call.wants("other")) call.give("other", call.grad() * conj(call["self"]));
}

void div(GradientCall& call) {
  const Term divisor = conj(call["other"]);
  if (call.wants("self")) call.give("self", call.grad() / divisor);
  if (call.wants("other")) {
    // Rounded twice like PyTorch's: self / other / other.
    call.give("other", -call.grad() * conj(call["self"] / call["other"] / call["other"]));
  }
}

// A rounded quotient is constant wherever it has a derivative.
void div_mode(GradientCall& call) {
  return call.has("rounding_mode") ? zero_gradient(call) : div(call);
}

void divided_remainder(GradientCall& call, const char* rounding) {
  call.give("self", call.grad());
  if (!call.wants("other")) return;
  const Term quotient =
      aten("div.Tensor_mode", {call["self"], call["other"], ir::Argument(std::string(rounding))});
  call.give("other", -call.grad() * quotient);
}

void fmod(GradientCall& call) { divided_remainder(call, "trunc"); }

void remainder(GradientCall& call) {
  if (call.is_tensor("self")) return divided_remainder(call, "floor");
  const Term quotient = aten("floor", {call["self"] / call["other"]});
  call.give("other", -call.grad() * quotient);
}

void addcdiv(GradientCall& call) {
  const Term value = call["value"];
  const Term a = call["tensor1"];
  const Term b = call["tensor2"];
  call.give("self", call.grad());
  if (call.wants("tensor1")) call.give("tensor1", call.grad() * conj(value / b));
  if (call.wants("tensor2")) call.give("tensor2", -call.grad() * conj(value * a / (b * b)));
}

void addcmul(GradientCall& call) {
  const Term value = call["value"];
  call.give("self", call.grad());
  if (call.wants("tensor1")) call.give("tensor1", call.grad() * conj(call["tensor2"] * value));
  if (call.wants("tensor2")) call.give("tensor2", call.grad() * conj(call["tensor1"] * value));
}

void atan2(GradientCall& call) {
  const Term y = call["self"];
  const Term x = call["other"];
  const Term scaled = call.grad() * reciprocal(y * y + x * x);
  call.give("self", scaled * x);
  call.give("other", scaled * -y);
}

void hypot(GradientCall& call) {
  call.give("self", call.grad() * (call["self"] / call.result()));
  call.give("other", call.grad() * (call["other"] / call.result()));
}

void lerp(GradientCall& call) {
  const Term weight = conj(call["weight"]);
  call.give("self", call.grad() * (1 - weight));
  call.give("end", call.grad() * weight);
  if (call.wants("weight")) call.give("weight", call.grad() * conj(call["end"] - call["self"]));
}

void logaddexp(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["other"];
  call.give("self", call.grad() / conj(1 + exp(b - a)));
  call.give("other", call.grad() / conj(1 + exp(a - b)));
}

void logaddexp2(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["other"];
  call.give("self", call.grad() / (1 + aten("exp2", {b - a})));
  call.give("other", call.grad() / (1 + aten("exp2", {a - b})));
}

// exponent * base^(exponent - 1), and 0 where the exponent is 0, whatever the base is.
Term by_base(const Term& base, const Term& exponent) {
  const Term slope = exponent * pow(base, exponent - 1);
  return exponent.is_tensor() ? masked(slope, exponent != 0) : slope;
}

// result * log(base), and 0 where the base is 0 and the exponent not negative.
Term by_exponent(const Term& result, const Term& base, const Term& exponent) {
  const Term is_flat = real(exponent) >= 0;
  if (base.is_tensor()) return masked(result * log(base), ~((base == 0) & is_flat));
  const std::optional<double> number = base.number();
  if (number == 0.0) return masked(result * -HUGE_VAL, ~is_flat);
  if (number) return result * std::log(*number);
  return result * log(aten("full_like", {result, base}));
}

void pow(GradientCall& call) {
  const DType dtype = call.result().dtype();
  const auto operand = [&](std::string_view name) {
    return call.is_tensor(name) ? to(call[name], dtype) : call[name];
  };
  const Term base = operand("self");
  const Term exponent = operand("exponent");
  if (call.wants("self")) {
    const bool is_constant = exponent.number() == 0.0;
    call.give("self",
              is_constant ? zeros_like(call["self"]) : call.grad() * conj(by_base(base, exponent)));
  }
  if (call.wants("exponent")) {
    call.give("exponent", call.grad() * conj(by_exponent(call.result(), base, exponent)));
  }
}

void xlogy(GradientCall& call) {
  const Term x = call["self"];
  const Term y = call["other"];
  if (call.wants("self")) {
    const Term slope = y.is_tensor() ? aten("xlogy.Tensor", {call.grad(), y})
                                     : aten("xlogy.Scalar_Other", {call.grad(), y});
    const Term is_flat = y.is_tensor() ? (x == 0) & (y <= 0) : x == 0;
    const bool is_smooth = y.number().value_or(0) > 0;
    call.give("self", is_smooth ? slope : masked(slope, ~is_flat));
  }
  if (call.wants("other")) call.give("other", call.grad() * x / y);
}

constexpr std::array kGradients{
    Gradient{"aten.add.Scalar aten.add.Tensor", add},
    Gradient{"aten.addcdiv", addcdiv},
    Gradient{"aten.addcmul", addcmul},
    Gradient{"aten.atan2 aten.arctan2", atan2},
    Gradient{"aten.div.Scalar aten.div.Tensor aten.divide.Scalar aten.divide.Tensor "
             "aten.true_divide.Scalar aten.true_divide.Tensor",
             div},
    Gradient{"aten.div.Scalar_mode aten.div.Tensor_mode aten.divide.Scalar_mode "
             "aten.divide.Tensor_mode",
             div_mode},
    Gradient{"aten.fmod.Scalar aten.fmod.Tensor", fmod},
    Gradient{"aten.hypot", hypot},
    Gradient{"aten.lerp.Scalar aten.lerp.Tensor", lerp},
    Gradient{"aten.logaddexp", logaddexp},
    Gradient{"aten.logaddexp2", logaddexp2},
    Gradient{"aten.mul.Scalar aten.mul.Tensor aten.multiply.Scalar aten.multiply.Tensor", mul},
    Gradient{
        "aten.pow.Scalar aten.pow.Tensor_Scalar aten.pow.Tensor_Tensor "
        "aten.float_power.Scalar aten.float_power.Tensor_Scalar aten.float_power.Tensor_Tensor",
        pow},
    Gradient{"aten.remainder.Scalar aten.remainder.Tensor aten.remainder.Scalar_Tensor", remainder},
    Gradient{"aten.rsub.Scalar aten.rsub.Tensor", rsub},
    Gradient{"aten.sub.Scalar aten.sub.Tensor aten.subtract.Scalar aten.subtract.Tensor", sub},
    Gradient{"aten.xlogy.Scalar_Other aten.xlogy.Scalar_Self aten.xlogy.Tensor", xlogy},
    undefined("aten.floor_divide aten.floor_divide.Scalar", "PyTorch defines none"),
    undefined("aten.heaviside", "PyTorch defines none"),
};

}  // namespace

std::span<const Gradient> arithmetic_gradients() { return kGradients; }

}  // namespace litz::ops
