// Fake quantization, which quantizes and dequantizes in one step for training: masks of unclamped
// elements, and derivatives by scale and zero point if these are learned.
//
// An integer zero point is added after rounding. A fractional one is added before, fused with the
// product, also in the derivatives.

#include <array>
#include <cmath>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

/// The quantization of a call's elements, in the compute dtype.
struct Affine {
  Scalar scale;  ///< f32
  Scalar inverse;
  Scalar zero_point;
  bool is_fraction = false;
};

struct Quantized {
  Scalar whole;  ///< Before clamping; minus infinity if it is not representable.
  Scalar clamped;
  Scalar inside;
};

DType compute_of(const Call& call) { return compute_dtype(call.type("self").dtype); }

bool by_channel(const Call& call) { return call.op().schema.find("axis") >= 0; }

Scalar clamped(const Call& call, Scalar q) {
  KernelBuilder& b = q.builder();
  const auto bound = [&](const char* name) { return b.constant(q.dtype(), call.real(name)); };
  return fmin(fmax(q, bound("quant_min")), bound("quant_max"));
}

// Parameter tensors have an element per channel, or only their first one is used.
Scalar parameter(NestCall& call, std::string_view name, Exprs i) {
  KernelBuilder& b = call.builder();
  const TensorType& type = call.type(name);
  if (type.rank() == 0) return b.load(call.in(name), Exprs());
  // Per channel: the zero point must be a representable integer.
  const Expr place =
      by_channel(call) ? i[static_cast<size_t>(call.dim("axis", i.size()))] : Expr(0);
  return b.load(call.in(name), {place});
}

bool is_learned(const Call& call) {
  return call.op().name().find("learnable") != std::string_view::npos;
}

Scalar scale_at(NestCall& call, Exprs i) {
  KernelBuilder& b = call.builder();
  if (!call.is_tensor("scale")) return b.constant(DType::f32, call.real("scale"));
  return b.cast(parameter(call, "scale", i), DType::f32);
}

Affine affine_at(NestCall& call, Exprs i) {
  KernelBuilder& b = call.builder();
  const DType compute = compute_of(call);
  Affine affine;
  affine.scale = scale_at(call, i);
  affine.inverse = b.cast(1 / affine.scale, compute);
  if (!call.is_tensor("zero_point")) {
    affine.zero_point = b.constant(compute, call.real("zero_point"));
    return affine;
  }
  const Scalar given = parameter(call, "zero_point", i);
  affine.is_fraction = is_floating(given.dtype()) && by_channel(call) && !is_learned(call);
  Scalar whole = b.cast(given, compute_dtype(given.dtype()));
  if (by_channel(call) && !is_learned(call) && !is_floating(given.dtype())) {
    const int64_t low = call.integer("quant_min");
    const Expr count(call.integer("quant_max") - low + 1);
    whole = b.bound_index(b.cast(whole, DType::i64) - low, count, false,
                          "a zero point, counted from quant_min,") +
            low;
  }
  // Learned zero points are rounded and clamped; otherwise, without channels, the integer part is
  // used.
  if (is_learned(call)) {
    whole = clamped(call, is_floating(given.dtype()) ? round_even(whole) : b.cast(whole, compute));
  } else if (is_floating(given.dtype()) && !affine.is_fraction) {
    whole = trunc(whole);
  }
  affine.zero_point = b.cast(whole, compute);
  return affine;
}

Quantized quantized(const Call& call, const Affine& affine, Scalar x, bool rounds_last) {
  KernelBuilder& b = x.builder();
  const Scalar exact = rounds_last ? round_even(fma(x, affine.inverse, affine.zero_point))
                                   : round_even(x * affine.inverse) + affine.zero_point;
  // With channels, PyTorch converts to 64-bit integers, where too large values become the smallest
  // one.
  Quantized q{exact, {}, {}};
  if (by_channel(call) || rounds_last) {
    const Scalar fits = abs(exact) < 0x1p63;
    q.whole = select(fits, exact, -std::numeric_limits<double>::infinity());
  }
  q.clamped = clamped(call, q.whole);
  const auto bound = [&](const char* name) { return b.constant(q.whole.dtype(), call.real(name)); };
  q.inside = (q.whole >= bound("quant_min")) & (q.whole <= bound("quant_max"));
  return q;
}

// The number that a quantized one represents: computed in f64 for fractional zero points, in f32
// for one scale for all channels.
Scalar dequantized(const Call& call, const Affine& affine, Scalar q) {
  KernelBuilder& b = q.builder();
  const DType whole = by_channel(call) ? q.dtype() : DType::f32;
  const DType wide = affine.is_fraction ? DType::f64 : whole;
  return (b.cast(q, wide) - b.cast(affine.zero_point, wide)) * b.cast(affine.scale, wide);
}

// --- forward ---

void require_channels(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& scale = call.type("scale");
  const TensorType& zero_point = call.type("zero_point");
  require(call.integer("axis") >= 0,
          "fake quantization C3: the axis must not be negative:", call.integer("axis"));
  require(self.rank() > 0, "fake quantization C3: channels are along a dimension:", self);
  const Expr count = self.sizes[static_cast<size_t>(call.dim("axis", self.rank()))];
  require(scale.rank() == 1 && zero_point.rank() == 1 && !known_not_equal(scale.numel(), count) &&
              !known_not_equal(zero_point.numel(), count),
          "fake quantization C3: one scale and zero point per channel:", scale, zero_point, count);
  if (call.op().schema.find("grad") >= 0) return;
  require(scale.dtype == DType::f32, "fake quantization C5: scales of channels are f32:", scale);
  require(is_learned(call) || zero_point.dtype == DType::i32 || zero_point.dtype == DType::f32 ||
              zero_point.dtype == DType::f16,
          "fake quantization C5: zero points of channels are i32, f32 or f16:", zero_point);
}

void require_parameters(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_floating(self.dtype), "fake quantization C1: of floating tensors:", self);
  require(call.integer("quant_min") <= call.integer("quant_max"),
          "fake quantization C2: the range of integers is not empty:", call.integer("quant_min"),
          call.integer("quant_max"));
  if (by_channel(call)) require_channels(call);
  if (call.op().schema.find("fake_quant_enabled") >= 0) {
    const TensorType& enabled = call.type("fake_quant_enabled");
    call.require_sizes(eq(enabled.numel(), 1),
                       "fake quantization C3: there is one switch:", enabled);
    require(!is_complex(enabled.dtype),
            "fake quantization C3: a switch is a real number:", enabled);
  }
  for (const char* name : {"scale", "zero_point"}) {
    if (!call.is_tensor(name) || by_channel(call)) continue;
    const TensorType& type = call.type(name);
    const bool fits = is_learned(call) ? type.rank() == 1 && !known_equal(type.numel(), Expr(0))
                                       : !known_not_equal(type.numel(), Expr(1));
    require(type.rank() <= 1 && fits && !is_complex(type.dtype),
            "fake quantization C3: one scale and zero point, or one per channel, real numbers:",
            name, type);
  }
  if (call.is_tensor("zero_point")) return;
  const int64_t zero_point = call.integer("zero_point");
  require(call.integer("quant_min") <= zero_point && zero_point <= call.integer("quant_max"),
          "fake quantization C4: the zero point is one of the integers:", zero_point,
          call.integer("quant_min"), call.integer("quant_max"));
}

TensorType same_type(const Call& call) {
  require_parameters(call);
  const TensorType operands[] = {call.type("self")};
  return elementwise_type(operands[0].dtype, operands);
}

Types with_mask(const Call& call) {
  TensorType type = same_type(call);
  TensorType mask = type;
  mask.dtype = DType::bool_;
  return {type, mask};
}

void fake_quantize(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType compute = compute_of(call);
  const bool gives_mask = call.op().schema.returns.size() == 2;
  const bool has_switch = call.op().schema.find("fake_quant_enabled") >= 0;
  b.loop(call.result().sizes, [&](Exprs i) {
    const Scalar given = b.load(call.in("self"), i);
    const Affine affine = affine_at(call, i);
    const Quantized q = quantized(call, affine, b.cast(given, compute), affine.is_fraction);
    Scalar value = b.cast(dequantized(call, affine, q.clamped), call.result().dtype);
    Scalar inside = q.inside;
    if (has_switch) {
      const TensorType& type = call.type("fake_quant_enabled");
      const Sizes first(type.rank(), Expr(0));
      const Scalar is_on =
          b.cast(b.load(call.in("fake_quant_enabled"), Exprs(first)), DType::i64) != 0;
      value = select(is_on, value, given);
      inside = inside | !is_on;
    }
    b.store(call.out(0), i, value);
    if (gives_mask) b.store(call.out(1), i, inside);
  });
}

void require_same_sizes(const Call& call, const TensorType& a, const TensorType& b) {
  require(a.rank() == b.rank(), "fake quantization has a gradient per element:", a, b);
  for (size_t d = 0; d < a.rank(); ++d) {
    call.require_sizes(eq(a.sizes[d], b.sizes[d]),
                       "fake quantization has a gradient per element:", a, b);
  }
}

TensorType masked_meta(const Call& call) {
  const TensorType& gradient = call.type("grad");
  const TensorType& mask = call.type("mask");
  require(mask.dtype == DType::bool_, "a mask of fake quantization is bool:", mask);
  require_same_sizes(call, mask, gradient);
  return joined_type(gradient.dtype, gradient, mask);
}

Scalar masked(const PointwiseCall& call) {
  return call.as("grad", call.compute()) * call.as("mask", call.compute());
}

// --- learned scales and zero points ---

// For an empty tensor, PyTorch returns it, the scales and the zero points themselves.
bool is_nothing(const Call& call) { return known_equal(call.type("self").numel(), Expr(0)); }

Types learned_meta(const Call& call) {
  require_parameters(call);
  const TensorType& gradient = call.type("grad");
  const TensorType& self = call.type("self");
  require_same_sizes(call, gradient, self);
  require(call.integer("quant_min") <= 0 && 0 <= call.integer("quant_max"),
          "fake quantization C2: the integers of learned parameters include 0:",
          call.integer("quant_min"), call.integer("quant_max"));
  const auto is_f32 = [&](const char* name) { return call.type(name).dtype == DType::f32; };
  require(self.dtype == DType::bf16 ||
              (is_f32("self") && is_f32("grad") && is_f32("scale") && is_f32("zero_point")),
          "fake quantization C6: derivatives by learned parameters are of f32 throughout, or of a "
          "bf16 tensor:",
          gradient, self, call.type("scale"), call.type("zero_point"));
  const Expr count =
      by_channel(call) ? self.sizes[static_cast<size_t>(call.dim("axis", self.rank()))] : Expr(1);
  const TensorType scales = contiguous_type(DType::f32, {count}, self.device);
  const TensorType operands[] = {self};
  if (is_nothing(call)) {
    const auto same = [&](const char* name) {
      TensorType type = call.type(name);
      type.offset = 0;
      return type;
    };
    return {same("self"), same("scale"), same("zero_point")};
  }
  return {elementwise_type(DType::f32, operands), scales, scales};
}

/// The contributions of one element to its own gradient and those of scale and zero point.
struct Shares {
  Scalar own;
  Scalar scale;
  Scalar zero_point;
};

Shares shares_at(NestCall& call, Exprs i) {
  KernelBuilder& b = call.builder();
  const Affine affine = affine_at(call, i);
  const Scalar x = b.cast(b.load(call.in("self"), i), DType::f32);
  const Scalar gradient = b.cast(b.load(call.in("grad"), i), DType::f32);
  const Quantized q = quantized(call, affine, x, true);
  const double factor = call.real("grad_factor");
  const Scalar error = fma(q.clamped - affine.zero_point, affine.scale, -x) * affine.inverse;
  const Scalar by_scale = select(q.inside, error, q.clamped - affine.zero_point);
  return {gradient * b.cast(q.inside, DType::f32), gradient * by_scale * factor,
          select(q.inside, 0.0, -affine.scale * gradient * factor)};
}

void learned_backward(NestCall& call) {
  KernelBuilder& b = call.builder();
  if (is_nothing(call)) {
    const auto pass_on = [&](const char* name, size_t result) {
      b.loop(call.type(name).sizes,
             [&](Exprs place) { b.store(call.out(result), place, b.load(call.in(name), place)); });
    };
    pass_on("scale", 1);
    pass_on("zero_point", 2);
    return;
  }
  const Sizes& sizes = call.type("self").sizes;
  b.loop(sizes, [&](Exprs i) { b.store(call.out(0), i, shares_at(call, i).own); });
  Sizes outer{Expr(1)};
  Sizes inner = sizes;
  const auto axis = by_channel(call) ? static_cast<size_t>(call.dim("axis", sizes.size())) : 0;
  if (by_channel(call)) {
    outer = {sizes[axis]};
    inner.erase(inner.begin() + static_cast<ptrdiff_t>(axis));
  }
  b.loop(outer, [&](Exprs channel) {
    const auto total = [&](Scalar Shares::*share) {
      return b.reduce(ReduceKind::sum, inner, [&](Exprs rest) {
        Sizes i(rest.begin(), rest.end());
        if (by_channel(call)) i.insert(i.begin() + static_cast<ptrdiff_t>(axis), channel[0]);
        return shares_at(call, i).*share;
      });
    };
    b.store(call.out(1), channel, total(&Shares::scale));
    b.store(call.out(2), channel, total(&Shares::zero_point));
  });
}

constexpr std::array kTensorSample{"(f32[2, 3], 0.1, 2, -20, 20)"sv, "(bf16[s0], 0.1, 2, 0, 20)"sv};
constexpr std::array kTensorParametersSample{
    "(f32[2, 3], f32[1] in [0.1, 0.2), i32[1] in [0, 3), -20, 20)"sv};
constexpr std::array kSwitchSample{
    "(f32[2, 3], f32[1] in [0.1, 0.2), i32[1] in [0, 3), i64[1] in [0, 2), -20, 20)"sv};
constexpr std::array kChannelSample{
    "(f32[2, 3], f32[3] in [0.1, 0.2), i32[3] in [0, 3), 1, -20, 20)"sv,
    "(f16[s0, 3], f32[s0] in [0.1, 0.2), f32[s0] in [0, 3), 0, -20, 20)"sv};
constexpr std::array kMaskSample{"(f32[2, 3], bool[2, 3])"sv};
constexpr std::array kLearnedSample{
    "(f32[2, 3], f32[1] in [0.1, 0.2), f32[1] in [0, 3), -20, 20)"sv};
constexpr std::array kLearnedChannelSample{
    "(f32[2, 3], f32[3] in [0.1, 0.2), f32[3] in [0, 3), 1, -20, 20)"sv};
constexpr std::array kLearnedBackwardSample{
    "(f32[2, 3], f32[2, 3], f32[1] in [0.1, 0.2), f32[1] in [0, 3), -20, 20, 0.5)"sv};
constexpr std::array kLearnedChannelBackwardSample{
    "(f32[2, 3], f32[2, 3], f32[3] in [0.1, 0.2), f32[3] in [0, 3), 1, -20, 20)"sv};

constexpr std::string_view kDoc =
    "Quantized and dequantized again.\n"
    "C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero "
    "point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels "
    "are f32, zero points i32, f32 or f16.";
constexpr std::string_view kMaskDoc =
    "Quantized and dequantized again, and where nothing was clamped.\nC1 to C5 as without a mask.";
constexpr std::string_view kBackwardDoc = "The gradient where nothing was clamped, else 0.";
constexpr std::string_view kLearnedDoc =
    "Derivative by the tensor, its scales and its zero points.\n"
    "C1 to C5 as forward. C6: all is f32, or the tensor is bf16.";

constexpr OpDef nest(ir::SchemaText schema, std::string_view doc, Meta meta,
                     void (*build)(NestCall&), std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = LoopNest{build},
          .samples = {.calls = calls}};
}

constexpr OpDef mask_backward(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = kBackwardDoc,
          .meta = masked_meta,
          .impl = Pointwise{masked},
          .samples = {.calls = kMaskSample}};
}

constexpr std::array kOps{
    nest("aten._fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor "
         "zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor",
         kDoc, same_type, fake_quantize, kLearnedChannelSample),
    nest("aten._fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, "
         "Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float "
         "grad_factor=1.0) -> (Tensor, Tensor, Tensor)",
         kLearnedDoc, learned_meta, learned_backward, kLearnedChannelBackwardSample),
    nest("aten._fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor "
         "zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor",
         kDoc, same_type, fake_quantize, kLearnedSample),
    nest("aten._fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, "
         "Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) "
         "-> (Tensor, Tensor, Tensor)",
         kLearnedDoc, learned_meta, learned_backward, kLearnedBackwardSample),
    nest("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor "
         "scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> "
         "(Tensor, Tensor)",
         kMaskDoc, with_mask, fake_quantize, kSwitchSample),
    nest("aten.fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int "
         "axis, int quant_min, int quant_max) -> Tensor",
         kDoc, same_type, fake_quantize, kChannelSample),
    nest("aten.fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor "
         "zero_point, int axis, int quant_min, int quant_max) -> (Tensor, Tensor)",
         kMaskDoc, with_mask, fake_quantize, kChannelSample),
    mask_backward("aten.fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor "
                  "mask) -> Tensor"),
    nest("aten.fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int "
         "quant_min, int quant_max) -> Tensor",
         kDoc, same_type, fake_quantize, kTensorSample),
    nest("aten.fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor "
         "zero_point, int quant_min, int quant_max) -> Tensor",
         kDoc, same_type, fake_quantize, kTensorParametersSample),
    nest("aten.fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int "
         "zero_point, int quant_min, int quant_max) -> (Tensor, Tensor)",
         kMaskDoc, with_mask, fake_quantize, kTensorSample),
    mask_backward("aten.fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor "
                  "mask) -> Tensor"),
};

}  // namespace

std::span<const OpDef> fake_quantize_ops() { return kOps; }

}  // namespace litz::ops
