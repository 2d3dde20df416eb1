// Layers that some exports keep as one operator, decomposed: the fast path of transformer encoders,
// norms of slices, padded batches of sequences.

#include <array>
#include <cmath>
#include <limits>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Argument;
using ir::Attribute;
using ir::Value;

// --- transformer encoders ---

// The mask with the rank of the scores. Its type determines its shape: 0 is [L, L], for all; 1 is
// [batch, L], for keys; 2 is the shape of the scores. Non-zero entries are masked.
Value mask_of_scores(const DecomposeCall& call, Value mask, const Sizes& scores) {
  if (mask.tensor().dtype != DType::bool_) mask = call.aten("ne.Scalar", {mask, Expr(0)});
  const int64_t type = call.has("mask_type") ? call.integer("mask_type") : -1;
  require(type >= 0 && type <= 2,
          "an attention mask must have a type of 0, 1 or 2:", call.op().name());
  if (type == 2) return mask;
  require(mask.tensor().rank() == 2,
          "an attention mask of type 0 or 1 has two dimensions:", call.op().name(), mask.tensor());
  const Sizes sizes =
      type == 0 ? Sizes{1, 1, scores[2], scores[3]} : Sizes{scores[0], 1, 1, scores[3]};
  return call.aten("view", {mask, sizes});
}

Value masked_scores(const DecomposeCall& call, Value scores) {
  if (!call.has("mask")) return scores;
  const Value mask = mask_of_scores(call, call["mask"], scores.tensor().sizes);
  return call.aten("where.ScalarSelf", {mask, Expr::real(-INFINITY), scores});
}

struct Attended {
  Value result;
  Value weights;  ///< The attention weights of all heads.
};

// Queries, keys and values, each computed with its rows of one stacked matrix. PyTorch stores the
// products, adds the biases in f32, and scales queries before it rounds them.
std::vector<Value> projected(const DecomposeCall& call, const std::array<Value, 3>& operands,
                             double scale) {
  const int64_t width = call.integer("embed_dim");
  const Value weight = call["qkv_weight"];
  const bool is_self = operands[0] == operands[1] && operands[0] == operands[2];
  std::vector<Value> products;
  if (is_self) {
    products =
        call.aten_all("chunk", {call.aten("linear", {operands[0], weight}), Expr(3), Expr(-1)});
  }
  const DType dtype = operands[0].tensor().dtype;
  std::vector<Value> parts;
  for (int64_t i = 0; i < 3; ++i) {
    const auto rows = [&](Value of) {
      return call.aten("slice.Tensor",
                       {of, Expr(0), Expr(i * width), Expr((i + 1) * width), Expr(1)});
    };
    const auto k = static_cast<size_t>(i);
    const Value product = is_self ? products[k] : call.aten("linear", {operands[k], rows(weight)});
    Value part = call.aten("add.Tensor", {call.to(product, compute_dtype(dtype)),
                                          call.to(rows(call["qkv_bias"]), compute_dtype(dtype))});
    if (i == 0) part = call.aten("mul.Scalar", {part, Expr::real(scale)});
    parts.push_back(call.to(part, dtype));
  }
  return parts;
}

Attended attend(const DecomposeCall& call, const std::array<Value, 3>& operands, int64_t heads) {
  const TensorType type = operands[0].tensor();
  require(type.rank() == 3, "attention C1: operands must be [batch, length, width]:", type);
  for (const Value operand : operands) {
    require(operand.tensor().sizes == type.sizes,
            "attention C3: operands must have one shape:", type, operand.tensor());
  }
  const int64_t width = call.integer("embed_dim");
  require(!known_not_equal(type.sizes[2], Expr(width)) && call.type("qkv_weight").rank() == 2 &&
              !known_not_equal(call.type("qkv_weight").sizes[0], Expr(3 * width)),
          "attention C1: operands and the weight's three parts must have the width:", type,
          call.type("qkv_weight"), width);
  require_same_dtypes(call, {"qkv_weight", "qkv_bias"});  // PyTorch reads others as if they were.
  const auto has_sizes = [&](const char* name, std::initializer_list<int64_t> sizes) {
    const TensorType& given = call.type(name);
    return given.rank() == sizes.size() &&
           std::ranges::equal(given.sizes, sizes, [](const Expr& a, int64_t b) {
             return !known_not_equal(a, Expr(b));
           });
  };
  require(has_sizes("qkv_bias", {3 * width}) && has_sizes("proj_weight", {width, width}) &&
              has_sizes("proj_bias", {width}),
          "attention C1: the projections must have the width:", call.type("qkv_bias"),
          call.type("proj_weight"), call.type("proj_bias"), width);
  require(heads > 0 && width % heads == 0,
          "attention C2: the width must be a multiple of the heads:", width, heads);
  const int64_t head_width = width / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(head_width));
  const std::vector<Value> parts = projected(call, operands, scale);
  const auto by_heads = [&](Value part) {
    const Sizes sizes{type.sizes[0], type.sizes[1], heads, head_width};
    return call.aten("transpose.int", {call.aten("reshape", {part, sizes}), Expr(1), Expr(2)});
  };
  const Value query = by_heads(parts[0]);
  const Value keys = call.aten("transpose.int", {by_heads(parts[1]), Expr(-2), Expr(-1)});
  const Value scores = masked_scores(call, call.aten("matmul", {query, keys}));
  const Value weights = call.aten("softmax.int", {scores, Expr(-1)});
  const Value mixed = call.aten("matmul", {weights, by_heads(parts[2])});
  const Value together =
      call.aten("reshape", {call.aten("transpose.int", {mixed, Expr(1), Expr(2)}), type.sizes});
  return {call.aten("linear", {together, call["proj_weight"], call["proj_bias"]}), weights};
}

Value nothing_like(const DecomposeCall& call, Value x) {
  return call.aten("empty.memory_format", {ir::Scalars{Expr(0)}, x.tensor().dtype});
}

std::vector<Value> multi_head_attention(DecomposeCall& call) {
  const Value query = call["query"];
  const int64_t heads = call.integer("num_head");
  const Attended attended = attend(call, {query, call["key"], call["value"]}, heads);
  if (!call.flag("need_weights")) return {attended.result, nothing_like(call, query)};
  if (!call.flag("average_attn_weights")) return {attended.result, attended.weights};
  const Value sum = call.aten("sum.dim_IntList", {attended.weights, ir::Scalars{Expr(1)}});
  return {attended.result, call.aten("div.Scalar", {sum, Expr(heads)})};
}

std::vector<Value> encoder_layer(DecomposeCall& call) {
  const ir::Scalars width{Expr(call.integer("embed_dim"))};
  const auto norm = [&](Value x, const char* weight, const char* bias) {
    return call.aten("layer_norm", {x, width, call[weight], call[bias], call.pass("eps")});
  };
  const bool before = call.flag("norm_first");
  const Value source = call["src"];
  Value x = before ? norm(source, "norm_weight_1", "norm_bias_1") : source;
  x = call.aten("add.Tensor", {attend(call, {x, x, x}, call.integer("num_heads")).result, source});
  if (!before) x = norm(x, "norm_weight_1", "norm_bias_1");
  Value inner = before ? norm(x, "norm_weight_2", "norm_bias_2") : x;
  inner = call.aten("linear", {inner, call["ffn_weight_1"], call["ffn_bias_1"]});
  inner = call.aten(call.flag("use_gelu") ? "gelu" : "relu", {inner});
  inner = call.aten("linear", {inner, call["ffn_weight_2"], call["ffn_bias_2"]});
  x = call.aten("add.Tensor", {inner, x});
  return {before ? x : norm(x, "norm_weight_2", "norm_bias_2")};
}

// --- norms of weights and rows ---

// The norm of every slice along a dimension; with -1, of the whole tensor.
Value norm_but(const DecomposeCall& call, Value v, const Argument& power, int64_t dim) {
  if (dim == -1) return call.aten("norm.Scalar", {v, power});
  ir::Scalars others;
  const auto rank = static_cast<int64_t>(v.tensor().rank());
  require(dim >= -rank && dim < rank, "a norm is taken but for a dimension of the tensor:", dim,
          rank);
  if (dim < 0) dim += rank;
  call.require_sizes(ne(v.tensor().sizes[static_cast<size_t>(dim)], 0),
                     "a norm is taken of every slice, of which there must be some:", v.tensor());
  for (int64_t d = 0; d < rank; ++d) {
    if (d != dim) others.emplace_back(d);
  }
  return call.aten("norm.ScalarOpt_dim", {v, power, others, Expr::boolean(true)});
}

std::vector<Value> norm_except_dim(DecomposeCall& call) {
  return {norm_but(call, call["v"], call.pass("pow"), call.integer("dim"))};
}

double smallest_step(DType dtype) {
  return real_dtype(dtype) == DType::f64 ? std::numeric_limits<double>::epsilon()
                                         : std::numeric_limits<float>::epsilon();
}

std::vector<Value> rms_norm(DecomposeCall& call) {
  const Value input = call.aten(
      "contiguous", {call["input"], Attribute(suggest_memory_format(call.type("input")))});
  const DType dtype = input.tensor().dtype;
  const DType compute = compute_dtype(dtype);
  ir::Scalars dims;
  const auto count = static_cast<int64_t>(call.sizes("normalized_shape").size());
  for (int64_t d = -count; d < 0; ++d) dims.emplace_back(d);
  const Value x = call.to(input, compute);
  const double eps = call.has("eps") ? call.real("eps") : smallest_step(compute);
  const Value mean =
      call.aten("mean.dim", {call.aten("mul.Tensor", {x, x}), dims, Expr::boolean(true)});
  const Value scale = call.aten("rsqrt", {call.aten("add.Scalar", {mean, Expr::real(eps)})});
  Value result = call.aten("mul.Tensor", {x, scale});
  if (call.has("weight"))
    result = call.aten("mul.Tensor", {result, call.to(call["weight"], compute)});
  return {call.to(result, dtype), scale};
}

// --- sequences ---

// Batches of sequences of different lengths, [length, ...] each, padded to the longest.
std::vector<Value> pad_sequence(DecomposeCall& call) {
  const std::span<const Value> sequences = call.values("sequences");
  require(!sequences.empty(), "pad_sequence C1: there must be a sequence");
  const std::string_view side = call.str("padding_side");
  require(side == "left" || side == "right",
          "pad_sequence C2: a side must be left or right:", side);
  const TensorType& first = sequences[0].tensor();
  require(first.rank() > 0, "pad_sequence C3: sequences must have a length:", first);
  Expr longest = first.sizes[0];
  for (const Value& sequence : sequences) {
    const TensorType& type = sequence.tensor();
    require(type.rank() == first.rank(), "pad_sequence C3: sequences must have one rank:", type,
            first);
    longest = max(longest, type.sizes[0]);
  }
  std::vector<Value> padded;
  for (const Value& sequence : sequences) {
    const TensorType& type = sequence.tensor();
    Sizes pad(2 * type.rank(), Expr(0));
    pad[2 * type.rank() - (side == "left" ? 2 : 1)] = longest - type.sizes[0];
    padded.push_back(call.aten("constant_pad_nd",
                               {call.to(sequence, first.dtype), pad, call.pass("padding_value")}));
  }
  const Expr dim = call.flag("batch_first") ? 0 : 1;
  return {call.aten("stack", {padded, dim})};
}

// Convolution over [time, batch, channels].
std::vector<Value> time_convolution(DecomposeCall& call) {
  require(call.type("self").rank() == 3 && call.type("weight").rank() == 3,
          "conv_tbc C1: input and weight must have three dimensions:", call.type("self"),
          call.type("weight"));
  const Sizes& sizes = call.type("self").sizes;
  const Sizes& window = call.type("weight").sizes;
  call.require_sizes(eq(sizes[2], window[1]),
                     "conv_tbc C2: input and weight must have as many channels:", call.type("self"),
                     call.type("weight"));
  require(call.type("bias").rank() == 1,
          "conv_tbc C3: the bias must have one dimension:", call.type("bias"));
  call.require_sizes(eq(call.type("bias").sizes[0], window[2]),
                     "conv_tbc C3: the bias must have an element per channel of the result:",
                     call.type("bias"), call.type("weight"));
  // Images without channels have no results, but sequences without channels return the bias; those
  // with a window one longer than they are have no elements.
  const Expr length = sizes[0] + Expr(2) * call.expr("pad") - window[0] + Expr(1);
  if (known_equal(sizes[2], 0) || known_equal(window[2], 0) || known_equal(length, 0)) {
    const Value bias =
        call.aten("expand", {call["bias"], ir::Scalars{length, sizes[1], window[2]}});
    return {call.aten("clone", {bias, Attribute(MemoryFormat::contiguous)})};
  }
  const Value input = call.aten("permute", {call["self"], ir::Scalars{1, 2, 0}});
  const Value weight = call.aten("permute", {call["weight"], ir::Scalars{2, 1, 0}});
  const Value result = call.aten(
      "conv1d", {input, weight, call["bias"], ir::Scalars{Expr(1)}, ir::Scalars{call.expr("pad")}});
  const Value in_time = call.aten("permute", {result, ir::Scalars{2, 0, 1}});
  return {call.aten("clone", {in_time, Attribute(MemoryFormat::contiguous)})};
}

constexpr std::array kAttention{
    "(f32[2, 3, 4], f32[2, 3, 4], f32[2, 3, 4], 4, 2, f32[12, 4], f32[12], f32[4, 4], f32[4])"sv};
constexpr std::array kEncoder{
    "(f32[2, 3, 4], 4, 2, f32[12, 4], f32[12], f32[4, 4], f32[4], False, True, 1e-5, f32[4], "
    "f32[4], f32[4], f32[4], f32[8, 4], f32[8], f32[4, 8], f32[4])"sv,
    "(f32[2, 3, 4], 4, 2, f32[12, 4], f32[12], f32[4, 4], f32[4], True, False, 1e-5, f32[4], "
    "f32[4], f32[4], f32[4], f32[8, 4], f32[8], f32[4, 8], f32[4], bool[2, 3], 1)"sv};
constexpr std::array kNormBut{"(f32[2, 3, 4], 2, 1)"sv, "(f32[2, 3], 2, -1)"sv};
constexpr std::array kRows{"(f32[2, 3], [3], f32[3], 1e-5)"sv, "(bf16[2, 3], [3], None, None)"sv};
constexpr std::array kSequences{"([f32[2, 3], f32[4, 3]])"sv,
                                "([f32[2], f32[1]], True, 0.5, 'left')"sv,
                                "([f32[s0, 3], f32[2, 3]], True)"sv};
constexpr std::array kTime{"(f32[5, 2, 3], f32[2, 3, 4], f32[4], 1)"sv};

constexpr std::array kOps{
    composite("aten._fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, "
              "float? eps) -> (Tensor, Tensor)",
              "Rows divided by their root mean square, and one over that.", rms_norm,
              {.calls = kRows}),
    composite("aten._native_multi_head_attention(Tensor query, Tensor key, Tensor value, "
              "int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, "
              "Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, "
              "bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)",
              "Attention with its projections, and its weights.\n"
              "C1: operands have three dimensions. C2: heads divide the width. C3: they are of "
              "one shape.",
              multi_head_attention, {.calls = kAttention}),
    composite("aten._transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, "
              "Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, "
              "bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, "
              "Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, "
              "Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, "
              "Tensor? mask=None, int? mask_type=None) -> Tensor",
              "A layer of a transformer encoder: self-attention and two linear layers.",
              encoder_layer, {.calls = kEncoder}),
    composite("aten.conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
              "Convolution over the first dimension of [time, batch, channels].\n"
              "C1: input and weight have three dimensions. C2: they have as many channels. C3: the "
              "bias has an element per channel of the result.",
              time_convolution, {.calls = kTime}),
    composite("aten.norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
              "The norms of slices along a dimension.", norm_except_dim, {.calls = kNormBut}),
    composite("aten.pad_sequence(Tensor[] sequences, bool batch_first=False, "
              "float padding_value=0.0, str padding_side='right') -> Tensor",
              "Sequences filled up to the longest, as one tensor.\n"
              "C1: there is a sequence. C2: a side is left or right. C3: all have one rank.",
              pad_sequence, {.calls = kSequences}),
};

}  // namespace

std::span<const OpDef> layer_ops() { return kOps; }

}  // namespace litz::ops
