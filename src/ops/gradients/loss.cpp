// Gradients of losses.

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

constexpr int64_t kMean = 1;

// The gradient of each element before the loss was reduced.
Term each(const GradientCall& call, const Term& like) {
  if (call.integer("reduction") != kMean) return call.grad();
  return call.grad() / product(like.sizes());
}

Term weighted(const Term& x, const Term& weight) { return weight ? x * weight : x; }

// Only for its shape: that of the broadcast operands.
Term with_shape(const Term& a, const Term& b) { return a + b; }

// Losses of a difference: the target gets the gradient of exchanged operands.
void symmetric(GradientCall& call, std::string_view backward) {
  if (call.wants("self")) call.give("self", call.backward(backward));
  if (!call.wants("target")) return;
  call.give("target",
            call.backward(backward, {{"self", call["target"]}, {"target", call["self"]}}));
}

void huber(GradientCall& call) { symmetric(call, "huber_loss_backward"); }

void mse(GradientCall& call) { symmetric(call, "mse_loss_backward"); }

void smooth_l1(GradientCall& call) { symmetric(call, "smooth_l1_loss_backward"); }

void soft_margin(GradientCall& call) {
  call.give("self", call.backward("soft_margin_loss_backward"));
}

void cross_entropy(GradientCall& call) {
  const Term x = call["self"];
  if (call.wants("self")) call.give("self", call.backward("binary_cross_entropy_backward"));
  if (!call.wants("target")) return;
  const Term slope = weighted(log(1 - x) - log(x), call["weight"]);
  call.give("target", slope * each(call, x));
}

void cross_entropy_with_logits(GradientCall& call) {
  const Term x = call["self"];
  const Term target = call["target"];
  const Term positive = call["pos_weight"];
  const Term grad = weighted(each(call, x), call["weight"]);
  if (call.wants("self")) {
    const Term s = aten("sigmoid", {x});
    if (positive) {
      const Term t = positive * target;
      call.give("self", grad * ((t + 1 - target) * s - t));
    } else {
      call.give("self", grad * (s - target));
    }
  }
  if (!call.wants("target")) return;
  const auto log_sigmoid = [](const Term& y) { return aten("log_sigmoid", {y}); };
  call.give("target", grad * (positive ? log_sigmoid(-x) - positive * log_sigmoid(x) : -x));
}

void hinge_embedding(GradientCall& call) {
  const Term x = call["self"];
  const Term target = call["target"];
  const Term grad = each(call, with_shape(x, target));
  const Term inside = (target != 1) & (call["margin"] - x > 0);
  call.give("self", masked(grad, target != -1) - masked(grad, inside));
  call.give_nothing("target");
}

void kl_div(GradientCall& call) {
  const Term x = call["self"];
  const Term target = call["target"];
  const Term grad = each(call, with_shape(x, target));
  const bool is_log = call.flag("log_target");
  const Term share = is_log ? exp(target) : target;
  if (call.wants("self")) call.give("self", -grad * share);
  if (!call.wants("target")) return;
  if (is_log) return call.give("target", grad * (share * (target - x + 1)));
  const Term by_log = masked(aten("xlogy.Tensor", {grad, target}), target > 0);
  call.give("target", by_log + grad * target / target - grad * x);
}

void poisson_nll(GradientCall& call) {
  const Term x = call["input"];
  const Term target = call["target"];
  const Term grad = each(call, with_shape(x, target));
  const bool is_log = call.flag("log_input");
  const Term shifted = x + call["eps"];
  if (call.wants("input")) {
    call.give("input", grad * (is_log ? exp(x) - target : 1 - target / shifted));
  }
  if (!call.wants("target")) return;
  Term slope = is_log ? -x : -log(shifted);
  if (call.flag("full")) {
    slope = slope + masked(log(target) + 0.5 / target, target > 1);
  }
  call.give("target", grad * slope);
}

void multi_margin(GradientCall& call) {
  call.give("self", call.backward("multi_margin_loss_backward"));
}

void multilabel_margin(GradientCall& call) {
  const bool is_forward = call.result_count() > 1;
  const Term is_target = is_forward
                             ? call.result(1)
                             : aten_all("multilabel_margin_loss_forward",
                                        {call["self"], call["target"], call.pass("reduction")})[1];
  call.give("self", call.backward("multilabel_margin_loss_backward", {{"is_target", is_target}}));
}

// With the weights of all targets, by which means are divided.
Term nll_slope(const GradientCall& call, std::string_view name, const Term& grad, const Term& x,
               const Term& target) {
  const ir::Argument weight = call.pass("weight");
  const ir::Argument reduction = call.pass("reduction");
  const ir::Argument ignored = call.pass("ignore_index");
  const Term total =
      aten_all(std::string(name) + "_forward", {x, target, weight, reduction, ignored})[1];
  return aten(std::string(name) + "_backward",
              {grad, x, target, weight, reduction, ignored, total});
}

void nll(GradientCall& call) {
  call.give("self", nll_slope(call, "nll_loss", call.grad(), call["self"], call["target"]));
}

void nll2d(GradientCall& call) {
  call.give("self", nll_slope(call, "nll_loss2d", call.grad(), call["self"], call["target"]));
}

// More dimensions behind the classes are an image of one row.
void nll_nd(GradientCall& call) {
  const Term x = call["self"];
  if (x.rank() <= 2) return nll(call);
  if (x.rank() == 4) return nll2d(call);
  const Sizes& sizes = x.sizes();
  const Expr pixels = product(Sizes(sizes.begin() + 2, sizes.end()));
  const Term target = reshape(call["target"], {sizes[0], 1, pixels});
  const Term grad = call.grad();
  const Term slope =
      nll_slope(call, "nll_loss2d", grad.rank() == 0 ? grad : reshape(grad, target.sizes()),
                reshape(x, {sizes[0], sizes[1], 1, pixels}), target);
  call.give("self", reshape(slope, sizes));
}

void nll_forward(GradientCall& call) {
  call.give("self", call.backward("nll_loss_backward", {{"total_weight", call.result(1)}}));
}

void nll2d_forward(GradientCall& call) {
  call.give("self", call.backward("nll_loss2d_backward", {{"total_weight", call.result(1)}}));
}

void ctc(GradientCall& call) {
  call.give("log_probs",
            call.backward("_ctc_loss_backward",
                          {{"neg_log_likelihood", call.result(0)}, {"log_alpha", call.result(1)}}));
}

void ctc_tensor(GradientCall& call) {
  call.give("log_probs",
            call.backward("_ctc_loss_backward.Tensor",
                          {{"neg_log_likelihood", call.result(0)}, {"log_alpha", call.result(1)}}));
}

// --- Second derivatives.

// Of losses by element: the slope that the backward operator multiplies, and its derivative by self.
void by_slope(GradientCall& call, const Term& bend) {
  std::vector<ir::Argument> arguments(call.arguments().begin(), call.arguments().end());
  const bool is_mean = call.integer("reduction") == kMean;
  if (call.wants("grad_output")) {
    arguments[0] = ones_like(call["grad_output"]);
    const Term slope = call_op(call.op().name(), std::move(arguments))[0];
    call.give("grad_output", call.grad() * slope);
  }
  Term scale = call.grad() * call["grad_output"];
  if (is_mean) scale = scale / product(call["self"].sizes());
  if (call.wants("self")) call.give("self", scale * bend);
  if (call.wants("target")) call.give("target", -scale * bend);
}

Term as_number(const Term& mask, const Term& like) { return to(mask, like.dtype()); }

void mse_backward(GradientCall& call) { by_slope(call, 2); }

void smooth_l1_backward(GradientCall& call) {
  const double beta = call.real("beta");
  const Term apart = abs(call["self"] - call["target"]);
  by_slope(call, beta == 0 ? zeros_like(apart) : as_number(apart < beta, apart) / beta);
}

void huber_backward(GradientCall& call) {
  const Term apart = abs(call["self"] - call["target"]);
  by_slope(call, as_number(apart < call.real("delta"), apart));
}

void nll_backward(GradientCall& call) {
  const bool is_image = call.op().name().starts_with("aten.nll_loss2d");
  call.give("grad_output", aten_all(is_image ? "nll_loss2d_forward" : "nll_loss_forward",
                                    {call.grad(), call["target"], call.pass("weight"),
                                     call.pass("reduction"), call.pass("ignore_index")})[0]);
  if (call.wants("self")) call.give("self", zeros_like(call["self"]));
  call.give_nothing("total_weight");
}

constexpr std::array kGradients{
    Gradient{"aten._ctc_loss", ctc},
    Gradient{"aten._ctc_loss.Tensor", ctc_tensor},
    Gradient{"aten.binary_cross_entropy", cross_entropy},
    Gradient{"aten.binary_cross_entropy_with_logits", cross_entropy_with_logits},
    Gradient{"aten.hinge_embedding_loss", hinge_embedding},
    Gradient{"aten.huber_loss", huber},
    Gradient{"aten.huber_loss_backward", huber_backward},
    Gradient{"aten.kl_div", kl_div},
    Gradient{"aten.mse_loss", mse},
    Gradient{"aten.mse_loss_backward", mse_backward},
    Gradient{"aten.multi_margin_loss", multi_margin},
    Gradient{"aten.multilabel_margin_loss aten.multilabel_margin_loss_forward", multilabel_margin},
    Gradient{"aten.nll_loss", nll},
    Gradient{"aten.nll_loss2d", nll2d},
    Gradient{"aten.nll_loss2d_backward aten.nll_loss_backward", nll_backward},
    Gradient{"aten.nll_loss2d_forward", nll2d_forward},
    Gradient{"aten.nll_loss_forward", nll_forward},
    Gradient{"aten.nll_loss_nd", nll_nd},
    Gradient{"aten.poisson_nll_loss", poisson_nll},
    Gradient{"aten.smooth_l1_loss", smooth_l1},
    Gradient{"aten.smooth_l1_loss_backward", smooth_l1_backward},
    Gradient{"aten.soft_margin_loss", soft_margin},
};

}  // namespace

std::span<const Gradient> loss_gradients() { return kGradients; }

}  // namespace litz::ops
