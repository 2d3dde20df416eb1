// Attention, by its definition: softmax(query @ key^T * scale + mask) @ value.
//
// Halves are computed in f32 and rounded once at the end. A row whose keys are all masked gives
// zeros, as in PyTorch.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

size_t last(const TensorType& type, size_t back = 1) { return type.rank() - back; }

Sizes leading(const TensorType& type) { return {type.sizes.begin(), type.sizes.end() - 2}; }

// The sizes before length and width. Shared heads become as many as those of the query.
Sizes result_batch(const Call& call) {
  Sizes batch = leading(call.type("query"));
  if (call.flag("enable_gqa")) return batch;
  for (const char* name : {"key", "value"}) {
    const Sizes other = leading(call.type(name));
    if (other != batch) batch = broadcast_sizes(batch, other);
  }
  return batch;
}

TensorType attention_meta(const Call& call) {
  const TensorType& query = call.type("query");
  const TensorType& key = call.type("key");
  const TensorType& value = call.type("value");
  for (const TensorType* type : {&query, &key, &value}) {
    require(type->rank() >= 2, "attention needs tensors of rank 2 or more, got", type->rank());
    require(type->dtype == query.dtype,
            "query, key and value must have one dtype:", name(query.dtype), name(type->dtype));
  }
  require(!known_not_equal(query.sizes[last(query)], key.sizes[last(key)]),
          "query and key must agree in the last dimension:", query.sizes[last(query)],
          key.sizes[last(key)]);
  require(!known_not_equal(key.sizes[last(key, 2)], value.sizes[last(value, 2)]),
          "key and value must have one length:", key.sizes[last(key, 2)],
          value.sizes[last(value, 2)]);
  TensorType shape = query;
  shape.sizes = result_batch(call);
  // PyTorch then gives zeros for every query, whatever the other sizes are.
  require(!known_equal(value.numel(), 0) || shape.sizes == leading(query),
          "attention to no values: shapes cannot be broadcast:", query, value);
  shape.sizes.push_back(query.sizes[last(query, 2)]);
  shape.sizes.push_back(value.sizes[last(value)]);
  // The fused kernel keeps the query's layout; it takes rows without gaps.
  const auto has_rows = [](const TensorType& type) { return known_equal(type.strides.back(), 1); };
  if (shape.sizes == query.sizes && has_rows(query) && has_rows(key) && has_rows(value)) {
    return preserved_type(query.dtype, query, MemoryFormat::preserve);
  }
  return contiguous_type(query.dtype, shape.sizes, query.device);
}

// Repeats key or value heads, each shared by several query heads, to one per query head.
ir::Value with_query_heads(DecomposeCall& call, ir::Value operand, const TensorType& query) {
  if (!call.flag("enable_gqa")) return operand;
  const Expr repeats =
      floor_div(query.sizes[last(query, 3)], operand.tensor().sizes[last(operand.tensor(), 3)]);
  if (repeats.is(1)) return operand;
  return call.aten("repeat_interleave.self_int", {operand, repeats, Expr(-3)});
}

// --- the kernel that PyTorch's attention would use ---

// A single set of heads becomes a batch of one.
TensorType as_batch(const TensorType& type) {
  constexpr size_t kHeadsRank = 3;
  return type.rank() == kHeadsRank ? unsqueezed(type, 0) : type;
}

Expr same_heads(const Call& call, Expr query, Expr key, Expr value) {
  const Expr shared = eq(key, value);
  if (call.flag("enable_gqa")) {
    // 0 query heads are a multiple of any number; no other number is a multiple of 0 heads.
    return logical_and(shared, logical_and(lt(0, key), eq(mod(query, max(key, Expr(1))), 0)));
  }
  const Expr broadcast = logical_and(eq(key, 1), lt(0, query));
  return logical_and(shared, logical_or(eq(query, key), broadcast));
}

Expr mask_fits(TensorType mask, const Sizes& scores, bool is_single) {
  require(mask.rank() >= 2, "_fused_sdp_choice C1: a mask has rank 2 or more:", mask);
  if (is_single) mask = as_batch(mask);
  if (mask.rank() != 2 && mask.rank() != scores.size()) return Expr::boolean(false);
  Expr fits = Expr::boolean(true);
  for (size_t i = 1; i <= mask.rank(); ++i) {
    const Expr size = mask.sizes[last(mask, i)];
    fits = logical_and(fits, logical_or(eq(size, 1), eq(size, scores[scores.size() - i])));
  }
  return fits;
}

Expr runs_fused(const Call& call) {
  constexpr size_t kBatchRank = 4;
  TensorType query = call.type("query");
  TensorType key = call.type("key");
  TensorType value = call.type("value");
  const bool is_single = query.rank() + 1 == kBatchRank;
  if (call.real("dropout_p") > 0) return Expr::boolean(false);
  if (!is_floating(query.dtype) || is_float8(query.dtype)) return Expr::boolean(false);
  Expr fits = Expr::boolean(true);
  for (const TensorType* type : {&query, &key, &value}) {
    if (type->rank() != query.rank() || type->dtype != query.dtype) return Expr::boolean(false);
    if (type->rank() != kBatchRank && !is_single) return Expr::boolean(false);
    fits = logical_and(fits, eq(type->strides.back(), 1));
    fits = logical_and(fits, eq(type->sizes.back(), query.sizes.back()));
  }
  query = as_batch(query);
  key = as_batch(key);
  value = as_batch(value);
  const Sizes scores{query.sizes[0], query.sizes[1], query.sizes[2], key.sizes[2]};
  fits = logical_and(
      fits, logical_and(eq(query.sizes[0], key.sizes[0]), eq(query.sizes[0], value.sizes[0])));
  fits = logical_and(fits, same_heads(call, query.sizes[1], key.sizes[1], value.sizes[1]));
  fits = logical_and(fits, logical_and(ne(scores[2], 0), ne(scores[3], 0)));
  if (!call.is_tensor("attn_mask")) return fits;
  return logical_and(fits, mask_fits(call.type("attn_mask"), scores, is_single));
}

// --- attention by its definition ---

// Masks are added, so infinite or NaN scores remain visible. Only PyTorch's fused kernel ignores
// them.
ir::Value with_mask(DecomposeCall& call, ir::Value scores, DType compute) {
  const TensorType& type = scores.tensor();
  if (!call.flag("is_causal") && !call.has("attn_mask")) return scores;
  ir::Value mask;
  if (call.flag("is_causal")) {
    const ir::Value ones = call.aten(
        "ones", {ir::Attribute(ir::Scalars{type.sizes[last(type, 2)], type.sizes[last(type)]}),
                 ir::Attribute(DType::bool_)});
    mask = call.aten("tril", {ones});
    if (known(runs_fused(call)) != false) {
      return call.aten("where.ScalarOther", {mask, scores, Expr::real(-INFINITY)});
    }
  } else {
    mask = call["attn_mask"];
  }
  if (mask.tensor().dtype == DType::bool_) {
    mask = call.aten("where.Scalar", {mask, Expr::real(0), Expr::real(-INFINITY)});
  }
  return call.aten("add.Tensor", {scores, call.to(mask, compute)});
}

Expr usual_scale(Expr width) {
  if (!width.is_constant()) return pow(to_real(width), Expr::real(-0.5));
  if (width.is(0)) return Expr::real(1);  // Empty sums are 0 with any scale.
  return Expr::real(1 / std::sqrt(static_cast<double>(width.constant())));
}

std::vector<ir::Value> attention(DecomposeCall& call) {
  require(!call.flag("is_causal") || !call.has("attn_mask"),
          "attention takes a mask or is_causal, not both");
  const TensorType& query = call.type("query");
  const DType compute = compute_dtype(query.dtype);
  const ir::Value key = with_query_heads(call, call["key"], query);
  const ir::Value value = with_query_heads(call, call["value"], query);
  const Expr width = query.sizes[last(query)];
  const Expr scale = call.has("scale") ? call.scalar("scale") : usual_scale(width);
  const ir::Value keys = call.aten("transpose.int", {call.to(key, compute), Expr(-2), Expr(-1)});
  ir::Value scores = call.aten("matmul", {call.to(call["query"], compute), keys});
  scores = call.aten("mul.Scalar", {scores, scale});
  scores = with_mask(call, scores, compute);
  ir::Value weights = call.aten("_safe_softmax", {scores, Expr(-1)});
  const double dropped = call.real("dropout_p");
  if (dropped != 0) {
    weights = call.aten("dropout", {weights, Expr::real(dropped), Expr::boolean(true)});
  }
  return {call.to(call.aten("matmul", {weights, call.to(value, compute)}), query.dtype)};
}

// Attention as one library call.

TensorType whole_attention_meta(const Call& call) {
  const TensorType& query = call.type("query");
  const TensorType& key = call.type("key");
  const TensorType& value = call.type("value");
  for (const TensorType* type : {&query, &key, &value}) {
    require(
        type->rank() >= 2 && type->dtype == query.dtype && is_floating(type->dtype),
        "attention C1: query, key and value are floating, of rank 2 or more, of one dtype:", *type);
  }
  require(!known_not_equal(query.sizes[last(query)], key.sizes[last(key)]),
          "attention C2: query and key agree in the last dimension:", query, key);
  require(!known_not_equal(key.sizes[last(key, 2)], value.sizes[last(value, 2)]),
          "attention C3: key and value have one length:", key, value);
  const Sizes batches[] = {leading(query), leading(key), leading(value)};
  Sizes sizes = broadcast_sizes(batches);
  sizes.push_back(query.sizes[last(query, 2)]);
  if (call.has("mask")) {
    require(!call.flag("causal"), "attention C5: causal attention takes no mask");
    const TensorType& mask = call.type("mask");
    require(mask.dtype == DType::bool_ || mask.dtype == compute_dtype(query.dtype),
            "attention C4: a mask is bool or of the dtype that is computed in:", mask);
    Sizes scores = sizes;
    scores.push_back(key.sizes[last(key, 2)]);
    require(broadcast_sizes(mask.sizes, scores).size() == scores.size(),
            "attention C4: a mask broadcasts to the scores:", mask);
  }
  sizes.push_back(value.sizes[last(value)]);
  return contiguous_type(query.dtype, sizes, query.device);
}

Types choice_meta(const Call& call) {
  return {ir::ScalarType{ExprDomain::integer, where(runs_fused(call), Expr(1), Expr(0))}};
}

constexpr std::array kWholeSamples{
    "(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 6], scale=0.5)"sv,
    "(f32[2, 3, 4], f32[5, 4], f32[2, 5, 4], bool[3, 5], scale=0.5, safe=True)"sv,
    "(f32[3, 4], f32[5, 4], f32[5, 4], f32[5], scale=-1.0)"sv,
    "(f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 6], scale=0.5, causal=True)"sv};

constexpr std::array kSamples{"(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4])"sv,
                              "(f32[2, 3, 4], f32[2, 3, 4], f32[2, 3, 4], is_causal=True)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._fused_sdp_choice(Tensor query, Tensor key, Tensor value, Tensor? "
                    "attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? "
                    "scale=None, bool enable_gqa=False) -> int",
          .doc = "1 where one kernel of PyTorch's can do the attention, else 0.\n"
                 "C1: a mask has rank 2 or more.",
          .meta = choice_meta,
          .impl = Structural{}},
    OpDef{.schema = "aten.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, "
                    "Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? "
                    "scale=None, bool enable_gqa=False) -> Tensor",
          .doc = "softmax(query @ key^T * scale + mask) @ value.",
          .meta = attention_meta,
          .impl = Decompose{attention},
          .samples = {.calls = kSamples}},
    OpDef{.schema = "litz.attention(Tensor query, Tensor key, Tensor value, Tensor? mask=None, *, "
                    "float scale, bool safe=False, bool causal=False) -> Tensor",
          .doc = "softmax(query @ key^T * scale + mask) @ value, computed in f32 or f64; a bool "
                 "mask adds minus infinity where it is false, and `causal`, which takes no mask, "
                 "for keys behind the row's place.\n"
                 "A row of minus infinities gives NaN, or zeros as weights when `safe`.",
          .meta = whole_attention_meta,
          .impl = Library{"attention"},
          .samples = {.calls = kWholeSamples}},
};

}  // namespace

std::span<const OpDef> attention_ops() { return kOps; }

}  // namespace litz::ops
