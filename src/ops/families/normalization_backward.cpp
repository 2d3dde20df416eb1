// Derivatives of normalisations. With x' = (x - mean) * rstd and g = gradient * weight, the
// derivative by the input is rstd * (g - mean(g) - x' * mean(g * x')), with means over elements
// that were normalised together.
//
// Halves are computed in f32 and rounded once. Weight norm and its derivative are here, too.

#include <algorithm>
#include <array>
#include <numeric>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using Dims = std::vector<int64_t>;

Dims range(size_t begin, size_t end) {
  Dims dims(end - begin);
  std::iota(dims.begin(), dims.end(), static_cast<int64_t>(begin));
  return dims;
}

DType parameter_dtype(const Call& call, std::string_view name) {
  return call.has(name) ? call.type(name).dtype : call.type("input").dtype;
}

/// The common parts of all derivatives, in the compute dtype and the input's rank.
struct Normalized {
  const DecomposeCall& call;
  Steps steps;
  DType compute;
  Value gradient;
  Value centred;  ///< The input minus its mean.
  Value rstd;

  Value normal() const { return steps.mul(centred, rstd); }

  Value mean(Value value, const Dims& dims) const {
    Expr count = 1;
    for (const int64_t d : dims) count = count * value.tensor().sizes[static_cast<size_t>(d)];
    return steps.div(steps.sum(value, dims, true), count);
  }

  /// The derivative by the input, from the gradient times the weight.
  Value input_gradient(Value weighted, const Dims& together) const {
    const Value along = steps.mul(normal(), mean(steps.mul(weighted, normal()), together));
    const Value rest = steps.sub(steps.sub(weighted, mean(weighted, together)), along);
    return steps.mul(rest, rstd);
  }
};

// Requires a gradient for each element of a floating input.
void require_gradient(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& gradient = call.type("grad_out");
  require(is_floating(input.dtype) && gradient.dtype == input.dtype,
          "derivatives of normalizations take a gradient of the input's floating dtype:", gradient,
          input);
  require(may_be_same_sizes(gradient.sizes, input.sizes),
          "the gradient of a normalization must have the sizes of its input:", gradient, input);
}

// Requires `count` elements if the tensor is given.
void require_count(const Call& call, std::string_view name, Expr count) {
  if (!call.has(name)) return;
  require(!known_not_equal(call.type(name).numel(), count),
          "a parameter must have one element per position that is normalized with it:",
          call.op().name(), name, call.type(name));
}

Value widened(const DecomposeCall& call, std::string_view name, DType compute) {
  return call.to(call[name], compute);
}

// --- layer norm ---

size_t outer_rank(const Call& call) {
  const TensorType& input = call.type("input");
  const size_t inner = call.sizes("normalized_shape").size();
  require(inner > 0 && inner <= input.rank(),
          "normalized_shape must name at least one and at most all dimensions:", inner, input);
  require_gradient(call);
  const Sizes shape = call.sizes("normalized_shape");
  const std::span<const Expr> sizes(input.sizes);
  require(may_be_same_sizes(shape, sizes.last(inner)),
          "normalized_shape must equal the last sizes of the input:", call.op().name(), input);
  for (const char* parameter : {"weight", "bias"}) {
    if (call.op().schema.find(parameter) < 0 || !call.has(parameter)) continue;
    require(may_be_same_sizes(shape, call.type(parameter).sizes),
            "a parameter must have one element per position that is normalized with it:",
            call.op().name(), parameter, call.type(parameter));
  }
  const Expr rows = product(sizes.first(input.rank() - inner));
  if (call.op().schema.find("mean") >= 0) require_count(call, "mean", rows);
  require_count(call, "rstd", rows);
  return input.rank() - inner;
}

// A statistic of the rows, shaped to broadcast over them.
Value row_statistic(const DecomposeCall& call, std::string_view name, DType compute) {
  const TensorType& input = call.type("input");
  Sizes sizes = input.sizes;
  std::fill(sizes.end() - static_cast<ptrdiff_t>(call.sizes("normalized_shape").size()),
            sizes.end(), Expr(1));
  return Steps(call).reshape(widened(call, name, compute), sizes);
}

TensorType parameter_type(const Call& call, std::string_view name, Sizes sizes) {
  return contiguous_type(parameter_dtype(call, name), std::move(sizes), call.type("input").device);
}

Types layer_norm_meta(const Call& call) {
  outer_rank(call);
  require_parameter_dtypes(call, {"weight", "bias", "mean", "rstd"});
  require((!wants(call, 1) || call.has("weight")) && (!wants(call, 2) || call.has("bias")),
          "only parameters that are given have a gradient:", call.op().name());
  const TensorType& input = call.type("input");
  const Sizes shape = call.sizes("normalized_shape");
  return masked_types(
      call, {contiguous_type(input.dtype, input.sizes, input.device),
             parameter_type(call, "weight", shape), parameter_type(call, "weight", shape)});
}

Normalized layer_normalized(const DecomposeCall& call) {
  const DType compute = compute_dtype(call.type("input").dtype);
  const Steps steps(call);
  const Value input = widened(call, "input", compute);
  return {call,
          steps,
          compute,
          widened(call, "grad_out", compute),
          steps.sub(input, row_statistic(call, "mean", compute)),
          row_statistic(call, "rstd", compute)};
}

std::vector<Value> layer_norm_backward(DecomposeCall& call) {
  const Normalized at = layer_normalized(call);
  const size_t outer = outer_rank(call);
  const size_t rank = call.type("input").rank();
  std::vector<Value> results(3);
  if (wants(call, 0)) {
    Value weighted = at.gradient;
    if (call.has("weight")) {
      weighted = at.steps.mul(weighted, widened(call, "weight", at.compute));
    }
    results[0] = call.to(at.input_gradient(weighted, range(outer, rank)), call.type("input").dtype);
  }
  const auto over_rows = [&](Value value) {
    return call.to(at.steps.sum(value, range(0, outer), false), parameter_dtype(call, "weight"));
  };
  if (wants(call, 1)) results[1] = over_rows(at.steps.mul(at.gradient, at.normal()));
  if (wants(call, 2)) results[2] = over_rows(at.gradient);
  return results;
}

// --- RMS norm ---

Types rms_norm_meta(const Call& call) {
  outer_rank(call);
  const TensorType& input = call.type("input");
  return masked_types(call, {contiguous_type(input.dtype, input.sizes, input.device),
                             parameter_type(call, "weight", call.sizes("normalized_shape"))});
}

std::vector<Value> rms_norm_backward(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  const DType compute = compute_dtype(input.dtype);
  const size_t outer = outer_rank(call);
  const Dims inner = range(outer, input.rank());
  const Normalized at{call,
                      Steps(call),
                      compute,
                      widened(call, "grad_out", compute),
                      widened(call, "input", compute),
                      row_statistic(call, "rstd", compute)};
  std::vector<Value> results(2);
  if (wants(call, 0)) {
    Value weighted = at.gradient;
    if (call.has("weight")) weighted = at.steps.mul(weighted, widened(call, "weight", compute));
    const Value along =
        at.steps.mul(at.normal(), at.mean(at.steps.mul(weighted, at.normal()), inner));
    results[0] = call.to(at.steps.mul(at.steps.sub(weighted, along), at.rstd), input.dtype);
  }
  if (wants(call, 1)) {
    const Value sum = at.steps.sum(at.steps.mul(at.gradient, at.normal()), range(0, outer), false);
    results[1] = call.to(sum, parameter_dtype(call, "weight"));
  }
  return results;
}

// --- group norm ---

Types group_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const int64_t groups = call.integer("group");
  require(input.rank() >= 2 && groups > 0 &&
              !known_not_equal(mod(call.expr("C"), Expr(groups)), Expr(0)),
          "the channels must be divisible by the number of groups:", input, groups);
  require_gradient(call);
  require_parameter_dtypes(call, {"weight", "mean", "rstd"});
  require(!known_not_equal(input.numel(), call.expr("N") * call.expr("C") * call.expr("HxW")),
          "group norm needs N * C * HxW elements:", input);
  for (const char* statistic : {"mean", "rstd"}) {
    require_count(call, statistic, call.expr("N") * groups);
  }
  require_count(call, "weight", call.expr("C"));
  const Sizes channels{call.expr("C")};
  return masked_types(
      call, {preserved_type(input.dtype, input, suggest_memory_format(input)),
             parameter_type(call, "weight", channels), parameter_type(call, "weight", channels)});
}

std::vector<Value> group_norm_backward(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  const DType compute = compute_dtype(input.dtype);
  const Steps steps(call);
  const Expr batch = call.expr("N");
  const Expr groups = call.integer("group");
  const Expr width = floor_div(call.expr("C"), groups);
  const Sizes split{batch, groups, width, call.expr("HxW")};
  const Sizes statistic{batch, groups, Expr(1), Expr(1)};
  const auto grouped = [&](std::string_view name, const Sizes& sizes) {
    return steps.reshape(widened(call, name, compute), sizes);
  };
  const Value centred = steps.sub(grouped("input", split), grouped("mean", statistic));
  const Normalized at{
      call, steps, compute, grouped("grad_out", split), centred, grouped("rstd", statistic)};
  std::vector<Value> results(3);
  if (wants(call, 0)) {
    Value weighted = at.gradient;
    if (call.has("weight")) {
      weighted = steps.mul(weighted, grouped("weight", {groups, width, Expr(1)}));
    }
    results[0] =
        call.to(steps.reshape(at.input_gradient(weighted, {2, 3}), input.sizes), input.dtype);
  }
  const auto by_channel = [&](Value value) {
    const Value sum = steps.reshape(steps.sum(value, {0, 3}, false), {call.expr("C")});
    return call.to(sum, parameter_dtype(call, "weight"));
  };
  if (wants(call, 1)) results[1] = by_channel(steps.mul(at.gradient, at.normal()));
  if (wants(call, 2)) results[2] = by_channel(at.gradient);
  return results;
}

// --- batch norm ---

bool from_batch(const Call& call) {
  return call.flag(call.op().schema.find("train") >= 0 ? "train" : "update");
}

Types batch_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 2, "batch norm has a batch and channels:", input);
  require_gradient(call);
  const char* saved = call.op().schema.find("save_invstd") >= 0 ? "save_invstd" : "save_var";
  const bool batch = from_batch(call);
  require(call.has(batch ? "save_mean" : "running_mean") && call.has(batch ? saved : "running_var"),
          "batch norm needs the statistics that it was computed with:", call.op().name());
  const Sizes channels{input.sizes[1]};
  require_parameter_dtypes(call, {"weight", "running_mean", "running_var", "save_mean", saved});
  for (const char* name : {"weight", "running_mean", "running_var", "save_mean", saved}) {
    require(!call.has(name) || (call.type(name).rank() == 1 &&
                                (known_equal(call.type(name).numel(), 0) ||
                                 !known_not_equal(call.type(name).sizes[0], channels[0]))),
            "a parameter must have one element per channel:", call.op().name(), name);
  }
  return masked_types(
      call, {preserved_type(input.dtype, input, suggest_memory_format(input)),
             parameter_type(call, "weight", channels), parameter_type(call, "weight", channels)});
}

Normalized batch_normalized(const DecomposeCall& call) {
  const TensorType& input = call.type("input");
  const DType compute = compute_dtype(input.dtype);
  const Steps steps(call);
  Sizes shape(input.rank(), Expr(1));
  shape[1] = input.sizes[1];
  const auto statistic = [&](std::string_view name) {
    return steps.reshape(widened(call, name, compute), shape);
  };
  const bool batch = from_batch(call);
  const char* saved = call.op().schema.find("save_invstd") >= 0 ? "save_invstd" : "save_var";
  const Value rstd =
      batch ? statistic(saved)
            : call.aten("rsqrt",
                        {call.aten("add.Scalar", {statistic("running_var"), call.pass("eps")})});
  const Value mean = statistic(batch ? "save_mean" : "running_mean");
  return {call,
          steps,
          compute,
          widened(call, "grad_out", compute),
          steps.sub(widened(call, "input", compute), mean),
          rstd};
}

std::vector<Value> batch_norm_backward(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  const Normalized at = batch_normalized(call);
  Dims others = range(0, input.rank());
  others.erase(others.begin() + 1);
  std::vector<Value> results(3);
  if (wants(call, 0)) {
    Value weighted = at.gradient;
    if (call.has("weight")) {
      Sizes shape(input.rank(), Expr(1));
      shape[1] = input.sizes[1];
      weighted =
          at.steps.mul(weighted, at.steps.reshape(widened(call, "weight", at.compute), shape));
    }
    const Value gradient =
        from_batch(call) ? at.input_gradient(weighted, others) : at.steps.mul(weighted, at.rstd);
    results[0] = call.to(gradient, input.dtype);
  }
  const auto by_channel = [&](Value value) {
    return call.to(at.steps.sum(value, others, false), parameter_dtype(call, "weight"));
  };
  if (wants(call, 1)) results[1] = by_channel(at.steps.mul(at.gradient, at.normal()));
  if (wants(call, 2)) results[2] = by_channel(at.gradient);
  return results;
}

// --- weight norm ---

Dims all_but(const Call& call, const TensorType& weight) {
  require(weight.rank() > 0, "weight norm C2: slices are along a dimension:", weight);
  const auto kept = static_cast<size_t>(call.dim("dim", weight.rank()));
  Dims dims = range(0, weight.rank());
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(kept));
  return dims;
}

Types weight_norm_meta(const Call& call) {
  const TensorType& v = call.type("v");
  const TensorType& g = call.type("g");
  require(is_floating(v.dtype) && v.dtype == g.dtype && v.rank() > 0,
          "weight norm C1: direction and length are floating, of one dtype:", v, g);
  Sizes sizes = v.sizes;
  for (const int64_t d : all_but(call, v)) sizes[static_cast<size_t>(d)] = 1;
  require(!known_not_equal(g.numel(), product(sizes)),
          "weight norm C2: there is one length for every slice of the direction:", g, v);
  return {contiguous_type(v.dtype, v.sizes, v.device),
          contiguous_type(compute_dtype(v.dtype), g.sizes, v.device)};
}

// The lengths of slices, shaped to broadcast over `like`.
Value lengths(const DecomposeCall& call, std::string_view name, Value like) {
  const Value given = widened(call, name, like.tensor().dtype);
  if (given.tensor().sizes == like.tensor().sizes) return given;
  return Steps(call).reshape(given, like.tensor().sizes);
}

std::vector<Value> weight_norm(DecomposeCall& call) {
  const Steps steps(call);
  const DType dtype = call.type("v").dtype;
  const DType compute = compute_dtype(dtype);
  const Value v = widened(call, "v", compute);
  const Value norm =
      call.aten("sqrt", {steps.sum(steps.mul(v, v), all_but(call, call.type("v")), true)});
  const Value scaled = steps.mul(v, steps.div(lengths(call, "g", norm), norm));
  return {call.to(scaled, dtype), steps.reshape(norm, call.type("g").sizes)};
}

// PyTorch has a kernel for slices along the first or the last dimension.
bool has_kernel(const Call& call) {
  const int64_t kept = call.integer("dim");
  return kept == 0 || kept + 1 == static_cast<int64_t>(call.type("v").rank());
}

TensorType scaled_slices_meta(const Call& call) {
  const TensorType& v = call.type("v");
  const TensorType& g = call.type("g");
  const bool fits = is_floating(v.dtype) || (is_complex(v.dtype) && !has_kernel(call));
  require(fits && g.dtype == v.dtype,
          "weight norm C1: direction and length are floating, of one dtype:", v, g);
  constexpr const char* kText = "weight norm C2: there is one length per slice of the direction:";
  require(broadcast_sizes(v.sizes, g.sizes) == v.sizes, kText, g, v);
  const int64_t kept = call.integer("dim");
  require(v.rank() > 0, "weight norm C2: the direction has dimensions:", v);
  if (kept != -1) {
    const size_t dim = static_cast<size_t>(call.dim("dim", v.rank()));
    call.require_sizes(eq(g.numel(), v.sizes[dim]), kText, g, v);
  }
  return preserved_type(v.dtype, v, MemoryFormat::preserve);
}

std::vector<Value> scaled_slices(DecomposeCall& call) {
  const TensorType& v = call.type("v");
  Sizes dims;
  const int64_t kept = call.integer("dim");
  for (int64_t d = 0; d < static_cast<int64_t>(v.rank()); ++d) {
    if (d != (kept < 0 ? kept + static_cast<int64_t>(v.rank()) : kept) || kept == -1) {
      dims.emplace_back(d);
    }
  }
  // The kernel has f32 intermediates for halves.
  if (has_kernel(call) && known_equal(call.type("g").numel(), v.sizes[static_cast<size_t>(kept)])) {
    return {call.aten_all("_weight_norm_interface", {call["v"], call["g"], Expr(kept)})[0]};
  }
  const Value norm = call.aten("linalg_vector_norm",
                               {call["v"], Expr(2), ir::Attribute(dims), Expr::boolean(true)});
  const Value ratio = call.aten("div.Tensor", {call["g"], norm});
  return {call.aten("mul.Tensor", {call["v"], ratio})};
}

Types weight_norm_backward_meta(const Call& call) {
  const TensorType& v = call.type("saved_v");
  const TensorType& g = call.type("saved_g");
  require(is_floating(v.dtype) && g.dtype == v.dtype,
          "weight norm C1: direction and length are floating, of one dtype:", v, g);
  require(may_be_same_sizes(call.type("grad_w").sizes, v.sizes),
          "weight norm C3: the gradient has the sizes of the direction:", call.type("grad_w"), v);
  for (const char* name : {"saved_v", "saved_g", "saved_norms"}) {
    require(is_contiguous(call.type(name)),
            "weight norm C4: what was saved lies one behind another:", name, call.type(name));
  }
  Sizes sizes = v.sizes;
  for (const int64_t d : all_but(call, v)) sizes[static_cast<size_t>(d)] = 1;
  require(
      may_be_same_sizes(g.sizes, sizes) && may_be_same_sizes(call.type("saved_norms").sizes, sizes),
      "weight norm C2: there is one length for every slice of the direction:", g, v);
  return {contiguous_type(v.dtype, v.sizes, v.device), contiguous_type(g.dtype, g.sizes, g.device)};
}

std::vector<Value> weight_norm_backward(DecomposeCall& call) {
  const Steps steps(call);
  const TensorType& type = call.type("saved_v");
  const DType compute = compute_dtype(type.dtype);
  const Value gradient = widened(call, "grad_w", compute);
  const Value v = widened(call, "saved_v", compute);
  const Value norm = widened(call, "saved_norms", compute);
  const Value along = steps.div(steps.sum(steps.mul(gradient, v), all_but(call, type), true), norm);
  const Value across = steps.sub(gradient, steps.mul(v, steps.div(along, norm)));
  const Value by_v = steps.mul(across, steps.div(widened(call, "saved_g", compute), norm));
  return {call.to(by_v, type.dtype), call.to(along, call.type("saved_g").dtype)};
}

constexpr std::array kLayerSample{
    "(f32[2, 3, 4], f32[2, 3, 4], [4], f32[2, 3, 1], f32[2, 3, 1], f32[4], f32[4], [True, True, True])"sv,
    "(f16[s0, 4], f16[s0, 4], [4], f16[s0, 1], f16[s0, 1], None, None, [True, False, False])"sv};
constexpr std::array kRmsSample{
    "(f32[2, 3, 4], f32[2, 3, 4], [3, 4], f32[2, 1, 1], f32[3, 4], [True, True])"sv};
constexpr std::array kGroupSample{
    "(f32[2, 4, 3], f32[2, 4, 3], f32[2, 2], f32[2, 2], f32[4], 2, 4, 3, 2, [True, True, True])"sv,
    "(f32[s0, 4, 2, 2], f32[s0, 4, 2, 2], f32[s0, 1], f32[s0, 1], None, s0, 4, 4, 1, [True, False, False])"sv};
constexpr std::array kBatchSample{
    "(f32[2, 3, 4], f32[2, 3, 4], f32[3], f32[3], f32[3] in [0.5, 2), f32[3], f32[3], True, 0.001, [True, True, True])"sv,
    "(f32[s0, 3], f32[s0, 3], None, f32[3], f32[3] in [0.5, 2), None, None, False, 0.001, [True, True, False])"sv};
constexpr std::array kBatchReserveSample{
    "(f32[2, 3, 4], f32[2, 3, 4], f32[3], f32[3], f32[3] in [0.5, 2), f32[3], f32[3], True, 0.001, [True, True, True], u8[0])"sv};
constexpr std::array kScaledSample{"(f32[3, 8], f32[3, 1], 0)"sv};
constexpr std::array kWeightNormSample{"(f32[4, 2, 3], f32[4, 1, 1])"sv,
                                       "(f16[4, 2, 3], f16[2, 2])"sv};
constexpr std::array kWeightNormBackwardSample{
    "(f32[4, 2, 3], f32[4, 2, 3], f32[4, 1, 1], f32[4, 1, 1] in [1, 2), 0)"sv};

constexpr OpDef derivative(ir::SchemaText schema, std::string_view doc, Meta meta,
                           std::vector<Value> (*build)(DecomposeCall&),
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Decompose{build},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    derivative("aten._fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] "
               "normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, "
               "Tensor)",
               "Derivative of RMS norm by input and weight.", rms_norm_meta, rms_norm_backward,
               kRmsSample),
    OpDef{.schema = "aten._weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
          .doc = "v scaled to norm g over all dimensions but one.\n"
                 "C1: both are floating, of one dtype. C2: there is one length for every slice.",
          .meta = scaled_slices_meta,
          .impl = Decompose{scaled_slices},
          .samples = {.calls = kScaledSample}},
    derivative(
        "aten._weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
        "A weight of direction v and length g for each entry along dim, and the length of "
        "v.\nC1: direction and length are floating, of one dtype. C2: there is one length for "
        "every slice.",
        weight_norm_meta, weight_norm, kWeightNormSample),
    derivative("aten._weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor "
               "saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)",
               "Derivative of weight norm by direction and length.\n"
               "C1: both are floating, of one dtype. C2: there is one length for every slice. C3: "
               "the gradient has the sizes of the direction. C4: what was saved is contiguous.",
               weight_norm_backward_meta, weight_norm_backward, kWeightNormBackwardSample),
    derivative("aten.batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? "
               "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool "
               "update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, "
               "Tensor)",
               "Derivative of batch norm by input, weight and bias; save_var is 1 / deviation.",
               batch_norm_meta, batch_norm_backward, kBatchReserveSample),
    derivative("aten.native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, "
               "Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? "
               "save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, "
               "Tensor)",
               "Derivative of batch norm by input, weight and bias.", batch_norm_meta,
               batch_norm_backward, kBatchSample),
    derivative("aten.native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, "
               "Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] "
               "output_mask) -> (Tensor, Tensor, Tensor)",
               "Derivative of group norm by input, weight and bias.", group_norm_meta,
               group_norm_backward, kGroupSample),
    derivative("aten.native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] "
               "normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] "
               "output_mask) -> (Tensor, Tensor, Tensor)",
               "Derivative of layer norm by input, weight and bias.", layer_norm_meta,
               layer_norm_backward, kLayerSample),
};

}  // namespace

std::span<const OpDef> normalization_backward_ops() { return kOps; }

}  // namespace litz::ops
