// Gradients of softmax and of layers that normalise.

#include <array>
#include <limits>

#include "ops/gradients/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

void softmax(GradientCall& call, std::string_view backward) {
  const Term x = call["self"];
  // A result of another dtype was cast first, and so is its gradient.
  const DType dtype = call.result().dtype() == x.dtype() ? x.dtype() : call.result().dtype();
  call.give("self",
            aten(backward, {call.grad(), call.result(), call.pass("dim"), ir::Attribute(dtype)}));
}

void plain_softmax(GradientCall& call) { softmax(call, "_softmax_backward_data"); }

void log_softmax(GradientCall& call) { softmax(call, "_log_softmax_backward_data"); }

Term sum_along(const Term& x, int64_t dim) { return x.rank() == 0 ? x : sum(x, {dim}, true); }

// y * (g - sum(g * y)).
void softmax_backward(GradientCall& call) {
  const Term grad = call.grad();
  const Term outer = call["grad_output"];
  const Term y = call["output"];
  const int64_t dim = call.dim("dim", y.rank());
  call.give("grad_output", y * (grad - sum_along(grad * y, dim)));
  if (!call.wants("output")) return;
  const Term by_sum = grad * sum_along(outer * y, dim) + outer * sum_along(grad * y, dim);
  call.give("output", grad * outer - by_sum);
}

// g - exp(y) * sum(g).
void log_softmax_backward(GradientCall& call) {
  const Term grad = call.grad();
  const Term share = exp(call["output"]);
  const int64_t dim = call.dim("dim", share.rank());
  call.give("grad_output", grad - sum_along(grad * share, dim));
  if (!call.wants("output")) return;
  call.give("output", -grad * share * sum_along(call["grad_output"], dim));
}

constexpr std::array<std::string_view, 3> kOperands{"input", "weight", "bias"};

void give_parts(GradientCall& call, const std::vector<Term>& parts) {
  for (size_t i = 0; i < kOperands.size(); ++i) {
    if (call.wants(kOperands[i])) call.give(kOperands[i], parts[i]);
  }
}

// As in PyTorch, the mean and the deviation count as constants.
void layer_norm(GradientCall& call) {
  if (!call.has_grad()) return zero_gradient(call);
  give_parts(call, call.backward_all("native_layer_norm_backward",
                                     {{"mean", call.result(1)},
                                      {"rstd", call.result(2)},
                                      {"output_mask", call.mask(kOperands)}}));
}

void group_norm(GradientCall& call) {
  require(!call.has_grad(1) && !call.has_grad(2), ErrorCode::unsupported,
          "the gradient of the statistics of native_group_norm");
  give_parts(call, call.backward_all("native_group_norm_backward",
                                     {{"mean", call.result(1)},
                                      {"rstd", call.result(2)},
                                      {"output_mask", call.mask(kOperands)}}));
}

Argument option(const GradientCall& call, std::string_view name) {
  return call.op().schema.find(name) >= 0 ? call.pass(name) : Argument();
}

void batch_norm(GradientCall& call) {
  if (!call.has_grad()) return zero_gradient(call);
  const bool is_training = call.op().schema.find("training") < 0
                               ? !call.op().name().ends_with("no_training")
                               : call.flag("training");
  give_parts(call, call.backward_all("native_batch_norm_backward",
                                     {{"running_mean", option(call, "running_mean")},
                                      {"running_var", option(call, "running_var")},
                                      {"save_mean", call.result(1)},
                                      {"save_invstd", call.result(2)},
                                      {"train", Expr::boolean(is_training)},
                                      {"output_mask", call.mask(kOperands)}}));
}

double default_epsilon(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
}

// weight * x * r, where r is the reciprocal of the root of the mean square.
void rms_norm(GradientCall& call) {
  const DType compute = compute_dtype(call.type("input").dtype);
  const Term x = to(call["input"], compute);
  const Term grad = to(call.grad(), compute);
  Dims dims;
  for (size_t i = 0; i < call.sizes("normalized_shape").size(); ++i) {
    dims.push_back(static_cast<int64_t>(x.rank() - 1 - i));
  }
  const auto mean = [&](const Term& y) {
    return aten("mean.dim", {y, list(dims), Expr::boolean(true)});
  };
  const double epsilon = call.has("eps") ? call.real("eps") : default_epsilon(compute);
  const Term r = aten("rsqrt", {mean(square(x)) + epsilon});
  const Term scaled = x * r;
  const Term weight = call["weight"];
  const Term outer = weight ? grad * to(weight, compute) : grad;
  if (call.wants("input")) call.give("input", r * (outer - scaled * mean(outer * scaled)));
  if (call.wants("weight")) call.give("weight", grad * scaled);
}

void dropout_backward(GradientCall& call) {
  call.give("grad_output", call.grad() * call["mask"] * call["scale"]);
}

constexpr std::array kGradients{
    Gradient{"aten._log_softmax", log_softmax},
    Gradient{"aten._log_softmax_backward_data", log_softmax_backward},
    Gradient{"aten._native_batch_norm_legit aten._native_batch_norm_legit.no_stats "
             "aten._native_batch_norm_legit_functional aten._native_batch_norm_legit_no_training "
             "aten.native_batch_norm",
             batch_norm},
    Gradient{"aten._safe_softmax aten._softmax", plain_softmax},
    Gradient{"aten._softmax_backward_data", softmax_backward},
    Gradient{"aten.native_dropout_backward", dropout_backward},
    Gradient{"aten.native_group_norm", group_norm},
    Gradient{"aten.native_layer_norm", layer_norm},
    Gradient{"aten.rms_norm", rms_norm},
};

}  // namespace

std::span<const Gradient> normalization_gradients() { return kGradients; }

}  // namespace litz::ops
