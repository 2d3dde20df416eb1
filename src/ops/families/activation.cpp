// Activations: pointwise nonlinearities that keep the shape of their input, and their derivatives.

#include <array>
#include <cmath>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families/clamp_bounds.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::Scalar;

// The parameters of the self-normalising network paper: mean 0 and variance 1 are a fixed point.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;
// 0.044715 belongs to the published fit of gelu by tanh; another value would change trained models.
constexpr double kGeluCubic = 0.044715;
constexpr double kGeluScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)

Scalar logistic(Scalar x) { return 1 / (1 + exp(-x)); }

constexpr std::string_view kSiluCalls[] = {"(f32[2, 3])", "(c64[3])"};

constexpr OpDef floating_activation(ir::SchemaText schema, std::string_view doc,
                                    Scalar (*body)(const PointwiseCall&),
                                    std::span<const std::string_view> calls = {},
                                    Meta meta = meta::floating_only) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .inplace = true,
          .held = "lambd",
          .held_wide = "alpha scale input_scale negative_slope",
          .samples = {.lo = -6, .hi = 6, .calls = calls}};
}

constexpr OpDef backward(ir::SchemaText schema, std::string_view doc,
                         Scalar (*body)(const PointwiseCall&),
                         std::span<const std::string_view> calls = {},
                         Meta meta = meta::elementwise_floating_only) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::inputs,
          .impl = Pointwise{body},
          .samples = {.lo = -6, .hi = 6, .calls = calls}};
}

// elu and similar functions: linear on the right, a scaled exponential on the left.
Scalar exponential_linear(Scalar x, double right, double left, double inner) {
  return select(x < 0, expm1(x * inner) * left, x * right);
}

Scalar celu(const PointwiseCall& call) {
  const double alpha = call.real("alpha");
  return exponential_linear(call["self"], 1, alpha, 1 / alpha);
}

TensorType celu_meta(const Call& call) {
  require(call.real("alpha") != 0, "celu C1: alpha must not be 0");
  return meta::floating_only(call);
}

Scalar elu(const PointwiseCall& call) {
  const double scale = call.real("scale");
  return exponential_linear(call["self"], scale, call.real("alpha") * scale,
                            call.real("input_scale"));
}

Scalar elu_backward(const PointwiseCall& call) {
  const Scalar grad = call["grad_output"];
  const Scalar x = call["self_or_result"];
  const double scale = call.real("scale");
  const double left = call.real("alpha") * scale;
  const double inner = call.real("input_scale");
  const Scalar negative =
      call.flag("is_result") ? grad * inner * (x + left) : grad * (inner * left) * exp(x * inner);
  return select(x <= 0, negative, grad * scale);
}

Scalar selu(const PointwiseCall& call) {
  return exponential_linear(call["self"], kSeluScale, kSeluAlpha * kSeluScale, 1);
}

bool is_tanh_gelu(const Call& call) {
  const std::string_view mode = call.str("approximate");
  require(mode == "none" || mode == "tanh", "gelu C1: approximate must be none or tanh:", mode);
  return mode == "tanh";
}

TensorType gelu_meta(const Call& call) {
  is_tanh_gelu(call);
  return meta::floating_only(call);
}

TensorType gelu_backward_meta(const Call& call) {
  is_tanh_gelu(call);
  return meta::elementwise_floating_only(call);
}

Scalar gelu(const PointwiseCall& call) {
  const Scalar x = call["self"];
  if (!is_tanh_gelu(call)) return x * 0.5 * (1 + erf(x * (1 / std::numbers::sqrt2)));
  return 0.5 * x * (1 + tanh(kGeluScale * (x + kGeluCubic * (x * x * x))));
}

Scalar gelu_backward(const PointwiseCall& call) {
  const Scalar grad = call["grad_output"];
  const Scalar x = call["self"];
  if (!is_tanh_gelu(call)) {
    const Scalar cdf = 0.5 * (1 + erf(x * (1 / std::numbers::sqrt2)));
    const Scalar pdf = exp(-0.5 * x * x) * (kGeluScale / 2);
    return grad * (cdf + x * pdf);
  }
  const Scalar t = tanh(kGeluScale * (x + kGeluCubic * (x * x * x)));
  const Scalar inner = kGeluScale * (1 + 3 * kGeluCubic * (x * x));
  return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner);
}

// The two halves of glu's input along its dimension.
TensorType glu_meta(const Call& call) {
  TensorType half = call.type("self");
  require(half.rank() > 0, "glu C1: self must have a dimension to halve");
  const auto dim = static_cast<size_t>(call.dim("dim", half.rank()));
  require(!known_not_equal(mod(half.sizes[dim], 2), 0),
          "glu C2: the size must be even:", half.sizes[dim]);
  half.sizes[dim] = floor_div(half.sizes[dim], 2);
  const TensorType operands[] = {half, half};
  return elementwise_type(half.dtype, operands);
}

void glu(NestCall& call) {
  auto& b = call.builder();
  const TensorType& out = call.result();
  const auto dim = static_cast<size_t>(call.dim("dim", out.rank()));
  const DType compute = call.compute();
  b.loop(out.sizes, [&](Exprs i) {
    Sizes gate(i.begin(), i.end());
    gate[dim] = gate[dim] + out.sizes[dim];
    const Scalar a = b.cast(b.load(call.in("self"), i), compute);
    const Scalar x = b.cast(b.load(call.in("self"), gate), compute);
    b.store(call.out(), i, b.cast(a * logistic(x), out.dtype));
  });
}

Scalar hardshrink(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar lambd = call.rounded(call.number("lambd"));
  return select((x >= -lambd) & (x <= lambd), 0, x);
}

TensorType softshrink_meta(const Call& call) {
  const double lambd = call.real("lambd");
  require(lambd >= 0 && std::isfinite(lambd),
          "softshrink C1: lambd must be finite and not negative:", lambd);
  return meta::floating_only(call);
}

Scalar softshrink(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar lambd = call.rounded(call.number("lambd"));
  // x * 0 keeps NaN.
  return select(x > lambd, x - lambd, select(x < -lambd, x + lambd, x * 0));
}

// hardshrink and softshrink pass the gradient on where their results are not 0.
Scalar hardshrink_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar lambd = call.rounded(call.number("lambd"));
  return select((x >= -lambd) & (x <= lambd), 0, call["grad_out"]);
}

Scalar softshrink_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar lambd = call.rounded(call.number("lambd"));
  return select((x >= -lambd) & (x <= lambd), 0, call["grad_output"]);
}

// Clamps x + 3 to [0, 6].
Scalar ramp(Scalar x) { return min(max(x + 3, 0), 6); }

Scalar hardsigmoid(const PointwiseCall& call) { return ramp(call["self"]) / 6; }

// PyTorch's slope is the f32 nearest to 1/6, even for f64.
Scalar hardsigmoid_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const double slope = 1.0F / 6.0F;
  return select((x > -3) & (x < 3), call["grad_output"] * slope, 0);
}

Scalar hardswish(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return x * ramp(x) / 6;
}

Scalar hardswish_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar grad = call["grad_output"];
  return select(x <= -3, 0, select(x < 3, grad * (x / 3 + 0.5), grad));
}

TensorType hardtanh_meta(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(dtype != DType::bool_, "hardtanh C1: not for bool");
  require_bound(call, "min_val", dtype, true);
  require_bound(call, "max_val", dtype, false);
  return meta::real_like_self(call);
}

// For equal operands, min and max return the second: zeros keep self's sign.
Scalar hardtanh(const PointwiseCall& call) {
  return min(clamp_bound(call, "max_val"), max(clamp_bound(call, "min_val"), call["self"]));
}

Scalar hardtanh_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar outside = (x <= call.number("min_val")) | (x >= call.number("max_val"));
  return select(outside, 0, call["grad_output"]);
}

Scalar leaky_relu(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return select(x > 0, x, x * call.number("negative_slope"));
}

TensorType leaky_relu_backward_meta(const Call& call) {
  return elementwise_type(meta::elementwise_floating_only(call).dtype, call,
                          {"self", "grad_output"});
}

Scalar leaky_relu_backward(const PointwiseCall& call) {
  const Scalar grad = call["grad_output"];
  return select(call["self"] > 0, grad, grad * call.number("negative_slope"));
}

Scalar log_sigmoid(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return min(x, 0) - log1p(exp(-abs(x)));
}

// The buffer contains exp(-|self|) if the CPU computed it; other devices leave it empty.
TensorType log_sigmoid_backward_meta(const Call& call) {
  require_same_dtypes(call, {"self", "grad_output", "buffer"});
  TensorType type = meta::elementwise_floating_only(call);
  // Halves are computed in f32.
  type.strides =
      elementwise_type(compute_dtype(type.dtype), call, {"grad_output", "self", "buffer"}).strides;
  return type;
}

Scalar log_sigmoid_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const bool has_buffer = !known_equal(call.type("buffer").numel(), 0);
  const Scalar z = has_buffer ? call["buffer"] : exp(-abs(x));
  const Scalar ratio = z / (1 + z);
  return call["grad_output"] * select(x < 0, 1 - ratio, ratio);
}

Scalar mish(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return x * tanh(log1p(exp(x)));
}

// Computed in the common dtype and written to a tensor like self.
TensorType mish_backward_meta(const Call& call) {
  TensorType type = meta::elementwise_floating_only(call);
  require_writable(call, type.dtype, call.type("self").dtype);
  type.dtype = call.type("self").dtype;
  return type;
}

Scalar mish_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar t = tanh(log1p(exp(x)));
  return call["grad_output"] * (t + x * logistic(x) * (1 - t * t));
}

TensorType prelu_meta(const Call& call) {
  require_same_dtypes(call, {"self", "weight"});
  const TensorType& weight = call.type("weight");
  require(weight.rank() <= 1,
          "prelu C1: weight must be a number or one number per channel:", weight);
  const TensorType& self = call.type("self");
  const Expr channels = self.rank() > 1 ? self.sizes[1] : Expr(1);
  require(known_equal(weight.numel(), Expr(1)) || !known_not_equal(weight.numel(), channels),
          "prelu C1: weight must be a number or one number per channel:", weight, self);
  return meta::floating_only(call);
}

void prelu(NestCall& call) {
  auto& b = call.builder();
  const TensorType& out = call.result();
  const TensorType& weight = call.type("weight");
  const size_t channel = out.rank() > 1 ? 1 : 0;
  const DType compute = call.compute();
  b.loop(out.sizes, [&](Exprs i) {
    Sizes at;
    if (weight.rank() == 1) at.push_back(weight.sizes[0].is(1) ? Expr(0) : i[channel]);
    const Scalar x = b.cast(b.load(call.in("self"), i), compute);
    const Scalar slope = b.cast(b.load(call.in("weight"), at), compute);
    b.store(call.out(), i, b.cast(select(x > 0, x, x * slope), out.dtype));
  });
}

TensorType prelu_kernel_meta(const Call& call) {
  require_same_dtypes(call, {"self", "weight"});
  TensorType type = meta::elementwise_floating_only(call);
  const TensorType& self = call.type("self");
  if (type.sizes == self.sizes) type.strides = preserved_type(self.dtype, self, {}).strides;
  return type;
}

Scalar prelu_kernel(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return select(x > 0, x, x * call["weight"]);
}

TensorType relu_meta(const Call& call) {
  require(call.type("self").dtype != DType::bool_, "relu C1: not for bool");
  return meta::real_like_self(call);
}

Scalar relu(const PointwiseCall& call) { return max(call.constant(0), call["self"]); }

Scalar relu6(const PointwiseCall& call) {
  return min(call.constant(6), max(call.constant(0), call["self"]));
}

Scalar sigmoid(const PointwiseCall& call) { return logistic(call["self"]); }

TensorType holomorphic_meta(const Call& call) {
  const TensorType type = meta::elementwise(call);
  return is_complex(type.dtype) ? type : meta::elementwise_floating_only(call);
}

// The factor of a gradient in the derivative of a holomorphic function.
Scalar adjoint(Scalar slope) { return is_complex(slope.dtype()) ? conj(slope) : slope; }

Scalar sigmoid_backward(const PointwiseCall& call) {
  const Scalar y = call["output"];
  if (is_complex(y.dtype())) return call["grad_output"] * conj((1 - y) * y);
  // From the left, so that small gradients of large results do not overflow on the way.
  return call["grad_output"] * (1 - y) * y;
}

TensorType silu_meta(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(is_floating(dtype) || is_complex(dtype), "silu is not for integers:", name(dtype));
  return meta::like_self(call);
}

Scalar silu(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return x / (1 + exp(-x));
}

Scalar silu_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar s = logistic(x);
  return call["grad_output"] * s * (1 + x * (1 - s));
}

Scalar softplus(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const double beta = call.real("beta");
  const Scalar scaled = x * beta;
  return select(scaled > call.real("threshold"), x, log1p(exp(scaled)) / beta);
}

Scalar softplus_backward(const PointwiseCall& call) {
  const Scalar grad = call["grad_output"];
  const Scalar scaled = call["self"] * call.real("beta");
  const Scalar z = exp(scaled);
  return select(scaled > call.real("threshold"), grad, grad * z / (z + 1));
}

Scalar tanh_body(const PointwiseCall& call) { return tanh(call["self"]); }

Scalar tanh_backward(const PointwiseCall& call) {
  const Scalar y = call["output"];
  return call["grad_output"] * adjoint(1 - y * y);
}

Scalar threshold(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return select(x <= call.number("threshold"), call.number("value"), x);
}

TensorType threshold_backward_meta(const Call& call) {
  return elementwise_type(meta::elementwise_real(call).dtype, call, {"self", "grad_output"});
}

Scalar threshold_backward(const PointwiseCall& call) {
  return select(call["self"] <= call.number("threshold"), call.constant(0), call["grad_output"]);
}

constexpr std::string_view kGeluCalls[] = {"(f32[2, 3])", "(bf16[2, 3], approximate='tanh')"};
constexpr std::string_view kGeluBackwardCalls[] = {"(f32[2, 3], f32[2, 3])",
                                                   "(f32[2, 3], f32[2, 3], approximate='tanh')"};
constexpr std::string_view kGluCalls[] = {"(f32[2, 6])", "(bf16[4, 3], dim=0)"};
constexpr std::string_view kHardtanhCalls[] = {"(f32[2, 3])", "(i64[4], -2, 2)"};
constexpr std::string_view kPreluCalls[] = {"(f32[2, 3, 4], f32[3])", "(f32[5], f32[1])"};
constexpr std::string_view kReluCalls[] = {"(f32[2, 3])", "(i64[4])", "(bf16[s0, 4])"};
constexpr std::string_view kThresholdCalls[] = {"(f32[2, 3], 1, 20)", "(i64[4], 1, 2)"};
constexpr std::string_view kEluBackwardCalls[] = {"(f32[2, 3], 1.5, 1, 1, False, f32[2, 3])",
                                                  "(f32[2, 3], 1.5, 1, 1, True, f32[2, 3])"};
constexpr std::string_view kLeakyBackwardCalls[] = {"(f32[2, 3], f32[2, 3], 0.1, False)"};

constexpr std::array kOps{
    OpDef{.schema = "aten._prelu_kernel(Tensor self, Tensor weight) -> Tensor",
          .doc = "self where positive, else self * weight.",
          .meta = prelu_kernel_meta,
          .impl = Pointwise{prelu_kernel}},
    OpDef{.schema = "aten.celu(Tensor self, Scalar alpha=1.0) -> Tensor",
          .doc = "elu that is smooth for every alpha: alpha * expm1(self / alpha) below 0.\n"
                 "C1: alpha is not 0.",
          .meta = celu_meta,
          .impl = Pointwise{celu},
          .inplace = true,
          .samples = {}},
    floating_activation("aten.elu(Tensor self, Scalar alpha=1, Scalar scale=1, "
                        "Scalar input_scale=1) -> Tensor",
                        "Exponential linear unit: alpha * expm1(self) below 0.", elu),
    backward("aten.elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, "
             "Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor",
             "Derivative of elu.", elu_backward, kEluBackwardCalls),
    OpDef{.schema = "aten.gelu(Tensor self, *, str approximate='none') -> Tensor",
          .doc = "Gaussian error linear unit: self * P(N(0, 1) <= self).\n"
                 "C1: approximate is 'none' (exact, by erf) or 'tanh'.",
          .meta = gelu_meta,
          .impl = Pointwise{gelu},
          .inplace = true,
          .samples = {.lo = -6, .hi = 6, .calls = kGeluCalls}},
    OpDef{.schema = "aten.gelu_backward(Tensor grad_output, Tensor self, *, "
                    "str approximate='none') -> Tensor",
          .doc = "Derivative of gelu.",
          .meta = gelu_backward_meta,
          .impl = Pointwise{gelu_backward},
          .samples = {.lo = -6, .hi = 6, .calls = kGeluBackwardCalls}},
    OpDef{.schema = "aten.glu(Tensor self, int dim=-1) -> Tensor",
          .doc = "Gated linear unit: the first half times the sigmoid of the second.\n"
                 "C1: self has a dimension. C2: its size is even.",
          .meta = glu_meta,
          .impl = LoopNest{glu},
          .samples = {.calls = kGluCalls}},
    floating_activation("aten.hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
                        "0 within [-lambd, lambd], else self.", hardshrink),
    backward("aten.hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
             "Derivative of hardshrink.", hardshrink_backward),
    floating_activation("aten.hardsigmoid(Tensor self) -> Tensor",
                        "Piecewise linear sigmoid: relu6(self + 3) / 6.", hardsigmoid),
    backward("aten.hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
             "Derivative of hardsigmoid.", hardsigmoid_backward),
    floating_activation("aten.hardswish(Tensor self) -> Tensor", "self * hardsigmoid(self).",
                        hardswish),
    backward("aten.hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
             "Derivative of hardswish.", hardswish_backward),
    OpDef{.schema = "aten.hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
          .doc = "Clamps to [min_val, max_val].\nC1: not for bool.",
          .meta = hardtanh_meta,
          .impl = Pointwise{hardtanh},
          .inplace = true,
          .samples = {.calls = kHardtanhCalls}},
    backward("aten.hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, "
             "Scalar max_val) -> Tensor",
             "Derivative of hardtanh.", hardtanh_backward),
    floating_activation("aten.leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
                        "self where positive, else negative_slope * self.", leaky_relu),
    backward("aten.leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, "
             "bool self_is_result) -> Tensor",
             "Derivative of leaky_relu.", leaky_relu_backward, kLeakyBackwardCalls,
             leaky_relu_backward_meta),
    floating_activation("aten.log_sigmoid(Tensor self) -> Tensor",
                        "log(sigmoid(self)), accurate for large magnitudes.", log_sigmoid),
    backward("aten.log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
             "Derivative of log_sigmoid from the buffer that log_sigmoid_forward made.",
             log_sigmoid_backward, {}, log_sigmoid_backward_meta),
    floating_activation("aten.mish(Tensor self) -> Tensor", "self * tanh(softplus(self)).", mish),
    backward("aten.mish_backward(Tensor grad_output, Tensor self) -> Tensor", "Derivative of mish.",
             mish_backward, {}, mish_backward_meta),
    OpDef{.schema = "aten.prelu(Tensor self, Tensor weight) -> Tensor",
          .doc = "leaky_relu with a slope per channel (dimension 1).\n"
                 "C1: weight has at most one dimension.",
          .meta = prelu_meta,
          .impl = LoopNest{prelu},
          .samples = {.calls = kPreluCalls}},
    OpDef{.schema = "aten.relu(Tensor self) -> Tensor",
          .doc = "The positive part; keeps NaN.\nC1: not for bool.",
          .meta = relu_meta,
          .impl = Pointwise{relu},
          .inplace = true,
          .samples = {.calls = kReluCalls}},
    OpDef{.schema = "aten.relu6(Tensor self) -> Tensor",
          .doc = "Clamps to [0, 6].\nC1: not for bool.",
          .meta = relu_meta,
          .impl = Pointwise{relu6},
          .inplace = true,
          .samples = {.lo = -4, .hi = 10}},
    floating_activation("aten.selu(Tensor self) -> Tensor", "Self-normalising elu.", selu),
    OpDef{.schema = "aten.sigmoid(Tensor self) -> Tensor",
          .doc = "1 / (1 + exp(-self)).",
          .meta = meta::floating_like_self,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{sigmoid},
          .inplace = true},
    backward("aten.sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
             "Derivative of sigmoid, from its result.", sigmoid_backward, {}, holomorphic_meta),
    OpDef{.schema = "aten.silu(Tensor self) -> Tensor",
          .doc = "Sigmoid-weighted linear unit: self * sigmoid(self).",
          .meta = silu_meta,
          .impl = Pointwise{silu},
          .inplace = true,
          .samples = {.lo = -6, .hi = 6, .calls = kSiluCalls}},
    backward("aten.silu_backward(Tensor grad_output, Tensor self) -> Tensor", "Derivative of silu.",
             silu_backward, {}, holomorphic_meta),
    floating_activation("aten.softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
                        "log(1 + exp(beta self)) / beta; self where beta self > threshold.",
                        softplus),
    backward("aten.softplus_backward(Tensor grad_output, Tensor self, Scalar beta, "
             "Scalar threshold) -> Tensor",
             "Derivative of softplus.", softplus_backward),
    floating_activation("aten.softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
                        "0 within [-lambd, lambd], else self moved towards 0 by lambd.\n"
                        "C1: lambd is finite and not negative.",
                        softshrink, {}, softshrink_meta),
    backward("aten.softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
             "Derivative of softshrink.", softshrink_backward),
    OpDef{.schema = "aten.tanh(Tensor self) -> Tensor",
          .doc = "Hyperbolic tangent.",
          .meta = meta::floating_like_self,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{tanh_body},
          .inplace = true},
    backward("aten.tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
             "Derivative of tanh, from its result.", tanh_backward, {}, holomorphic_meta),
    OpDef{.schema = "aten.threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
          .doc = "self where greater than threshold, else value.",
          .meta = meta::real_like_self,
          .impl = Pointwise{threshold},
          .inplace = true,
          .held = "value",
          .held_wide = "threshold",
          .samples = {.calls = kThresholdCalls}},
    OpDef{.schema = "aten.threshold_backward(Tensor grad_output, Tensor self, "
                    "Scalar threshold) -> Tensor",
          .doc = "Derivative of threshold: passes the gradient where self > threshold.",
          .meta = threshold_backward_meta,
          .impl = Pointwise{threshold_backward}},
};

}  // namespace

std::span<const OpDef> activation_ops() { return kOps; }

}  // namespace litz::ops
