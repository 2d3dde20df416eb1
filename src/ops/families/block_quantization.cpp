// Affine quantization by blocks, as torchao exports it: a tensor is divided into blocks of equal
// size, and each block has a scale and a zero point.
//
// As in torchao, every step is a separate operator, because that decides where values are rounded.

#include <algorithm>
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
using ir::Value;

/// A view of a tensor in which every divided dimension becomes two; the second is inside a block.
struct Blocks {
  Sizes split;
  Sizes parameters;            ///< The same, with 1 for dimensions that blocks span.
  Sizes counts;                ///< Blocks along each dimension of the tensor.
  std::vector<int64_t> inner;  ///< Dimensions of `split` that blocks span.
};

Blocks blocks_of(const Call& call, const TensorType& type) {
  const Sizes block = call.sizes("block_size");
  require(block.size() == type.rank(),
          "blocks C1: a block has a size for every dimension:", block.size(), type);
  Blocks blocks;
  for (size_t d = 0; d < block.size(); ++d) {
    const Expr size = type.sizes[d];
    require(!known_less(block[d], Expr(1)), "blocks C1: a block is not empty:", block[d]);
    call.require_sizes(eq(mod(size, max(block[d], Expr(1))), 0),
                       "blocks C1: blocks divide a tensor evenly:", type, block[d]);
    blocks.counts.push_back(floor_div(size, block[d]));
    const auto add = [&](Expr extent, bool is_inner) {
      if (is_inner) blocks.inner.push_back(static_cast<int64_t>(blocks.split.size()));
      blocks.split.push_back(extent);
      blocks.parameters.push_back(is_inner ? Expr(1) : extent);
    };
    if (known_equal(block[d], size) || block[d].is(1)) {
      add(size, !block[d].is(1));
    } else {
      add(blocks.counts.back(), false);
      add(block[d], true);
    }
  }
  return blocks;
}

struct Limits {
  Expr low;
  Expr high;
};

double largest(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fn:
      return 448;
    case DType::f8e5m2:
      return 57344;
    case DType::f8e4m3fnuz:
      return 240;
    case DType::f8e5m2fnuz:
      return 57344;
    default:
      fail(ErrorCode::unsupported, "blocks are quantized to integers or float8, not to",
           name(dtype));
  }
}

// The given bounds, or those of the dtype.
Limits limits_of(const Call& call, DType dtype) {
  Limits limits;
  if (is_integer(dtype)) {
    const auto bits = static_cast<int>(8 * item_size(dtype));
    require(bits <= 32, ErrorCode::unsupported,
            "blocks are quantized to at most 32 bits:", name(dtype));
    const int64_t span = int64_t{1} << bits;
    limits.low = is_signed(dtype) ? -span / 2 : 0;
    limits.high = is_signed(dtype) ? span / 2 - 1 : span - 1;
  } else {
    limits.low = Expr::real(-largest(dtype));
    limits.high = Expr::real(largest(dtype));
  }
  if (call.has("quant_min")) limits.low = call.scalar("quant_min");
  if (call.has("quant_max")) limits.high = call.scalar("quant_max");
  return limits;
}

double real_of(Expr bound) {
  return bound.domain() == ExprDomain::integer ? static_cast<double>(bound.constant())
                                               : bound.real_constant();
}

// Older exports state the domain of zero points; only integers are supported.
void require_domain(const Call& call) {
  require(!call.has("zero_point_domain") || call.str("zero_point_domain") == "INT",
          ErrorCode::unsupported,
          "blocks with zero points among real numbers are not available:", call.op().name(),
          call.has("zero_point_domain") ? call.str("zero_point_domain") : "");
}

bool has_zero_point(const Call& call) {
  return call.has("zero_point") && !known_equal(call.type("zero_point").numel(), 0);
}

// --- quantize and dequantize ---

TensorType quantized_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.dtype == DType::f32 || input.dtype == DType::f16 || input.dtype == DType::bf16,
          "blocks C2: what is quantized is f32, f16 or bf16:", input);
  require_domain(call);
  const DType dtype = call.dtype("output_dtype").value_or(DType::i8);
  blocks_of(call, input);
  limits_of(call, dtype);
  return contiguous_type(dtype, input.sizes, input.device);
}

std::vector<Value> quantize(DecomposeCall& call) {
  const Steps steps(call);
  const TensorType& input = call.type("input");
  const Blocks blocks = blocks_of(call, input);
  const Limits limits = limits_of(call, call.result().dtype);
  const Value inverse = call.aten("reciprocal", {steps.reshape(call["scale"], blocks.parameters)});
  Value q = call.aten("round", {steps.mul(steps.reshape(call["input"], blocks.split), inverse)});
  if (has_zero_point(call)) {
    q = steps.add(q, steps.reshape(call["zero_point"], blocks.parameters));
  }
  q = call.aten("clamp", {q, limits.low, limits.high});
  return {call.to(steps.reshape(q, input.sizes), call.result().dtype)};
}

TensorType dequantized_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require_domain(call);
  const DType dtype = call.dtype("output_dtype").value_or(DType::f32);
  require(dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16,
          "blocks C3: what is dequantized becomes f32, f16 or bf16:", name(dtype));
  blocks_of(call, input);
  return contiguous_type(dtype, input.sizes, input.device);
}

std::vector<Value> dequantize(DecomposeCall& call) {
  const Steps steps(call);
  const TensorType& input = call.type("input");
  const DType dtype = call.result().dtype;
  const Blocks blocks = blocks_of(call, input);
  Value value = call.to(steps.reshape(call["input"], blocks.split), dtype);
  if (call.has("zero_point")) {
    const Value zero_point = steps.reshape(call["zero_point"], blocks.parameters);
    value = steps.sub(value, call.to(zero_point, dtype));
  }
  value = steps.mul(value, steps.reshape(call["scale"], blocks.parameters));
  return {call.to(steps.reshape(value, input.sizes), dtype)};
}

// --- choosing parameters ---

bool is_symmetric(const Call& call) {
  const std::string_view mapping = call.str("mapping_type");
  require(
      mapping == "SYMMETRIC" || mapping == "SYMMETRIC_NO_CLIPPING_ERR" || mapping == "ASYMMETRIC",
      ErrorCode::unsupported, "blocks C4: an unknown kind of mapping:", mapping);
  return mapping != "ASYMMETRIC";
}

Sizes chosen_sizes(const Blocks& blocks, bool keepdim) {
  if (keepdim) return blocks.counts;
  if (blocks.inner.empty()) return {};  // A minimum over no dimensions would reduce all.
  Sizes sizes;
  for (size_t d = 0; d < blocks.split.size(); ++d) {
    const bool spans =
        std::ranges::find(blocks.inner, static_cast<int64_t>(d)) != blocks.inner.end();
    if (!spans) sizes.push_back(blocks.split[d]);
  }
  return sizes;
}

Types chosen_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(is_floating(input.dtype),
          "blocks C2: parameters are chosen for floating tensors:", input);
  limits_of(call, call.dtype("target_dtype").value_or(DType::i8));
  const Sizes sizes = chosen_sizes(blocks_of(call, input), call.flag("keepdim"));
  const DType zero_point = is_symmetric(call) ? input.dtype : DType::i32;
  return {
      contiguous_type(call.dtype("scale_dtype").value_or(input.dtype), sizes, input.device),
      contiguous_type(call.dtype("zero_point_dtype").value_or(zero_point), sizes, input.device)};
}

double smallest_normal(DType dtype) {
  if (dtype == DType::f16) return 0x1p-14;
  return dtype == DType::f64 ? std::numeric_limits<double>::min()
                             : static_cast<double>(std::numeric_limits<float>::min());
}

/// The range of every block, including 0.
struct Range {
  Value low;
  Value high;
};

Range range_of(const DecomposeCall& call, const Blocks& blocks) {
  const Value split = Steps(call).reshape(call["input"], blocks.split);
  const ir::Scalars dims(blocks.inner.begin(), blocks.inner.end());
  const auto extreme = [&](const char* name) {
    return call.aten(name, {split, dims, call.pass("keepdim")});
  };
  return {call.aten("clamp", {extreme("amin"), {}, Expr(0)}),
          call.aten("clamp", {extreme("amax"), Expr(0)})};
}

Value at_least(const DecomposeCall& call, Value scale) {
  const double eps = call.has("eps") ? call.real("eps") : smallest_normal(call.type("input").dtype);
  return call.aten("clamp", {scale, Expr::real(eps)});
}

Value symmetric_scale(const DecomposeCall& call, const Range& range, double low, double high) {
  const Steps steps(call);
  if (call.str("mapping_type") == "SYMMETRIC") {
    const Value reach = call.aten("maximum", {call.aten("neg", {range.low}), range.high});
    return steps.div(reach, Expr::real((high - low) / 2));
  }
  // Both sides separately, so that neither end is clipped.
  const Value below = steps.div(range.low, Expr::real(low));
  const Value above = steps.div(range.high, Expr::real(high));
  return call.aten("where.self", {call.aten("gt.Tensor", {below, above}), below, above});
}

std::vector<Value> choose(DecomposeCall& call) {
  const Steps steps(call);
  const Blocks blocks = blocks_of(call, call.type("input"));
  const Limits limits = limits_of(call, call.dtype("target_dtype").value_or(DType::i8));
  const double low = real_of(limits.low);
  const double high = real_of(limits.high);
  const Range range = range_of(call, blocks);
  Value scale;
  Value zero_point;
  if (is_symmetric(call)) {
    scale = at_least(call, symmetric_scale(call, range, low, high));
    zero_point = call.aten("full_like", {scale, Expr::real(std::trunc((high + low + 1) / 2))});
  } else {
    const Value span = steps.sub(range.high, range.low);
    scale = at_least(call, steps.div(span, Expr::real(high - low)));
    const Value below = call.aten("round", {steps.div(range.low, scale)});
    zero_point = call.aten("rsub.Scalar", {below, limits.low});
    zero_point = call.aten("clamp", {zero_point, limits.low, limits.high});
  }
  const auto result = [&](Value value, size_t i) {
    return call.to(steps.reshape(value, call.result(i).sizes), call.result(i).dtype);
  };
  return {result(scale, 0), result(zero_point, 1)};
}

TensorType float8_scale_meta(const Call& call) {
  const TensorType& tensor = call.type("tensor");
  require(is_floating(tensor.dtype), "blocks C2: scales are chosen for floating tensors:", tensor);
  largest(call.dtype("float8_dtype").value_or(DType::f8e4m3fn));
  return contiguous_type(DType::f32, blocks_of(call, tensor).counts, tensor.device);
}

std::vector<Value> float8_scale(DecomposeCall& call) {
  const Steps steps(call);
  const Blocks blocks = blocks_of(call, call.type("tensor"));
  const Value sizes = call.aten("abs", {steps.reshape(call["tensor"], blocks.split)});
  const ir::Scalars dims(blocks.inner.begin(), blocks.inner.end());
  Value reach = call.aten("amax", {sizes, dims, Expr::boolean(true)});
  if (call.has("hp_value_lb") || call.has("hp_value_ub")) {
    reach = call.aten("clamp", {reach, call.pass("hp_value_lb"), call.pass("hp_value_ub")});
  }
  Value scale =
      steps.div(reach, Expr::real(largest(call.dtype("float8_dtype").value_or(DType::f8e4m3fn))));
  scale = steps.reshape(scale, call.result().sizes);
  if (call.dtype("scale_dtype").value_or(DType::f32) != DType::f32) {
    // Powers of two.
    scale = call.aten("exp2", {call.aten("round", {call.aten("log2", {scale})})});
  }
  return {call.to(scale, DType::f32)};
}

// --- float8 ---

// Repeats the scales of the equal blocks of a tensor to the tensor's sizes.
Value spread(const DecomposeCall& call, Value scale, const TensorType& target) {
  const TensorType type = scale.tensor();
  if (known_equal(type.numel(), 1) && type.rank() <= target.rank()) return scale;
  bool broadcasts = type.rank() <= target.rank();
  for (size_t d = 0; broadcasts && d < type.rank(); ++d) {
    broadcasts = type.sizes[d].is(1) || known_equal(type.sizes[d], target.sizes[d]);
  }
  if (broadcasts) return scale;
  require(type.rank() == target.rank(), "blocks C5: scales have the rank of their tensor:", type,
          target);
  for (size_t d = 0; d < type.rank(); ++d) {
    call.require_sizes(eq(mod(target.sizes[d], max(type.sizes[d], Expr(1))), 0),
                       "blocks C5: scales divide their tensor evenly:", type, target);
    const Expr block = floor_div(target.sizes[d], type.sizes[d]);
    if (block.is(1)) continue;
    scale = call.aten("repeat_interleave.self_int", {scale, block, Expr(static_cast<int64_t>(d))});
  }
  return scale;
}

TensorType float8_meta(const Call& call) {
  const DType dtype = call.dtype("float8_dtype").value_or(DType::f8e4m3fn);
  largest(dtype);
  return preserved_type(dtype, call.type("tensor"), MemoryFormat::preserve);
}

std::vector<Value> to_float8(DecomposeCall& call) {
  const TensorType& tensor = call.type("tensor");
  const double most = largest(call.result().dtype);
  const Value scaled =
      Steps(call).div(call.to(call["tensor"], DType::f32), spread(call, call["scale"], tensor));
  const Value kept = call.aten("clamp", {scaled, Expr::real(-most), Expr::real(most)});
  return {call.to(kept, call.result().dtype)};
}

TensorType from_float8_meta(const Call& call) {
  return preserved_type(call.dtype("output_dtype").value_or(DType::f32), call.type("tensor"),
                        MemoryFormat::preserve);
}

std::vector<Value> from_float8(DecomposeCall& call) {
  const Value scaled = Steps(call).mul(call.to(call["tensor"], DType::f32),
                                       spread(call, call["scale"], call.type("tensor")));
  return {call.to(scaled, call.result().dtype)};
}

constexpr std::array kQuantizeSample{
    "(f32[4, 6], [1, 3], f32[4, 2] in [0.1, 0.2), i32[4, 2] in [0, 3), i8, -8, 7)"sv,
    "(bf16[s0, 6], [1, 6], f32[s0, 1] in [0.1, 0.2), None, u8)"sv};
constexpr std::array kDequantizeSample{
    "(i8[4, 6], [1, 3], f32[4, 2] in [0.1, 0.2), i32[4, 2] in [0, 3), i8, -8, 7)"sv,
    "(u8[s0, 6], [1, 6], f32[s0] in [0.1, 0.2), None, u8, output_dtype=bf16)"sv};
constexpr std::array kChooseSample{
    "(f32[4, 6], 'ASYMMETRIC', [1, 3], i8, -8, 7)"sv,
    "(f32[s0, 6], 'SYMMETRIC', [1, 6], i8, keepdim=True)"sv,
    "(bf16[4, 6], 'SYMMETRIC_NO_CLIPPING_ERR', [4, 6], i8, -8, 7)"sv};
constexpr std::array kScaleSample{"(f32[4, 6], [1, 6], f8e4m3fn)"sv,
                                  "(bf16[4, 6], [2, 3], f8e5m2, hp_value_lb=0.1)"sv};
constexpr std::array kFloat8Sample{"(f32[4, 6], f32[4, 1] in [0.1, 0.2))"sv,
                                   "(bf16[4, 6], f32[2, 2] in [0.1, 0.2), f8e5m2)"sv};
constexpr std::array kFromFloat8Sample{"(f8e4m3fn[4, 6], f32[4, 1] in [0.1, 0.2))"sv,
                                       "(f8e5m2[4, 6], f32[2, 2] in [0.1, 0.2), bf16)"sv};

constexpr OpDef by_block(ir::SchemaText schema, std::string_view doc, Meta meta,
                         std::vector<Value> (*build)(DecomposeCall&),
                         std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Decompose{build},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    by_block("torchao.choose_qparams_affine(Tensor? input, str mapping_type, SymInt[] block_size, "
             "ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? "
             "eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool "
             "keepdim=False) -> (Tensor, Tensor)",
             "Scale and zero point that map the range of each block, 0 included, to that of the "
             "integers.\nC1: blocks divide a tensor evenly. C2: it is floating. C4: the mapping is "
             "SYMMETRIC, SYMMETRIC_NO_CLIPPING_ERR or ASYMMETRIC.",
             chosen_meta, choose, kChooseSample),
    by_block("torchao.choose_scale_float8(Tensor tensor, SymInt[] block_size, ScalarType "
             "float8_dtype=f8e4m3fn, ScalarType scale_dtype=f32, float? hp_value_lb=None, float? "
             "hp_value_ub=None) -> Tensor",
             "The scale that maps the largest element of each block to the largest float8.\n"
             "C1: blocks divide a tensor evenly. C2: it is floating.",
             float8_scale_meta, float8_scale, kScaleSample),
    by_block("torchao.dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? "
             "zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, "
             "ScalarType output_dtype=f32, str? zero_point_domain=None) -> Tensor",
             "(input - zero_point) * scale, of each block.\n"
             "C1: blocks divide a tensor evenly. C3: the result is f32, f16 or bf16.",
             dequantized_meta, dequantize, kDequantizeSample),
    by_block("torchao.dequantize_affine_float8_non_decomposed(Tensor tensor, Tensor scale, "
             "ScalarType output_dtype=f32) -> Tensor",
             "tensor * scale, of each block.\nC5: scales divide a tensor evenly.", from_float8_meta,
             from_float8, kFromFloat8Sample),
    by_block("torchao.quantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? "
             "zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? "
             "quant_max=None, str? zero_point_domain=None) -> Tensor",
             "clamp(round(input / scale) + zero_point), of each block.\n"
             "C1: blocks divide a tensor evenly. C2: it is f32, f16 or bf16.",
             quantized_meta, quantize, kQuantizeSample),
    by_block("torchao.quantize_affine_float8_non_decomposed(Tensor tensor, Tensor scale, "
             "ScalarType float8_dtype=f8e4m3fn) -> Tensor",
             "clamp(tensor / scale) as float8, of each block.\nC5: scales divide a tensor evenly.",
             float8_meta, to_float8, kFloat8Sample),
};

}  // namespace

std::span<const OpDef> block_quantization_ops() { return kOps; }

}  // namespace litz::ops
