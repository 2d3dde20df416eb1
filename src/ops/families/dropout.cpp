// Dropout: elements, or whole channels, that are zeroed at random while training.

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/random_families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Scalar;

bool drops(const Call& call) {
  return call.has("train") && call.flag("train") && call.real("p") > 0;
}

void require_probability(const Call& call) {
  const double p = call.real("p");
  require(p >= 0 && p <= 1, "a dropout probability lies in [0, 1], got", p);
}

TensorType dropout_meta(const Call& call) {
  require_probability(call);
  const TensorType& input = call.type("input");
  require(!drops(call) || is_floating(input.dtype) || is_complex(input.dtype),
          "what is dropped is scaled, so it must be real or complex:", call.op().name(),
          name(input.dtype));
  // Outside training the result is the input itself.
  return drops(call) ? preserved_type(input.dtype, input, MemoryFormat::preserve) : input;
}

// Whole channels drop together: the mask has size 1 in every later dimension.
bool by_channel(const Call& call) {
  return call.op().name().find("feature") != std::string_view::npos;
}

ir::Value keep_mask(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  ir::Scalars sizes = input.sizes;
  if (by_channel(call)) {
    require(sizes.size() >= 2, "feature dropout needs rank 2 or more, got", sizes.size());
    std::fill(sizes.begin() + 2, sizes.end(), Expr(1));
  }
  const ir::Value zeros =
      call.aten("zeros", {ir::Attribute(sizes), ir::Attribute(compute_dtype(input.dtype))});
  return call.aten("bernoulli.p", {zeros, Expr::real(1 - call.real("p"))});
}

std::vector<ir::Value> dropout(DecomposeCall& call) {
  if (!drops(call)) return {call["input"]};
  const double p = call.real("p");
  const DType dtype = call.type("input").dtype;
  if (p == 1) return {call.aten("mul.Scalar", {call["input"], Expr::real(0)})};
  const ir::Value scaled = call.aten("mul.Scalar", {keep_mask(call), Expr::real(1 / (1 - p))});
  return {call.to(call.aten("mul.Tensor", {call["input"], scaled}), dtype)};
}

// Keeps mean and variance of inputs with mean 0 and variance 1: dropped elements become the
// negative saturation value of SELU, and the result is rescaled (Klambauer et al., 2017).
std::vector<ir::Value> alpha_dropout(DecomposeCall& call) {
  if (!drops(call)) return {call["input"]};
  constexpr double kAlpha = 1.7580993408473766;
  const double p = call.real("p");
  const DType dtype = call.type("input").dtype;
  if (p == 1) return {call.aten("mul.Scalar", {call["input"], Expr::real(0)})};
  const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const ir::Value mask = keep_mask(call);
  const ir::Value kept = call.aten("mul.Tensor", {call["input"], mask});
  // Dropped elements: -alpha, kept ones: unchanged; then the affine correction.
  const ir::Value filler =
      call.aten("mul.Scalar", {call.aten("sub.Scalar", {mask, Expr::real(1)}), Expr::real(kAlpha)});
  const ir::Value mixed = call.aten("add.Tensor", {kept, filler});
  const ir::Value scaled = call.aten("mul.Scalar", {mixed, Expr::real(a)});
  return {call.to(call.aten("add.Scalar", {scaled, Expr::real(kAlpha * a * p)}), dtype)};
}

bool always_drops(const Call& call) { return !call.has("train") || call.flag("train"); }

Types native_dropout_meta(const Call& call) {
  require_probability(call);
  const DType dtype = call.type("input").dtype;
  require(!always_drops(call) || is_floating(dtype) || is_complex(dtype),
          "what is dropped is scaled, so it must be real or complex:", call.op().name(),
          name(dtype));
  const TensorType& input = call.type("input");
  TensorType mask = preserved_type(DType::bool_, input, MemoryFormat::preserve);
  return {preserved_type(input.dtype, input, MemoryFormat::preserve), mask};
}

std::vector<ir::Value> native_dropout(DecomposeCall& call) {
  const ir::Value input = call["input"];
  if (!always_drops(call)) {
    const ir::Value ones = call.aten("ones_like", {input, ir::Attribute(DType::bool_)});
    return {call.aten("clone", {input}), ones};
  }
  const double p = call.real("p");
  const ir::Value mask = keep_mask(call);
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  const ir::Value scaled = call.aten("mul.Scalar", {mask, Expr::real(scale)});
  return {call.to(call.aten("mul.Tensor", {input, scaled}), input.tensor().dtype),
          call.to(mask, DType::bool_)};
}

TensorType native_dropout_backward_meta(const Call& call) {
  const TensorType& grad = call.type("grad_output");
  const TensorType& mask = call.type("mask");
  require(is_complex(grad.dtype) || !is_complex(mask.dtype),
          "native_dropout_backward C1: a mask of real gradients is real:", mask, grad);
  // The scale is a float and promotes integers.
  TensorType type = joined_type(grad.dtype, grad, mask);
  type.dtype = floating_dtype(grad.dtype);
  return type;
}

Scalar native_dropout_backward(const PointwiseCall& call) {
  const DType dtype = promoted_dtype(call, {"grad_output", "mask"});
  if (is_integer(dtype)) {  // The product wraps; only the scale is a real number.
    const Scalar kept = call.as("grad_output", dtype) * call.as("mask", dtype);
    return call.builder().cast(kept, call.compute()) * call.real("scale");
  }
  return call.rounded(call["grad_output"] * call["mask"]) * call.real("scale");
}

constexpr std::array kDropoutSample{"(f32[2, 3], 0.5, False)"sv, "(f32[2, 3], 0.5, True)"sv};
constexpr std::array kDropoutBackwardSample{"(f32[2, 3], bool[2, 3], 2.0)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.alpha_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Dropout that keeps mean and variance of SELU networks.",
          .meta = dropout_meta,
          .impl = Decompose{alpha_dropout},
          .traits = ir::Trait::random,
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "In training: zero with probability p, else scaled by 1 / (1 - p).",
          .meta = dropout_meta,
          .impl = Decompose{dropout},
          .traits = ir::Trait::random,
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Alpha dropout of whole channels.",
          .meta = dropout_meta,
          .impl = Decompose{alpha_dropout},
          .traits = ir::Trait::random,
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.feature_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Dropout of whole channels.",
          .meta = dropout_meta,
          .impl = Decompose{dropout},
          .traits = ir::Trait::random,
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
          .doc = "Dropout and the mask of what was kept.",
          .meta = native_dropout_meta,
          .impl = Decompose{native_dropout},
          .traits = ir::Trait::random,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> "
                    "Tensor",
          .doc = "grad_output * mask * scale.",
          .meta = native_dropout_backward_meta,
          .impl = Pointwise{native_dropout_backward},
          .samples = {.calls = kDropoutBackwardSample}},
};

}  // namespace

std::span<const OpDef> dropout_ops() { return kOps; }

}  // namespace litz::ops
