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

// --- Second derivatives. The first one by the input is r P(g w), where g is the gradient, w the weight,
// n the normalised input, r the reciprocal deviation, and P(v) = v - mean(v) - n mean(n v) the
// projection to what changes neither mean nor deviation.

struct Normalized {
  Term n, r;
  Dims together;

  Term mean(const Term& v) const {
    return aten("mean.dim", {v, list(together), Expr::boolean(true)});
  }

  Term projected(const Term& v) const { return v - mean(v) - n * mean(n * v); }
};

// The gradients of the three results, in shapes that broadcast over the input; absent or not.
struct Cotangents {
  Term by_input, by_weight, by_bias;
};

void give_second(GradientCall& call, const Normalized& of, const Term& weight, const Sizes& shape,
                 const Cotangents& given) {
  const Term grad = call["grad_out"];
  const Term weighted = weight ? grad * weight : grad;
  Term by_grad;
  Term inner;
  Term along;
  const auto add = [](Term& sum, const Term& part) { sum = sum ? sum + part : part; };
  if (given.by_input) {
    const Term projected = of.projected(given.by_input);
    const Term scaled = of.r * projected;
    add(by_grad, weight ? weight * scaled : scaled);
    if (weight && call.wants("weight")) {
      call.give("weight", reshape(sum_to(grad * scaled, shape), call["weight"].sizes()));
    }
    add(inner,
        -(given.by_input * of.mean(weighted * of.n) + weighted * of.mean(given.by_input * of.n)) *
            of.r);
    along = square(of.r) * of.mean(projected * weighted) * of.n;
  }
  if (given.by_weight) {
    add(by_grad, given.by_weight * of.n);
    add(inner, given.by_weight * grad);
  }
  if (given.by_bias) add(by_grad, given.by_bias);
  if (by_grad && call.wants("grad_out")) call.give("grad_out", expand(by_grad, grad.sizes()));
  if (!inner || !call.wants("input")) return;
  const Term whole = of.r * of.projected(inner);
  call.give("input", along ? whole - along : whole);
}

// Operands that got nothing do not matter.
void settle(GradientCall& call) {
  for (const std::string_view name :
       {"grad_out", "input", "weight", "bias", "mean", "rstd", "save_mean", "save_invstd"}) {
    if (call.op().schema.find(name) >= 0) call.give_nothing(name);
  }
}

Term optional_grad(const GradientCall& call, size_t i, const Sizes& shape) {
  return call.has_grad(i) ? reshape(call.grad(i), shape) : Term();
}

void layer_norm_backward(GradientCall& call) {
  const Term x = call["input"];
  const size_t inner = call.sizes("normalized_shape").size();
  Sizes rows = x.sizes();
  Dims together;
  for (size_t d = x.rank() - inner; d < x.rank(); ++d) {
    rows[d] = 1;
    together.push_back(static_cast<int64_t>(d));
  }
  const Sizes shape(x.sizes().end() - static_cast<ptrdiff_t>(inner), x.sizes().end());
  const Term r = to(reshape(call["rstd"], rows), x.dtype());
  const Term centred = x - to(reshape(call["mean"], rows), x.dtype());
  give_second(call, {centred * r, r, together}, call["weight"], shape,
              {call.has_grad(0) ? call.grad(0) : Term(), optional_grad(call, 1, shape),
               optional_grad(call, 2, shape)});
  settle(call);
}

// Only in training do mean and deviation depend on the input.
void batch_norm_backward(GradientCall& call) {
  require(call.flag("train"), ErrorCode::unsupported,
          "the second derivative of a batch norm outside of training");
  const Term x = call["input"];
  Sizes shape(x.rank(), Expr(1));
  shape[1] = x.sizes()[1];
  Dims together = {0};
  for (size_t d = 2; d < x.rank(); ++d) together.push_back(static_cast<int64_t>(d));
  const Term r = to(reshape(call["save_invstd"], shape), x.dtype());
  const Term centred = x - to(reshape(call["save_mean"], shape), x.dtype());
  const Term weight = call["weight"];
  give_second(call, {centred * r, r, together}, weight ? reshape(weight, shape) : weight, shape,
              {call.has_grad(0) ? call.grad(0) : Term(), optional_grad(call, 1, shape),
               optional_grad(call, 2, shape)});
  settle(call);
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
    Gradient{"aten.native_batch_norm_backward", batch_norm_backward},
    Gradient{"aten.native_layer_norm", layer_norm},
    Gradient{"aten.native_layer_norm_backward", layer_norm_backward},
    Gradient{"aten.rms_norm", rms_norm},
};

}  // namespace

std::span<const Gradient> normalization_gradients() { return kGradients; }

}  // namespace litz::ops
