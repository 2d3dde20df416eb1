// Affine quantization as pt2e exports it: integers that represent (q - zero_point) * scale.
//
// There is one scale for a whole tensor, for each index of an axis (channel), for each row (token),
// or for each group of a row. Rounding is half to even; the zero point is added and the result
// clamped.

#include <array>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

DType given_dtype(const Call& call, std::string_view name) {
  const std::optional<DType> dtype = call.dtype(name);
  require(dtype.has_value(), "a quantization operator needs a dtype:", call.op().name(), name);
  return *dtype;
}

TensorType like_input(const Call& call, DType dtype) {
  const TensorType operands[] = {call.type(call.op().schema.arguments[0].name)};
  return elementwise_type(dtype, operands);
}

/// Parameters of the whole input or of its rows: a single number each, or broadcast to the input.
void require_broadcast(const Call& call, bool is_one_number) {
  const TensorType& input = call.type(call.op().schema.arguments[0].name);
  for (size_t i = 1; i < call.op().schema.arguments.size(); ++i) {
    const std::string_view name = call.op().schema.arguments[i].name;
    if (!call.is_tensor(name)) continue;
    const TensorType& type = call.type(name);
    require(type.rank() <= input.rank(),
            "parameters of a quantization broadcast to its input:", name, type, input);
    for (size_t d = 0; d < type.rank(); ++d) {
      const Expr is_single = eq(type.sizes[d], 1);
      const Expr size = input.sizes[input.rank() - type.rank() + d];
      call.require_sizes(is_one_number ? is_single : logical_or(is_single, eq(type.sizes[d], size)),
                         "parameters of a quantization broadcast to its input:", name, type, input);
    }
  }
}

/// Requires one parameter per channel.
void require_channels(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() > 0, "channels are along a dimension:", input);
  const Expr count = input.sizes[static_cast<size_t>(call.dim("axis", input.rank()))];
  for (const std::string_view name : {"scales", "zero_points"}) {
    if (!call.has(name)) continue;
    const TensorType& type = call.type(name);
    require(type.rank() == 1, "channels have a list of parameters:", name, type);
    call.require_sizes(le(count, type.sizes[0]), "every channel has its parameters:", name, type,
                       input);
  }
}

/// Requires one parameter per group of each row.
void require_groups(const Call& call) {
  const TensorType& input = call.type("input");
  const Expr size = call.expr("group_size");
  call.require_sizes(lt(0, size), "groups must have elements:", size);
  for (const std::string_view name : {"scales", "zero_points"}) {
    if (!call.has(name)) continue;
    const TensorType& type = call.type(name);
    require(type.rank() == 2, "rows have lists of parameters:", name, type);
    call.require_sizes(
        logical_and(le(input.sizes[0], type.sizes[0]), le(input.sizes[1], type.sizes[1] * size)),
        "every group has its parameters:", name, type, input);
  }
}

TensorType converted_meta(const Call& call) { return like_input(call, given_dtype(call, "dtype")); }

TensorType quantized_meta(const Call& call) {
  require_broadcast(call, true);
  return converted_meta(call);
}

TensorType dequantized_meta(const Call& call) {
  require_broadcast(call, true);
  return like_input(call, call.dtype("out_dtype").value_or(DType::f32));
}

TensorType quantized_channels_meta(const Call& call) {
  require_channels(call);
  return converted_meta(call);
}

TensorType dequantized_channels_meta(const Call& call) {
  require_channels(call);
  return like_input(call, call.dtype("out_dtype").value_or(DType::f32));
}

TensorType quantized_token_meta(const Call& call) {
  require_broadcast(call, false);
  return converted_meta(call);
}

TensorType token_meta(const Call& call) {
  require_broadcast(call, false);
  return like_input(call, given_dtype(call, "output_dtype"));
}

Scalar clamped(const PointwiseCall& call, Scalar q) {
  return min(max(q, call.as("quant_min", DType::f32)), call.as("quant_max", DType::f32));
}

// The reciprocal is computed in f64, as in Python, and multiplied in f32.
Scalar times_reciprocal(const PointwiseCall& call, std::string_view input) {
  const Scalar inverse = 1 / call.as("scale", DType::f64);
  return call.as(input, DType::f32) * call.builder().cast(inverse, DType::f32);
}

Scalar quantize(const PointwiseCall& call) {
  return clamped(call,
                 round_even(times_reciprocal(call, "input")) + call.as("zero_point", DType::f32));
}

Scalar dequantize(const PointwiseCall& call) {
  KernelBuilder& b = call.builder();
  const DType out = call.result();
  const auto rounded = [&](Scalar x) { return b.cast(b.cast(x, out), DType::f32); };
  const Scalar q = rounded(call.as("input", DType::f32));
  return rounded(q - call.as("zero_point", DType::f32)) * call.as("scale", DType::f32);
}

Scalar quantize_token(const PointwiseCall& call) {
  const Scalar scaled = call.as("input", DType::f32) * (1 / call.as("scales", DType::f32));
  return clamped(call, round_even(scaled + call.as("zero_points", DType::f32)));
}

// Rounds once, to the result.
Scalar dequantize_token(const PointwiseCall& call) {
  const DType wide = call.type("scales").dtype == DType::f64 ? DType::f64 : DType::f32;
  return (call.as("input", wide) - call.as("zero_points", wide)) * call.as("scales", wide);
}

// One scale per channel or per group: parameters have separate indices.

using ParameterIndex = Sizes (*)(const NestCall& call, Exprs i);

Sizes channel_index(const NestCall& call, Exprs i) {
  return {i[static_cast<size_t>(call.dim("axis", i.size()))]};
}

Sizes group_index(const NestCall& call, Exprs i) {
  return {i[0], floor_div(i[1], call.expr("group_size"))};
}

struct Affine {
  Scalar scale;
  std::optional<Scalar> zero_point;
};

Affine parameters(const NestCall& call, ParameterIndex index, std::string_view scales,
                  std::string_view zero_points, Exprs i) {
  KernelBuilder& b = call.builder();
  const Sizes at = index(call, i);
  Affine affine{b.cast(b.load(call.in(scales), at), DType::f32), std::nullopt};
  if (call.has(zero_points)) {
    affine.zero_point = b.cast(b.load(call.in(zero_points), at), DType::f32);
  }
  return affine;
}

Scalar limited(const NestCall& call, Scalar q) {
  return min(max(q, call.real("quant_min")), call.real("quant_max"));
}

// Zero points are added after rounding per channel, and before it per group.
template <ParameterIndex kIndex>
void quantize_by(NestCall& call) {
  KernelBuilder& b = call.builder();
  b.loop(call.result().sizes, [&](Exprs i) {
    const Affine affine = parameters(call, kIndex, "scales", "zero_points", i);
    const Scalar x = b.cast(b.load(call.in("input"), i), DType::f32);
    Scalar q = x * (1 / affine.scale);
    if constexpr (kIndex == channel_index) q = round_even(q);
    if (affine.zero_point) q = q + *affine.zero_point;
    if constexpr (kIndex == group_index) q = round_even(q);
    b.store(call.out(), i, b.cast(limited(call, q), call.result().dtype));
  });
}

template <ParameterIndex kIndex>
void dequantize_by(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType out = call.result().dtype;
  b.loop(call.result().sizes, [&](Exprs i) {
    const Affine affine = parameters(call, kIndex, "scales", "zero_points", i);
    Scalar q = b.cast(b.load(call.in("input"), i), DType::f32);
    if (affine.zero_point) q = q - *affine.zero_point;
    b.store(call.out(), i, b.cast(q * affine.scale, out));
  });
}

void fake_quant_channel(NestCall& call) {
  KernelBuilder& b = call.builder();
  b.loop(call.result().sizes, [&](Exprs i) {
    const Affine affine = parameters(call, channel_index, "scales", "zero_points", i);
    const Scalar x = b.cast(b.load(call.in("input"), i), DType::f32);
    const Scalar q = limited(call, round_even(x * (1 / affine.scale)) + *affine.zero_point);
    b.store(call.out(), i, b.cast((q - *affine.zero_point) * affine.scale, call.result().dtype));
  });
}

TensorType fake_channels_meta(const Call& call) {
  require_channels(call);
  return like_input(call, call.type(call.op().schema.arguments[0].name).dtype);
}

TensorType group_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() == 2, "groups divide the rows of a matrix:", call.op().name(), input);
  require_groups(call);
  return like_input(
      call,
      given_dtype(call, call.op().schema.find("output_dtype") >= 0 ? "output_dtype" : "dtype"));
}

// Choosing parameters from the range of the data.

Types whole_parameters_meta(const Call&) {
  return {contiguous_type(DType::f64, {Expr(1)}), contiguous_type(DType::i64, {Expr(1)})};
}

Sizes row_sizes(const Call& call) {
  Sizes sizes = call.type("input").sizes;
  require(!sizes.empty(), "tokens are rows: the input needs a dimension:", call.op().name());
  sizes.back() = 1;
  return sizes;
}

Types row_parameters_meta(const Call& call) {
  return {contiguous_type(DType::f64, row_sizes(call)),
          contiguous_type(DType::i64, row_sizes(call))};
}

Types symmetric_rows_meta(const Call& call) {
  const DType input = call.type("input").dtype;
  const DType dtype = input == DType::f16 ? DType::f32 : input;
  return {contiguous_type(dtype, row_sizes(call)), contiguous_type(dtype, row_sizes(call))};
}

struct Parameters {
  Scalar scale;
  Scalar zero_point;
};

// Stores the scale and zero point of each set of elements; a set spans `extents`.
void choose(NestCall& call, const Sizes& outer, const Sizes& extents,
            const std::function<Sizes(Exprs, Exprs)>& join,
            const std::function<Parameters(Scalar, Scalar)>& rule) {
  KernelBuilder& b = call.builder();
  b.loop(outer, [&](Exprs i) {
    const auto extreme = [&](loops::ReduceKind kind) {
      return b.reduce(kind, extents, [&](Exprs j) {
        return b.cast(b.load(call.in("input"), join(i, j)), DType::f32);
      });
    };
    const Scalar zero = b.constant(DType::f32, 0.0);
    const Scalar low = min(extreme(loops::ReduceKind::min), zero);
    const Scalar high = max(extreme(loops::ReduceKind::max), zero);
    const Parameters chosen = rule(low, high);
    b.store(call.out(0), i, b.cast(chosen.scale, call.result(0).dtype));
    b.store(call.out(1), i, b.cast(chosen.zero_point, call.result(1).dtype));
  });
}

Sizes only_inner(Exprs, Exprs inner) { return {inner.begin(), inner.end()}; }

Sizes row_of(Exprs outer, Exprs inner) {
  Sizes at(outer.begin(), outer.end());
  at.back() = inner[0];
  return at;
}

void choose_whole(NestCall& call) {
  const double lowest = call.real("quant_min");
  const double highest = call.real("quant_max");
  choose(call, call.result(0).sizes, call.type("input").sizes, only_inner,
         [&](Scalar low, Scalar high) {
           const Scalar scale = max((high - low) / (highest - lowest), call.real("eps"));
           const Scalar zero_point = lowest - round_even(low / scale);
           return Parameters{scale, min(max(zero_point, lowest), highest)};
         });
}

void choose_whole_symmetric(NestCall& call) {
  const double lowest = call.real("quant_min");
  const double highest = call.real("quant_max");
  const bool is_unsigned = given_dtype(call, "dtype") == DType::u8;
  choose(call, call.result(0).sizes, call.type("input").sizes, only_inner,
         [&](Scalar low, Scalar high) {
           const Scalar range = max(-low, high);
           const Scalar scale = max(range / ((highest - lowest) / 2), call.real("eps"));
           const double middle = is_unsigned ? 128 : 0;
           return Parameters{scale, call.builder().constant(DType::f32, middle)};
         });
}

// Rows use the full range of signed bytes.
constexpr double kByteLow = -128;
constexpr double kByteHigh = 127;

void choose_rows_asymmetric(NestCall& call) {
  const Sizes extents{call.type("input").sizes.back()};
  choose(call, call.result(0).sizes, extents, row_of, [&](Scalar low, Scalar high) {
    const double smallest = std::numeric_limits<float>::epsilon();
    const Scalar scale = max((high - low) / (kByteHigh - kByteLow), smallest);
    const Scalar from_low = kByteLow - low / scale;
    const Scalar from_high = kByteHigh - high / scale;
    const Scalar errors = (kByteLow + low / scale) + (kByteHigh + high / scale);
    const Scalar zero_point = select(errors > 0, from_low, from_high);
    return Parameters{scale, round_even(min(max(zero_point, kByteLow), kByteHigh))};
  });
}

void choose_rows_symmetric(NestCall& call) {
  const Sizes extents{call.type("input").sizes.back()};
  choose(call, call.result(0).sizes, extents, row_of, [&](Scalar low, Scalar high) {
    constexpr double kSmallestRange = 1e-5;
    const Scalar range = max(max(-low, high), kSmallestRange);
    return Parameters{range / kByteHigh, call.builder().constant(DType::f32, 0.0)};
  });
}

Scalar load_input(const PointwiseCall& call) { return call.load("input"); }

constexpr std::string_view kQuantizeCalls[] = {"(f32[2, 3], 0.1, 2, -128, 127, i8)"};
constexpr std::string_view kQuantizeTensorCalls[] = {
    "(f32[2, 3], f32[1] in [0.1, 0.2), i64[1] in [0, 3), -128, 127, i8)"};
constexpr std::string_view kQuantizeTensor2Calls[] = {
    "(f32[2, 3], f32[] in [0.1, 0.2), i64[] in [0, 3), i64[] in [-128, -127), i64[] in [127, 128), "
    "i8)"};
constexpr std::string_view kDequantizeCalls[] = {"(i8[2, 3], 0.1, 2, -128, 127, i8)"};
constexpr std::string_view kDequantizeTensorCalls[] = {
    "(i8[2, 3], f32[1] in [0.1, 0.2), i64[1] in [0, 3), -128, 127, i8)"};
constexpr std::string_view kDequantizeTensor2Calls[] = {
    "(i8[2, 3], f32[] in [0.1, 0.2), i64[] in [0, 3), i64[] in [-128, -127), i64[] in [127, 128), "
    "i8)"};
constexpr std::string_view kQuantizeChannelCalls[] = {
    "(f32[2, 3], f32[3] in [0.1, 0.2), i64[3] in [0, 3), 1, -128, 127, i8)"};
constexpr std::string_view kDequantizeChannelCalls[] = {
    "(i8[2, 3], f32[3] in [0.1, 0.2), None, 1, -128, 127, i8)"};
constexpr std::string_view kFakeChannelCalls[] = {
    "(f32[2, 3], f32[3] in [0.1, 0.2), i32[3] in [0, 3), 1, -128, 127)"};
constexpr std::string_view kQuantizeGroupCalls[] = {
    "(f32[2, 6], f32[2, 2] in [0.1, 0.2), i64[2, 2] in [0, 3), -128, 127, i8, 3)"};
constexpr std::string_view kDequantizeGroupCalls[] = {
    "(i8[2, 6], f32[2, 2] in [0.1, 0.2), i64[2, 2] in [0, 3), -128, 127, i8, 3, f32)"};
constexpr std::string_view kQuantizeTokenCalls[] = {
    "(f32[2, 3], f32[2, 1] in [0.1, 0.2), i64[2, 1] in [0, 3), -128, 127, i8)"};
constexpr std::string_view kDequantizeTokenCalls[] = {
    "(i8[2, 3], f32[2, 1] in [0.1, 0.2), i64[2, 1] in [0, 3), -128, 127, i8, f32)"};
constexpr std::string_view kChooseCalls[] = {"(f32[2, 3], -128, 127, 0.00001, i8)"};
constexpr std::string_view kChooseRowCalls[] = {"(f32[2, 3], i8)"};
constexpr std::string_view kConvertCalls[] = {"(f32[2, 3], f64)"};

constexpr OpDef pointwise(ir::SchemaText schema, std::string_view doc, Meta meta,
                          Scalar (*body)(const PointwiseCall&),
                          std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .samples = {.calls = calls}};
}

constexpr OpDef nest(ir::SchemaText schema, std::string_view doc, Meta meta,
                     void (*build)(NestCall&), std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = LoopNest{build},
          .samples = {.calls = calls}};
}

constexpr std::string_view kQuantizeDoc = "clamp(round(input / scale) + zero_point).";
constexpr std::string_view kDequantizeDoc = "(input - zero_point) * scale.";
constexpr std::string_view kFakeDoc = "Quantized and dequantized again, in the dtype of the input.";
constexpr std::string_view kChooseDoc =
    "Scale and zero point that map the range of the data, 0 included, to that of the integers.";

constexpr std::array kOps{
    nest("quantized_decomposed._choose_qparams_per_token_asymmetric_impl(Tensor input, "
         "ScalarType dtype) -> (Tensor, Tensor)",
         kChooseDoc, row_parameters_meta, choose_rows_asymmetric, kChooseRowCalls),
    nest("quantized_decomposed.choose_qparams.tensor(Tensor input, int quant_min, int quant_max, "
         "float eps, ScalarType dtype) -> (Tensor, Tensor)",
         kChooseDoc, whole_parameters_meta, choose_whole, kChooseCalls),
    nest("quantized_decomposed.choose_qparams_per_token(Tensor input, ScalarType dtype) -> "
         "(Tensor, Tensor)",
         "Scale of each row for a range symmetric around 0.", symmetric_rows_meta,
         choose_rows_symmetric, kChooseRowCalls),
    nest("quantized_decomposed.choose_qparams_per_token_asymmetric(Tensor input, "
         "ScalarType dtype) -> (Tensor, Tensor)",
         kChooseDoc, row_parameters_meta, choose_rows_asymmetric, kChooseRowCalls),
    nest("quantized_decomposed.choose_qparams_symmetric.tensor(Tensor input, int quant_min, "
         "int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
         "Scale for a range symmetric around 0, and the zero point in its middle.",
         whole_parameters_meta, choose_whole_symmetric, kChooseCalls),
    pointwise("quantized_decomposed.convert_element_type.no_fuse(Tensor input, "
              "ScalarType dtype) -> Tensor",
              "A cast.", converted_meta, load_input, kConvertCalls),
    nest("quantized_decomposed.dequantize_per_channel(Tensor input, Tensor scales, "
         "Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, "
         "ScalarType? out_dtype=None) -> Tensor",
         kDequantizeDoc, dequantized_channels_meta, dequantize_by<channel_index>,
         kDequantizeChannelCalls),
    nest("quantized_decomposed.dequantize_per_channel_group(Tensor input, Tensor scales, "
         "Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, "
         "ScalarType output_dtype) -> Tensor",
         kDequantizeDoc, group_meta, dequantize_by<group_index>, kDequantizeGroupCalls),
    pointwise("quantized_decomposed.dequantize_per_tensor(Tensor input, float scale, "
              "int zero_point, int quant_min, int quant_max, ScalarType dtype, *, "
              "ScalarType? out_dtype=None) -> Tensor",
              kDequantizeDoc, dequantized_meta, dequantize, kDequantizeCalls),
    pointwise("quantized_decomposed.dequantize_per_tensor.tensor(Tensor input, Tensor scale, "
              "Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, "
              "ScalarType? out_dtype=None) -> Tensor",
              kDequantizeDoc, dequantized_meta, dequantize, kDequantizeTensorCalls),
    pointwise("quantized_decomposed.dequantize_per_tensor.tensor2(Tensor input, Tensor scale, "
              "Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, "
              "ScalarType? out_dtype=None) -> Tensor",
              kDequantizeDoc, dequantized_meta, dequantize, kDequantizeTensor2Calls),
    pointwise("quantized_decomposed.dequantize_per_token(Tensor input, Tensor scales, "
              "Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, "
              "ScalarType output_dtype) -> Tensor",
              kDequantizeDoc, token_meta, dequantize_token, kDequantizeTokenCalls),
    nest("quantized_decomposed.fake_quant_per_channel(Tensor input, Tensor scales, "
         "Tensor zero_points, int axis, int quant_min, int quant_max) -> Tensor",
         kFakeDoc, fake_channels_meta, fake_quant_channel, kFakeChannelCalls),
    nest("quantized_decomposed.quantize_per_channel(Tensor input, Tensor scales, "
         "Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
         kQuantizeDoc, quantized_channels_meta, quantize_by<channel_index>, kQuantizeChannelCalls),
    nest("quantized_decomposed.quantize_per_channel_group(Tensor input, Tensor scales, "
         "Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> "
         "Tensor",
         kQuantizeDoc, group_meta, quantize_by<group_index>, kQuantizeGroupCalls),
    pointwise("quantized_decomposed.quantize_per_tensor(Tensor input, float scale, "
              "int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
              kQuantizeDoc, quantized_meta, quantize, kQuantizeCalls),
    pointwise("quantized_decomposed.quantize_per_tensor.tensor(Tensor input, Tensor scale, "
              "Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
              kQuantizeDoc, quantized_meta, quantize, kQuantizeTensorCalls),
    pointwise("quantized_decomposed.quantize_per_tensor.tensor2(Tensor input, Tensor scale, "
              "Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
              kQuantizeDoc, quantized_meta, quantize, kQuantizeTensor2Calls),
    pointwise("quantized_decomposed.quantize_per_token(Tensor input, Tensor scales, "
              "Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
              kQuantizeDoc, quantized_token_meta, quantize_token, kQuantizeTokenCalls),
};

}  // namespace

std::span<const OpDef> quantized_ops() { return kOps; }

}  // namespace litz::ops
