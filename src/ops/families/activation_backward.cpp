// Derivatives of activations that do not map single elements to single elements.

#include <array>
#include <limits>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

TensorType glu_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& gradient = call.type("grad_output");
  require(self.rank() > 0 && gradient.rank() == self.rank() && is_floating(self.dtype) &&
              gradient.dtype == self.dtype,
          "glu_backward C1: the gradient has the rank and the floating dtype of self:", gradient,
          self);
  const auto dim = static_cast<size_t>(call.dim("dim", self.rank()));
  for (size_t d = 0; d < self.rank(); ++d) {
    const Expr size = gradient.sizes[d];
    call.require_sizes(eq(d == dim ? 2 * size : size, self.sizes[d]),
                       "glu_backward C2: the gradient is half of self along dim:", gradient, self);
  }
  return contiguous_type(self.dtype, self.sizes, self.device);
}

// The gradient of the first half is scaled by the sigmoid of the second.
void glu_backward(NestCall& call) {
  const TensorType& gradient = call.type("grad_output");
  const DType dtype = gradient.dtype;
  const DType compute = compute_dtype(dtype);
  const auto dim = static_cast<size_t>(call.dim("dim", gradient.rank()));
  KernelBuilder& b = call.builder();
  b.loop(gradient.sizes, [&](Exprs i) {
    Sizes second(i.begin(), i.end());
    second[dim] = second[dim] + gradient.sizes[dim];
    const auto load = [&](const char* name, Exprs at) {
      return b.cast(b.load(call.in(name), at), compute);
    };
    const Scalar passed = 1 / (1 + exp(-load("self", second)));
    const Scalar slope = load("grad_output", i);
    b.store(call.out(), i, b.cast(passed * slope, dtype));
    const Scalar by_gate = (1 - passed) * passed * slope * load("self", i);
    b.store(call.out(), Exprs(second), b.cast(by_gate, dtype));
  });
}

// 0 outside [eps, 1 - eps]; without eps, or with a negative one, NaN outside [0, 1].
Scalar logit_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar slope = call["grad_output"] / (x * (1 - x));
  const bool has_margin = call.has("eps") && !(call.real("eps") < 0);
  const double low = has_margin ? call.real("eps") : 0;
  const double outside = has_margin ? 0 : std::numeric_limits<double>::quiet_NaN();
  const Scalar high = call.constant(1) - call.constant(low);
  return select((x < low) | (x > high), outside, slope);
}

Types prelu_meta(const Call& call) {
  require_same_dtypes(call, {"self", "grad_output", "weight"});
  const DType dtype = meta::elementwise_floating_only(call).dtype;
  const TensorType type = elementwise_type(dtype, call, {"self", "weight", "grad_output"});
  return {type, type};
}

std::vector<Value> prelu_backward(DecomposeCall& call) {
  const Steps steps(call);
  const Value self = call["self"];
  const Value gradient = call["grad_output"];
  const Value positive = call.aten("gt.Scalar", {self, Expr(0)});
  const Value scaled = steps.mul(call["weight"], gradient);
  Value by_weight = call.aten("where.ScalarSelf", {positive, Expr(0), steps.mul(self, gradient)});
  const Sizes& sizes = call.result(1).sizes;
  if (by_weight.tensor().sizes != sizes) {
    by_weight = call.aten("clone", {call.aten("expand", {by_weight, sizes})});
  }
  return {call.aten("where.self", {positive, gradient, scaled}), by_weight};
}

std::vector<Value> rrelu_backward(DecomposeCall& call) {
  if (call.flag("training")) return {Steps(call).mul(call["grad_output"], call["noise"])};
  const Expr middle = Expr::real((call.real("lower") + call.real("upper")) / 2);
  return {call.aten("leaky_relu_backward",
                    {call["grad_output"], call["self"], middle, call.pass("self_is_result")})};
}

Types log_sigmoid_meta(const Call& call) {
  const TensorType type = meta::floating_only(call);
  return {type, type};
}

// The buffer is exp(-|self|), which the derivative can start from.
std::vector<Value> log_sigmoid_forward(DecomposeCall& call) {
  const DType dtype = call.type("self").dtype;
  const Value self = call.to(call["self"], compute_dtype(dtype));
  const Value distance = call.aten("neg", {call.aten("abs", {self})});
  return {call.aten("log_sigmoid", {call["self"]}), call.to(call.aten("exp", {distance}), dtype)};
}

constexpr std::array kGluSample{"(f32[2, 3], f32[2, 6], 1)"sv, "(bf16[2, s0], bf16[4, s0], 0)"sv};
constexpr std::array kLogitSample{"(f32[2, 3], f32[2, 3] in [-0.5, 1.5))"sv,
                                  "(f32[2, 3], f32[2, 3] in [-0.5, 1.5), 0.1)"sv};
constexpr std::array kPreluSample{"(f32[2, 3], f32[2, 3], f32[1, 3])"sv};
constexpr std::array kRreluSample{"(f32[2, 3], f32[2, 3], f32[2, 3], 0.1, 0.3, True, False)"sv,
                                  "(f32[2, 3], f32[2, 3], f32[2, 3], 0.1, 0.3, False, False)"sv};
constexpr std::array kSelfSample{"(f32[2, 3])"sv, "(bf16[s0])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) "
                    "-> (Tensor, Tensor)",
          .doc = "Derivative of prelu by self and by the weight of each element.",
          .meta = prelu_meta,
          .impl = Decompose{prelu_backward},
          .samples = {.calls = kPreluSample}},
    OpDef{.schema = "aten.glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
          .doc = "Derivative of glu.\n"
                 "C1: the gradient has the rank and the floating dtype of self. C2: it is half of "
                 "self along dim.",
          .meta = glu_meta,
          .impl = LoopNest{glu_backward},
          .samples = {.calls = kGluSample}},
    OpDef{.schema = "aten.log_sigmoid_forward(Tensor self) -> (Tensor, Tensor)",
          .doc = "log(sigmoid(self)), and exp(-|self|) for the derivative.",
          .meta = log_sigmoid_meta,
          .impl = Decompose{log_sigmoid_forward},
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> "
                    "Tensor",
          .doc = "Derivative of logit.",
          .meta = meta::elementwise_floating_only,
          .impl = Pointwise{logit_backward},
          .samples = {.calls = kLogitSample}},
    composite("aten.rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, "
              "Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor",
              "Derivative of rrelu, whose slopes are the noise.", rrelu_backward,
              {.calls = kRreluSample}),
};

}  // namespace

std::span<const OpDef> activation_backward_ops() { return kOps; }

}  // namespace litz::ops
