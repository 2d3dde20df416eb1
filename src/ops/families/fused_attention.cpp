// The attention operators of PyTorch's back ends, which remain in exported programs: attention with
// the logarithm of each row's sum of weights, and its derivative.
//
// A row whose keys are all masked gives zeros; its logarithm is 0. Results that only a device's
// random numbers need (seeds, offsets) are empty or 0: dropout is not available.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

bool takes(const Call& call, std::string_view name) { return call.op().schema.find(name) >= 0; }

/// The additive mask under either of its names; null if there is none.
Value mask_of(const Call& call) {
  for (const char* name : {"attn_mask", "attn_bias"}) {
    // An absent bias of a derivative is an empty tensor.
    if (takes(call, name) && call.has(name) && call.type(name).rank() > 1) return call.value(name);
  }
  return {};
}

void require_heads(const Call& call) {
  const TensorType& query = call.type("query");
  const TensorType& key = call.type("key");
  const TensorType& value = call.type("value");
  for (const TensorType* type : {&query, &key, &value}) {
    require(type->rank() == 4 && type->dtype == query.dtype && is_floating(type->dtype) &&
                !known_not_equal(type->sizes[0], query.sizes[0]),
            "attention C1: query, key and value are [batch, heads, length, size], of one dtype:",
            *type);
  }
  require(!known_not_equal(query.sizes[3], key.sizes[3]) &&
              !known_not_equal(key.sizes[2], value.sizes[2]) &&
              !known_not_equal(key.sizes[1], value.sizes[1]),
          "attention C2: queries and keys have one size, keys and values one length and number:",
          query, key, value);
  call.require_sizes(eq(mod(query.sizes[1], max(key.sizes[1], Expr(1))), 0),
                     "attention C3: every key has as many queries as every other:", query, key);
  require(!takes(call, "dropout_p") || call.real("dropout_p") == 0, ErrorCode::unsupported,
          "attention with dropout is not available here, dropout_p is", call.real("dropout_p"));
}

Expr usual_scale(Expr size) {
  if (!size.is_constant()) return pow(to_real(size), Expr::real(-0.5));
  if (size.is(0)) return Expr::real(1);  // Empty sums are 0 with any scale.
  return Expr::real(1 / std::sqrt(static_cast<double>(size.constant())));
}

Expr scale_of(const Call& call) {
  return call.has("scale") ? call.scalar("scale") : usual_scale(call.type("query").sizes.back());
}

/// Steps of attention over [batch, heads, length, size], in the compute dtype.
class Attention {
 public:
  explicit Attention(const DecomposeCall& call)
      : call_(call), steps_(call), compute_(compute_dtype(call.type("query").dtype)) {}

  /// The number of query heads that share keys and values.
  Expr sharing() const {
    return floor_div(call_.type("query").sizes[1], call_.type("key").sizes[1]);
  }

  Value operand(std::string_view name) const { return call_.to(call_[name], compute_); }

  Value shared(std::string_view name) const {
    const Value value = operand(name);
    if (sharing().is(1)) return value;
    return call_.aten("repeat_interleave.self_int", {value, sharing(), Expr(1)});
  }

  Value product(Value a, Value b) const { return call_.aten("matmul", {a, b}); }

  Value transposed(Value a) const { return call_.aten("transpose.int", {a, Expr(-2), Expr(-1)}); }

  /// The inputs of the softmax: products, scaled and masked.
  Value scores() const {
    Value scores = product(operand("query"), transposed(shared("key")));
    scores = steps_.mul(scores, scale_of(call_));
    if (call_.flag("is_causal")) scores = masked(scores, causal());
    const Value mask = mask_of(call_);
    if (!mask) return scores;
    if (mask.tensor().dtype == DType::bool_) return masked(scores, mask);
    return steps_.add(scores, call_.to(mask, compute_));
  }

  /// [batch, heads, length]
  Value log_sum(Value scores) const {
    const Value sum = call_.aten("logsumexp", {scores, ir::Scalars{Expr(-1)}});
    const Value nothing = call_.aten("eq.Scalar", {sum, Expr::real(-INFINITY)});
    return call_.aten("masked_fill.Scalar", {sum, nothing, Expr(0)});
  }

  /// Sums gradients over query heads that share key heads.
  Value joined(Value gradient) const {
    if (sharing().is(1)) return gradient;
    Sizes sizes = gradient.tensor().sizes;
    sizes[1] = floor_div(sizes[1], sharing());
    sizes.insert(sizes.begin() + 2, sharing());
    return steps_.sum(steps_.reshape(gradient, sizes), {2}, false);
  }

 private:
  Value causal() const {
    const Sizes sizes{call_.type("query").sizes[2], call_.type("key").sizes[2]};
    return call_.aten("tril", {call_.aten("ones", {sizes, ir::Attribute(DType::bool_)})});
  }

  Value masked(Value scores, Value keep) const {
    return call_.aten("where.ScalarOther", {keep, scores, Expr::real(-INFINITY)});
  }

  const DecomposeCall& call_;
  Steps steps_;
  DType compute_;
};

// --- forward ---

Sizes rows_of(const Call& call) {
  const TensorType& query = call.type("query");
  return {query.sizes[0], query.sizes[1], query.sizes[2]};
}

TensorType output_type(const Call& call) {
  require_heads(call);
  const TensorType& query = call.type("query");
  Sizes sizes = rows_of(call);
  sizes.push_back(call.type("value").sizes[3]);
  return contiguous_type(query.dtype, sizes, query.device);
}

TensorType log_sum_type(const Call& call, Sizes sizes) {
  const TensorType& query = call.type("query");
  return contiguous_type(compute_dtype(query.dtype), std::move(sizes), query.device);
}

// In memory, heads come after the rows, as PyTorch's kernel for the CPU has them.
TensorType with_heads_inside(TensorType type) {
  std::swap(type.sizes[1], type.sizes[2]);
  return transposed(contiguous_type(type.dtype, type.sizes, type.device), 1, 2);
}

Types for_cpu_meta(const Call& call) {
  require_heads(call);
  require(!known_not_equal(call.type("query").sizes.back(), call.type("value").sizes.back()),
          "attention C5: queries, keys and values have one size:", call.type("query"),
          call.type("value"));
  if (call.has("attn_mask")) {
    const TensorType& mask = call.type("attn_mask");
    require(
        (mask.rank() == 2 || mask.rank() == 4) &&
            (mask.dtype == DType::f32 || mask.dtype == call.type("query").dtype),
        "attention C6: a mask has rank 2 or 4, and is f32 or of the dtype of the queries:", mask);
  }
  TensorType output = output_type(call);
  output.strides = preserved_type(output.dtype, call.type("query"), MemoryFormat::preserve).strides;
  return {output, with_heads_inside(log_sum_type(call, rows_of(call)))};
}

// Rows of logarithms are padded to whole tiles of the kernel.
constexpr int64_t kTile = 32;

Types efficient_meta(const Call& call) {
  const TensorType output = output_type(call);
  Sizes rows = rows_of(call);
  rows[2] = call.flag("compute_log_sumexp") ? kTile * ceil_div(rows[2], Expr(kTile)) : Expr(0);
  const TensorType number = contiguous_type(DType::i64, {}, output.device);
  return {output, log_sum_type(call, rows), number, number};
}

ir::ValueType length_type(Expr length) { return ir::ScalarType{ExprDomain::integer, length}; }

Types flash_meta(const Call& call) {
  const TensorType output = output_type(call);
  return {output,
          log_sum_type(call, rows_of(call)),
          ir::NoneType{},
          ir::NoneType{},
          length_type(call.type("query").sizes[2]),
          length_type(call.type("key").sizes[2]),
          contiguous_type(DType::u64, {Expr(2)}, output.device),
          contiguous_type(DType::u64, {}, output.device),
          contiguous_type(output.dtype, {Expr(0)}, output.device)};
}

Types cudnn_meta(const Call& call) {
  const TensorType output = output_type(call);
  Sizes rows = rows_of(call);
  rows.emplace_back(1);
  const TensorType number = contiguous_type(DType::i64, {}, output.device);
  return {output,
          call.flag("compute_log_sumexp") ? ir::ValueType(log_sum_type(call, rows))
                                          : ir::ValueType(ir::NoneType{}),
          ir::NoneType{},
          ir::NoneType{},
          length_type(call.type("query").sizes[2]),
          length_type(call.type("key").sizes[2]),
          number,
          number,
          ir::NoneType{}};
}

Value plain_attention(const DecomposeCall& call) {
  const bool shares = !known_equal(call.type("query").sizes[1], call.type("key").sizes[1]);
  const Value mask = mask_of(call);
  return call.aten(
      "scaled_dot_product_attention",
      {call["query"], call["key"], call["value"], mask ? ir::Argument(mask) : ir::Argument(),
       Expr::real(0), call.pass("is_causal"), call.pass("scale"), Expr::boolean(shares)});
}

// The output and the logarithms; other results are zeros.
std::vector<Value> forward(DecomposeCall& call) {
  const Attention attention(call);
  std::vector<Value> results{plain_attention(call)};
  Value log_sum = attention.log_sum(attention.scores());
  if (const auto* wanted = std::get_if<TensorType>(&call.results()[1])) {
    if (wanted->rank() == 4) log_sum = call.aten("unsqueeze", {log_sum, Expr(-1)});
    const Expr extra = wanted->sizes[2] - log_sum.tensor().sizes[2];
    if (!extra.is(0)) {
      log_sum = known_equal(wanted->sizes[2], 0)
                    ? Steps(call).zeros(wanted->sizes, wanted->dtype)
                    : call.aten("constant_pad_nd",
                                {log_sum, ir::Scalars{Expr(0), extra}, Expr::real(INFINITY)});
    }
  }
  results.push_back(log_sum);
  for (size_t i = 2; i < call.results().size(); ++i) {
    const auto* type = std::get_if<TensorType>(&call.results()[i]);
    results.push_back(type == nullptr ? Value() : Steps(call).zeros(type->sizes, type->dtype));
  }
  return results;
}

// Attention that also returns the weights.

Types math_meta(const Call& call) {
  const TensorType& query = call.type("query");
  const TensorType& key = call.type("key");
  const TensorType& value = call.type("value");
  require(query.rank() >= 2 && key.rank() >= 2 && value.rank() >= 2 && is_floating(query.dtype),
          "attention C1: query, key and value are floating, of rank 2 or more:", query, key, value);
  require(call.real("dropout_p") == 0, ErrorCode::unsupported,
          "attention with dropout is not available here, dropout_p is", call.real("dropout_p"));
  require(!call.flag("is_causal") || !call.has("attn_mask"),
          "attention takes a mask or is_causal, not both");
  const auto leading = [](const TensorType& type) {
    return Sizes(type.sizes.begin(), type.sizes.end() - 2);
  };
  Sizes batch = leading(query);
  if (!call.flag("enable_gqa")) batch = broadcast_sizes(batch, leading(key));
  Sizes weights = batch;
  weights.push_back(query.sizes[query.rank() - 2]);
  weights.push_back(key.sizes[key.rank() - 2]);
  if (call.has("attn_mask")) {
    const Sizes masked = broadcast_sizes(weights, call.type("attn_mask").sizes);
    constexpr const char* kText = "attention C4: a mask broadcasts to the scores:";
    require(!is_complex(call.type("attn_mask").dtype),
            "attention C6: masks are real:", call.type("attn_mask"));
    require(masked.size() == weights.size(), kText, call.type("attn_mask"));
    for (size_t d = 0; d < weights.size(); ++d) {
      call.require_sizes(eq(masked[d], weights[d]), kText, call.type("attn_mask"));
    }
  }
  Sizes sizes = call.flag("enable_gqa") ? batch : broadcast_sizes(batch, leading(value));
  sizes.push_back(query.sizes[query.rank() - 2]);
  sizes.push_back(value.sizes.back());
  return {contiguous_type(query.dtype, sizes, query.device),
          contiguous_type(query.dtype, weights, query.device)};
}

Value math_heads(const DecomposeCall& call, std::string_view name, DType compute) {
  const Value value = call.to(call[name], compute);
  if (!call.flag("enable_gqa")) return value;
  const TensorType& query = call.type("query");
  const TensorType& type = value.tensor();
  const Expr repeats = floor_div(query.sizes[query.rank() - 3], type.sizes[type.rank() - 3]);
  if (repeats.is(1)) return value;
  return call.aten("repeat_interleave.self_int", {value, repeats, Expr(-3)});
}

std::vector<Value> math_attention(DecomposeCall& call) {
  const Steps steps(call);
  const TensorType& query = call.type("query");
  const DType compute = compute_dtype(query.dtype);
  const Value keys =
      call.aten("transpose.int", {math_heads(call, "key", compute), Expr(-2), Expr(-1)});
  Value scores = call.aten("matmul", {call.to(call["query"], compute), keys});
  scores = steps.mul(scores, scale_of(call));
  Value keep;
  if (call.flag("is_causal")) {
    const Sizes sizes{query.sizes[query.rank() - 2], keys.tensor().sizes.back()};
    keep = call.aten("tril", {call.aten("ones", {sizes, ir::Attribute(DType::bool_)})});
  } else if (call.has("attn_mask")) {
    // Masks of bool count as numbers here.
    scores = steps.add(scores, call.to(call["attn_mask"], compute));
  }
  if (keep) scores = call.aten("where.ScalarOther", {keep, scores, Expr::real(-INFINITY)});
  const Value weights = call.aten("_safe_softmax", {scores, Expr(-1)});
  const Value output = call.aten("matmul", {weights, math_heads(call, "value", compute)});
  return {call.to(output, query.dtype), call.to(weights, query.dtype)};
}

// --- derivatives ---

Types backward_meta(const Call& call) {
  require_heads(call);
  const std::string_view gradient = takes(call, "grad_out_") ? "grad_out_" : "grad_out";
  Sizes sizes = rows_of(call);
  sizes.push_back(call.type("value").sizes[3]);
  require(may_be_same_sizes(call.type(gradient).sizes, sizes) &&
              may_be_same_sizes(call.type("out").sizes, sizes),
          "attention C4: output and gradient have the sizes that attention gives:",
          call.type("out"), call.type(gradient));
  Types types;
  for (const char* name : {"query", "key", "value"}) {
    const TensorType& type = call.type(name);
    types.emplace_back(contiguous_type(type.dtype, type.sizes, type.device));
  }
  if (call.op().schema.returns.size() == 4) {
    const Value mask = mask_of(call);
    const Sizes asked = call.sizes("grad_input_mask");
    const bool wanted = mask && asked.size() == 4 && known(asked[3]) == true;
    types.push_back(wanted
                        ? ir::ValueType(contiguous_type(mask.tensor().dtype, mask.tensor().sizes))
                        : ir::ValueType(ir::NoneType{}));
  }
  return types;
}

Types backward_for_cpu_meta(const Call& call) {
  Types types = backward_meta(call);
  for (ir::ValueType& type : types) type = with_heads_inside(std::get<TensorType>(type));
  return types;
}

// Sums a gradient to the sizes of a mask that was broadcast.
Value summed_to(const DecomposeCall& call, Value value, const TensorType& type) {
  std::vector<int64_t> dims;
  const size_t skipped = value.tensor().rank() - type.rank();
  for (size_t d = 0; d < value.tensor().rank(); ++d) {
    const bool was_broadcast =
        d < skipped || (type.sizes[d - skipped].is(1) && !value.tensor().sizes[d].is(1));
    if (was_broadcast) dims.push_back(static_cast<int64_t>(d));
  }
  return Steps(call).reshape(Steps(call).sum(value, dims, true), type.sizes);
}

// With P the weights and dP = dO V^T: dS = P (dP - sum(dO O)) is passed on to queries, keys and
// mask.
std::vector<Value> backward(DecomposeCall& call) {
  const Attention attention(call);
  const Steps steps(call);
  const Value gradient = attention.operand(takes(call, "grad_out_") ? "grad_out_" : "grad_out");
  const Value scores = attention.scores();
  // Rows may be longer than the number of queries.
  Value log_sum = call.aten("slice.Tensor", {attention.operand("logsumexp"), Expr(2), Expr(0),
                                             call.type("query").sizes[2]});
  // PyTorch's decomposition of attention passes the weights here; kernels read their first column.
  log_sum = log_sum.tensor().rank() == 3
                ? call.aten("unsqueeze", {log_sum, Expr(-1)})
                : call.aten("slice.Tensor", {log_sum, Expr(3), Expr(0), Expr(1)});
  const Value weights = call.aten("exp", {steps.sub(scores, log_sum)});
  const Value by_weights =
      attention.product(gradient, attention.transposed(attention.shared("value")));
  const Value along = steps.sum(steps.mul(gradient, attention.operand("out")), {3}, true);
  const Value by_scores = steps.mul(weights, steps.sub(by_weights, along));
  const Value scaled = steps.mul(by_scores, scale_of(call));
  const DType dtype = call.type("query").dtype;
  const auto transposed_product = [&](Value a, Value b) {
    return call.to(attention.joined(attention.product(attention.transposed(a), b)), dtype);
  };
  std::vector<Value> results{call.to(attention.product(scaled, attention.shared("key")), dtype),
                             transposed_product(scaled, attention.operand("query")),
                             transposed_product(weights, gradient)};
  if (call.results().size() == 4) {
    const auto* type = std::get_if<TensorType>(&call.results()[3]);
    results.push_back(type == nullptr ? Value()
                                      : call.to(summed_to(call, by_scores, *type), type->dtype));
  }
  return results;
}

constexpr std::array kForCpuSample{
    "(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4])"sv,
    "(f32[2, 4, s0, 4], f32[2, 2, s0, 4], f32[2, 2, s0, 4], 0.0, True, scale=0.3)"sv,
    "(f16[1, 2, 3, 4], f16[1, 2, 5, 4], f16[1, 2, 5, 4], attn_mask=f16[3, 5])"sv};
constexpr std::array kEfficientSample{
    "(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], None, True)"sv,
    "(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[2, 2, 3, 5], False)"sv};
constexpr std::array kFlashSample{"(f16[2, 2, 3, 4], f16[2, 2, 5, 4], f16[2, 2, 5, 4])"sv};
constexpr std::array kCudnnSample{
    "(f16[2, 2, 3, 4], f16[2, 2, 5, 4], f16[2, 2, 5, 4], None, True)"sv};
constexpr std::array kMathSample{"(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[3, 5])"sv,
                                 "(f16[2, 3, 4], f16[2, 3, 4], f16[2, 3, 4], is_causal=True)"sv};
constexpr std::array kForCpuBackwardSample{
    "(f32[2, 2, 3, 4], f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[2, 2, 3, 4], f32[2, 2, 3] in [3, 4), 0.0, False)"sv};
constexpr std::array kEfficientBackwardSample{
    "(f32[2, 2, 3, 4], f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[1, 2, 3, 5], f32[2, 2, 3, 4], f32[2, 2, 32] in [3, 4), i64[], i64[], 0.0, [True, True, True, True])"sv};
constexpr std::array kFlashBackwardSample{
    "(f32[2, 2, 3, 4], f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[2, 2, 3, 4], f32[2, 2, 3] in [3, 4), i64[0], i64[0], 3, 5, 0.0, False, i64[], i64[])"sv};

constexpr std::string_view kForwardDoc =
    "softmax(query @ key^T * scale + mask) @ value, and the logarithms of the rows' sums.\n"
    "C1: [batch, heads, length, size], of one dtype. C2: sizes and lengths agree. C3: heads of "
    "keys divide those of queries.";
constexpr std::string_view kBackwardDoc =
    "Derivative of attention, from its output and the logarithms of the rows' sums.\n"
    "C1 to C3 as those of attention.";

constexpr OpDef variant(ir::SchemaText schema, std::string_view doc, Meta meta,
                        std::vector<Value> (*build)(DecomposeCall&),
                        std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Decompose{build},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    variant("aten._scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, "
            "Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, Tensor? "
            "dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)",
            "softmax(query @ key^T * scale + mask) @ value, and the weights.", math_meta,
            math_attention, kMathSample),
    variant("aten._scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, "
            "Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool "
            "is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor, "
            "Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor)",
            kForwardDoc, cudnn_meta, forward, kCudnnSample),
    variant("aten._scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, "
            "Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool "
            "is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)",
            kForwardDoc, efficient_meta, forward, kEfficientSample),
    variant("aten._scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor "
            "query, Tensor key, Tensor value, Tensor attn_bias, Tensor out, Tensor logsumexp, "
            "Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, "
            "bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)",
            kBackwardDoc, backward_meta, backward, kEfficientBackwardSample),
    variant("aten._scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, "
            "float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, float? "
            "scale=None) -> (Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, "
            "Tensor)",
            kForwardDoc, flash_meta, forward, kFlashSample),
    variant("aten._scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, "
            "Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor "
            "cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, Tensor "
            "philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor, Tensor, Tensor)",
            kBackwardDoc, backward_meta, backward, kFlashBackwardSample),
    variant("aten._scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor "
            "value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? "
            "scale=None) -> (Tensor, Tensor)",
            kForwardDoc, for_cpu_meta, forward, kForCpuSample),
    variant("aten._scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor "
            "query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool "
            "is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor, Tensor)",
            kBackwardDoc, backward_for_cpu_meta, backward, kForCpuBackwardSample),
};

}  // namespace

std::span<const OpDef> fused_attention_ops() { return kOps; }

}  // namespace litz::ops
