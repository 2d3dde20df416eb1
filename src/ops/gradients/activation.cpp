// Gradients of activations, by PyTorch's backward operators, and of these.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

// Sigmoid-weighted and similar functions are written out for second derivatives.
Term sigmoid_of(const Term& x) { return aten("sigmoid", {x}); }

void celu(GradientCall& call) {
  call.give("self",
            call.backward("elu_backward", {{"scale", 1},
                                           {"input_scale", Expr::real(1 / call.real("alpha"))},
                                           {"is_result", Expr::boolean(false)},
                                           {"self_or_result", call["self"]}}));
}

void elu(GradientCall& call) {
  call.give("self", call.backward("elu_backward", {{"is_result", Expr::boolean(false)},
                                                   {"self_or_result", call["self"]}}));
}

void gelu(GradientCall& call) { call.give("self", call.backward("gelu_backward")); }

void glu(GradientCall& call) { call.give("self", call.backward("glu_backward")); }

void hardshrink(GradientCall& call) { call.give("self", call.backward("hardshrink_backward")); }

void hardsigmoid(GradientCall& call) { call.give("self", call.backward("hardsigmoid_backward")); }

void hardswish(GradientCall& call) { call.give("self", call.backward("hardswish_backward")); }

void hardtanh(GradientCall& call) { call.give("self", call.backward("hardtanh_backward")); }

void leaky_relu(GradientCall& call) {
  call.give("self",
            call.backward("leaky_relu_backward", {{"self_is_result", Expr::boolean(false)}}));
}

void log_sigmoid(GradientCall& call) {
  const Term buffer = exp(-abs(call["self"]));
  call.give("self", call.backward("log_sigmoid_backward", {{"buffer", buffer}}));
}

void mish(GradientCall& call) { call.give("self", call.backward("mish_backward")); }

void prelu_kernel(GradientCall& call) {
  const std::vector<Term> parts =
      aten_all("_prelu_kernel_backward", {call.grad(), call["self"], call["weight"]});
  call.give("self", parts[0]);
  call.give("weight", parts[1]);
}

// A weight of one entry a channel broadcasts along dimension 1.
void prelu(GradientCall& call) {
  const Term x = call["self"];
  Term weight = call["weight"];
  if (weight.rank() == 1 && x.rank() > 1) {
    Sizes sizes(x.rank(), Expr(1));
    sizes[1] = weight.sizes()[0];
    weight = reshape(weight, sizes);
  }
  const std::vector<Term> parts = aten_all("_prelu_kernel_backward", {call.grad(), x, weight});
  call.give("self", parts[0]);
  if (call.wants("weight")) {
    const Term summed = weight.rank() > 0 || x.rank() == 0 ? parts[1] : sum(parts[1]);
    call.give("weight", reshape(sum_to(summed, weight.sizes()), call["weight"].sizes()));
  }
}

void relu(GradientCall& call) {
  call.give("self",
            call.backward("threshold_backward", {{"self", call.result()}, {"threshold", 0}}));
}

void relu6(GradientCall& call) {
  call.give("self", call.backward("hardtanh_backward", {{"min_val", 0}, {"max_val", 6}}));
}

void selu(GradientCall& call) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  call.give("self", call.backward("elu_backward", {{"alpha", Expr::real(kAlpha)},
                                                   {"scale", Expr::real(kScale)},
                                                   {"input_scale", 1},
                                                   {"is_result", Expr::boolean(false)},
                                                   {"self_or_result", call["self"]}}));
}

void sigmoid(GradientCall& call) {
  call.give("self", call.backward("sigmoid_backward", {{"output", call.result()}}));
}

void silu(GradientCall& call) {
  const Term x = call["self"];
  if (!x.is_complex()) return call.give("self", call.backward("silu_backward"));
  const Term s = sigmoid_of(x);
  call.give("self", call.grad() * conj(s * (1 + x * (1 - s))));
}

void softplus(GradientCall& call) { call.give("self", call.backward("softplus_backward")); }

void softshrink(GradientCall& call) { call.give("self", call.backward("softshrink_backward")); }

void tanh(GradientCall& call) {
  call.give("self", call.backward("tanh_backward", {{"output", call.result()}}));
}

void threshold(GradientCall& call) { call.give("self", call.backward("threshold_backward")); }

// --- Second derivatives. Each of these is linear in grad_output.

// The same operator with another gradient in place of the first argument.
Term repeated(GradientCall& call) {
  std::vector<ir::Argument> arguments(call.arguments().begin(), call.arguments().end());
  arguments[0] = call.grad();
  return aten(call.op().name().substr(5), std::move(arguments));
}

// Of operators that are constant in self wherever they have a derivative.
void piecewise_linear(GradientCall& call) {
  const std::string_view first = call.op().schema.arguments[0].name;
  if (call.wants(first)) call.give(first, repeated(call));
  for (const std::string_view name : {"self", "self_or_result", "buffer"}) {
    if (call.op().schema.find(name) >= 0 && call.wants(name)) {
      call.give(name, zeros_like(call[name]));
    }
  }
}

void elu_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const Term x = call["self_or_result"];
  const double inner = call.real("input_scale");
  const double left = call.real("alpha") * call.real("scale");
  const Term slope =
      call.flag("is_result") ? Term(inner) : Term(inner * inner * left) * exp(x * inner);
  call.give("self_or_result", masked(call.grad() * call["grad_output"] * slope, x <= 0));
}

void gelu_backward(GradientCall& call) {
  constexpr double kCubic = 0.044715;
  constexpr double kScale = 0.79788456080286535588;  // sqrt(2 / pi)
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  if (!call.wants("self")) return;
  const Term x = call["self"];
  const Term scaled = call.grad() * call["grad_output"];
  if (call.str("approximate") == "none") {
    const Term bell = exp(-0.5 * square(x)) * (kScale / 2);
    return call.give("self", scaled * bell * (2 - square(x)));
  }
  const Term t = aten("tanh", {kScale * (x + kCubic * pow(x, 3))});
  const Term fall = 1 - square(t);
  const Term inner = kScale * (1 + 3 * kCubic * square(x));
  const Term bend = kScale * 6 * kCubic * x;
  call.give("self", scaled * fall * (inner + 0.5 * x * (bend - 2 * t * square(inner))));
}

void hardswish_backward(GradientCall& call) {
  const Term x = call["self"];
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  call.give("self", masked(call.grad() * call["grad_output"] / 3, (x > -3) & (x < 3)));
}

void log_sigmoid_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const Term s = sigmoid_of(call["self"]);
  call.give("self", call.grad() * call["grad_output"] * (s - 1) * s);
  call.give_nothing("buffer");
}

void mish_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const Term x = call["self"];
  const Term s = sigmoid_of(x);
  const Term t = aten("tanh", {aten("softplus", {x})});
  const Term fall = 1 - square(t);
  const Term bend = fall * s * (2 + x * (1 - s) - 2 * x * t * s);
  call.give("self", call.grad() * call["grad_output"] * bend);
}

void sigmoid_backward(GradientCall& call) {
  const Term y = conj(call["output"]);
  call.give("grad_output", call.grad() * y * (1 - y));
  const Term other = conj(call["grad_output"]);
  call.give("output", call.grad() * other * (1 - 2 * y));
}

void silu_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const Term x = call["self"];
  const Term s = sigmoid_of(x);
  const Term bend = s * (1 - s) * (2 + x * (1 - 2 * s));
  call.give("self", call.grad() * call["grad_output"] * bend);
}

void softplus_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const double beta = call.real("beta");
  const Term x = call["self"] * beta;
  const Term s = sigmoid_of(x);
  call.give("self", masked(call.grad() * call["grad_output"] * s * (1 - s) * beta,
                           x < call.real("threshold")));
}

void tanh_backward(GradientCall& call) {
  const Term y = conj(call["output"]);
  call.give("grad_output", call.grad() * (1 - square(y)));
  call.give("output", call.grad() * conj(call["grad_output"]) * (-2 * y));
}

void glu_backward(GradientCall& call) {
  const Term x = call["self"];
  const auto dim = call.dim("dim", x.rank());
  const Expr half = floor_div(x.sizes()[static_cast<size_t>(dim)], 2);
  const Term a = narrow(x, dim, 0, half);
  const Term s = sigmoid_of(narrow(x, dim, half, half));
  const Term by_value = narrow(call.grad(), dim, 0, half);
  const Term by_gate = narrow(call.grad(), dim, half, half);
  const Term outer = call["grad_output"];
  const Term slope = s * (1 - s);
  call.give("grad_output", by_value * s + by_gate * a * slope);
  const Term of_value = outer * by_gate * slope;
  const Term of_gate = outer * slope * (by_value + by_gate * a * (1 - 2 * s));
  call.give("self", cat({of_value, of_gate}, dim));
}

void logit_backward(GradientCall& call) {
  if (call.wants("grad_output")) call.give("grad_output", repeated(call));
  const Term x = call["self"];
  const Term bend = (2 * x - 1) / square(x * (1 - x));
  const double low = call.has("eps") ? call.real("eps") : 0;
  call.give("self", masked(call.grad() * call["grad_output"] * bend, (x >= low) & (x <= 1 - low)));
}

constexpr std::array kGradients{
    Gradient{"aten._prelu_kernel", prelu_kernel},
    Gradient{"aten.celu", celu},
    Gradient{"aten.elu", elu},
    Gradient{"aten.elu_backward", elu_backward},
    Gradient{"aten.gelu", gelu},
    Gradient{"aten.gelu_backward", gelu_backward},
    Gradient{"aten.glu", glu},
    Gradient{"aten.glu_backward", glu_backward},
    Gradient{"aten.hardshrink", hardshrink},
    Gradient{"aten.hardsigmoid", hardsigmoid},
    Gradient{"aten.hardshrink_backward aten.hardsigmoid_backward aten.hardtanh_backward "
             "aten.leaky_relu_backward aten.softshrink_backward aten.threshold_backward",
             piecewise_linear},
    Gradient{"aten.hardswish", hardswish},
    Gradient{"aten.hardswish_backward", hardswish_backward},
    Gradient{"aten.hardtanh", hardtanh},
    Gradient{"aten.leaky_relu", leaky_relu},
    Gradient{"aten.log_sigmoid", log_sigmoid},
    Gradient{"aten.log_sigmoid_backward", log_sigmoid_backward},
    Gradient{"aten.logit_backward", logit_backward},
    Gradient{"aten.mish", mish},
    Gradient{"aten.mish_backward", mish_backward},
    Gradient{"aten.prelu", prelu},
    Gradient{"aten.relu", relu},
    Gradient{"aten.relu6", relu6},
    Gradient{"aten.selu", selu},
    Gradient{"aten.sigmoid", sigmoid},
    Gradient{"aten.sigmoid_backward", sigmoid_backward},
    Gradient{"aten.silu", silu},
    Gradient{"aten.silu_backward", silu_backward},
    Gradient{"aten.softplus", softplus},
    Gradient{"aten.softplus_backward", softplus_backward},
    Gradient{"aten.softshrink", softshrink},
    Gradient{"aten.tanh", tanh},
    Gradient{"aten.tanh_backward", tanh_backward},
    Gradient{"aten.threshold", threshold},
};

}  // namespace

std::span<const Gradient> activation_gradients() { return kGradients; }

}  // namespace litz::ops
