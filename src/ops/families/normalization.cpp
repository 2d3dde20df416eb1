// Normalisations scale values by statistics of their own input (softmax, layer, group, batch,
// instance and RMS norm).
//
// Statistics use the compute dtype and two passes, the mean first, on deviations from the first
// element. This stays accurate where a single pass of squares would cancel, and for means far from
// 0.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ops/bodies.h"
#include "ops/families/flat_index.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

bool is_empty(const TensorType& type) { return known_equal(type.numel(), Expr(0)); }

// --- softmax ---

TensorType softmax_meta(const Call& call) {
  const TensorType& type = call.type("self");
  call.dim("dim", type.rank());
  require(is_floating(type.dtype), ErrorCode::unsupported,
          "softmax needs a floating tensor (give dtype= to cast), got", name(type.dtype));
  return contiguous_type(type.dtype, type.sizes, type.device);
}

// Runs `row` once per row along `dim`, with the index of the row's element j.
void for_each_row(
    NestCall& call, const TensorType& type, int64_t dim,
    const std::function<void(Expr extent, const std::function<IndexVector(Expr)>&)>& row) {
  if (type.rank() == 0) {
    row(Expr(1), [](Expr) { return IndexVector(); });
    return;
  }
  Sizes outer = type.sizes;
  const Expr extent = outer[at(dim)];
  outer.erase(outer.begin() + dim);
  call.builder().loop(outer, [&](Exprs index) {
    row(extent, [&, index](Expr j) {
      IndexVector full(index.begin(), index.end());
      full.insert(full.begin() + dim, j);
      return full;
    });
  });
}

enum class SoftmaxKind : uint8_t { plain, log, safe };

// Safe: a row without finite entries gives zeros instead of NaN.
template <SoftmaxKind kKind>
void softmax(NestCall& call) {
  const TensorType& type = call.type("self");
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(call.result().dtype);
  const DType result = call.result().dtype;
  for_each_row(call, type, call.dim("dim", type.rank()), [&](Expr extent, const auto& element) {
    const auto value = [&](Expr j) { return b.cast(b.load(call.in("self"), element(j)), compute); };
    const Scalar largest = b.reduce(
        ReduceKind::max, std::array{extent}, [&](Exprs j) { return value(j[0]); },
        loops::OfNothing::infinity);
    const Scalar total = b.reduce(ReduceKind::sum, std::array{extent},
                                  [&](Exprs j) { return exp(value(j[0]) - largest); });
    b.loop(std::array{extent}, [&](Exprs j) {
      const Scalar shifted = value(j[0]) - largest;
      Scalar out = kKind == SoftmaxKind::log ? shifted - log(total) : exp(shifted) / total;
      if (kKind == SoftmaxKind::safe) out = select(largest == -INFINITY, 0.0, out);
      b.store(call.out(), element(j[0]), b.cast(out, result));
    });
  });
}

TensorType softmax_int_meta(const Call& call) {
  const TensorType& type = call.type("self");
  call.dim("dim", type.rank());
  const DType dtype = call.dtype().value_or(type.dtype);
  require(is_floating(dtype), ErrorCode::unsupported,
          "softmax needs a floating tensor (give dtype= to cast), got", name(dtype));
  return contiguous_type(dtype, type.sizes, type.device);
}

std::vector<ir::Value> softmax_int(DecomposeCall& call) {
  const ir::Value self = call.to(call["self"], call.result().dtype);
  const bool log = call.op().name().find("log") != std::string_view::npos;
  return {
      call.aten(log ? "_log_softmax" : "_softmax", {self, call.pass("dim"), Expr::boolean(false)})};
}

// --- statistics ---

struct Moments {
  Scalar mean;
  Scalar variance;  // Biased.
};

// Uses deviations from the first value: far from 0, neither the values' sum nor their mean would
// have enough digits. An infinite value cannot be the origin.
Moments moments(KernelBuilder& b, const Sizes& extents, const std::function<Scalar(Exprs)>& value) {
  Scalar origin;
  if (known_less(0, product(extents))) {
    origin = value(Sizes(extents.size(), Expr(0)));
    origin = select(is_inf(origin), 0.0, origin);
  }
  const auto shifted = [&](Exprs index) { return origin ? value(index) - origin : value(index); };
  const Scalar sum = b.reduce(ReduceKind::sum, extents, shifted);
  const Scalar count = b.index(product(extents), sum.dtype());
  const Scalar mean = sum / count;
  const Scalar squares = b.reduce(ReduceKind::sum, extents, [&](Exprs index) {
    const Scalar centred = shifted(index) - mean;
    return centred * centred;
  });
  return {origin ? origin + mean : mean, squares / count};
}

// The element of an optional per-channel parameter, or null.
Scalar parameter(NestCall& call, std::string_view name, const IndexVector& index, DType compute) {
  if (!call.has(name)) return {};
  return call.builder().cast(call.builder().load(call.in(name), index), compute);
}

Scalar scaled(Scalar value, Scalar weight, Scalar bias) {
  if (weight) value = value * weight;
  if (bias) value = value + bias;
  return value;
}

// Requires floating inputs, and parameters and statistics with one element per position that they
// apply to.
void require_parameter_sizes(const Call& call, std::span<const Expr> sizes) {
  for (const char* parameter : {"weight", "bias", "running_mean", "running_var"}) {
    if (call.op().schema.find(parameter) < 0 || !call.has(parameter)) continue;
    const TensorType& type = call.type(parameter);
    bool fits = type.rank() == sizes.size();
    for (size_t d = 0; fits && d < sizes.size(); ++d) {
      fits = !known_not_equal(type.sizes[d], sizes[d]);
    }
    require(fits, "a parameter must have one element per position that is normalized with it:",
            call.op().name(), parameter, type);
  }
}

void require_parameters(const Call& call, std::span<const Expr> sizes) {
  const DType dtype = call.type("input").dtype;
  require(is_floating(dtype), "normalizations are for floating dtypes only:", call.op().name(),
          name(dtype));
  require_parameter_sizes(call, sizes);
  require_parameter_dtypes(call, {"weight", "bias", "running_mean", "running_var"});
}

// Halves with f32 parameters also have f32 statistics.
DType statistics_dtype(const Call& call) {
  const DType dtype = call.type("input").dtype;
  for (const char* parameter : {"weight", "bias", "running_mean", "running_var"}) {
    if (call.op().schema.find(parameter) < 0 || !call.has(parameter)) continue;
    if (call.type(parameter).dtype != dtype) return compute_dtype(dtype);
  }
  return dtype;
}

// --- layer norm ---

size_t outer_rank(const Call& call, const TensorType& input) {
  const Sizes normalized = call.sizes("normalized_shape");
  require(!normalized.empty() && normalized.size() <= input.rank(),
          "normalized_shape must name at least one and at most all dimensions:", normalized.size(),
          "of rank", input.rank());
  const size_t outer = input.rank() - normalized.size();
  for (size_t d = 0; d < normalized.size(); ++d) {
    require(!known_not_equal(normalized[d], input.sizes[outer + d]),
            "normalized_shape must equal the last sizes of the input:", normalized[d], "against",
            input.sizes[outer + d]);
  }
  return outer;
}

Types native_layer_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const size_t outer = outer_rank(call, input);
  require_parameters(call, std::span(input.sizes).subspan(outer));
  Sizes stats = input.sizes;
  std::fill(stats.begin() + static_cast<std::ptrdiff_t>(outer), stats.end(), Expr(1));
  const TensorType stat = contiguous_type(statistics_dtype(call), stats, input.device);
  return {contiguous_type(input.dtype, input.sizes, input.device), stat, stat};
}

void native_layer_norm(NestCall& call) {
  const TensorType& input = call.type("input");
  if (is_empty(input)) return;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const size_t outer = outer_rank(call, input);
  const Sizes rows(input.sizes.begin(), input.sizes.begin() + static_cast<std::ptrdiff_t>(outer));
  const Sizes inner(input.sizes.begin() + static_cast<std::ptrdiff_t>(outer), input.sizes.end());
  b.loop(rows, [&](Exprs row) {
    const auto full = [&](Exprs column) {
      IndexVector index(row.begin(), row.end());
      index.insert(index.end(), column.begin(), column.end());
      return index;
    };
    const auto value = [&](Exprs column) {
      return b.cast(b.load(call.in("input"), full(column)), compute);
    };
    const Moments m = moments(b, inner, value);
    const Scalar scale = rsqrt(m.variance + call.real("eps"));
    // Halves round value * scale - mean * scale once, as in PyTorch: for a row of one element, the
    // rounding error of mean * scale remains. Wider dtypes round twice, which gives 0.
    const Scalar shift = -(m.mean * scale);
    const auto centred = [&](Scalar x) {
      return compute == input.dtype ? x * scale + shift : fma(x, scale, shift);
    };
    b.loop(inner, [&](Exprs column) {
      const IndexVector at_column(column.begin(), column.end());
      const Scalar out =
          scaled(centred(value(column)), parameter(call, "weight", at_column, compute),
                 parameter(call, "bias", at_column, compute));
      b.store(call.out(0), full(column), b.cast(out, input.dtype));
    });
    IndexVector stat(row.begin(), row.end());
    stat.resize(input.rank(), Expr(0));
    b.store(call.out(1), stat, b.cast(m.mean, call.result(1).dtype));
    b.store(call.out(2), stat, b.cast(scale, call.result(2).dtype));
  });
}

TensorType layer_norm_meta(const Call& call) {
  return std::get<TensorType>(native_layer_norm_meta(call)[0]);
}

std::vector<ir::Value> layer_norm(DecomposeCall& call) {
  return {call.aten_all("native_layer_norm",
                        {call["input"], call.pass("normalized_shape"), call.pass("weight"),
                         call.pass("bias"), call.pass("eps")})[0]};
}

TensorType rms_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require_parameter_sizes(call, std::span(input.sizes).subspan(outer_rank(call, input)));
  return preserved_type(input.dtype, input, suggest_memory_format(input));
}

void rms_norm(NestCall& call) {
  const TensorType& input = call.type("input");
  if (is_empty(input)) return;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const size_t outer = outer_rank(call, input);
  const Sizes rows(input.sizes.begin(), input.sizes.begin() + static_cast<std::ptrdiff_t>(outer));
  const Sizes inner(input.sizes.begin() + static_cast<std::ptrdiff_t>(outer), input.sizes.end());
  // The default eps is the machine epsilon of the compute dtype.
  const double epsilon =
      call.has("eps") ? call.real("eps") : (real_dtype(compute) == DType::f64 ? 0x1p-52 : 0x1p-23);
  b.loop(rows, [&](Exprs row) {
    const auto full = [&](Exprs column) {
      IndexVector index(row.begin(), row.end());
      index.insert(index.end(), column.begin(), column.end());
      return index;
    };
    const auto value = [&](Exprs column) {
      return b.cast(b.load(call.in("input"), full(column)), compute);
    };
    const Scalar squares = b.reduce(ReduceKind::sum, inner,
                                    [&](Exprs column) { return value(column) * value(column); });
    const Scalar scale = rsqrt(squares / b.index(product(inner), compute) + epsilon);
    b.loop(inner, [&](Exprs column) {
      const IndexVector at_column(column.begin(), column.end());
      const Scalar out =
          scaled(value(column) * scale, parameter(call, "weight", at_column, compute), {});
      b.store(call.out(), full(column), b.cast(out, call.result().dtype));
    });
  });
}

// --- group norm ---

void require_planes(const Call& call, Expr pixels) {
  call.require_sizes(ne(pixels, 0),
                     "group norm needs planes of one pixel or more:", call.type("input"));
}

Types native_group_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const int64_t groups = call.integer("group");
  require(groups > 0 && !known_not_equal(mod(call.expr("C"), Expr(groups)), Expr(0)) &&
              !known_equal(call.expr("C"), 0),
          "there must be channels, divisible by the number of groups:", call.expr("C"), groups);
  require_parameters(call, std::array{call.expr("C")});
  require(!known_not_equal(input.numel(), call.expr("N") * call.expr("C") * call.expr("HxW")),
          "group norm needs N * C * HxW elements:", input, call.expr("N"), call.expr("C"),
          call.expr("HxW"));
  require_planes(call, call.expr("HxW"));
  const TensorType stat =
      contiguous_type(statistics_dtype(call), {call.expr("N"), Expr(groups)}, input.device);
  return {preserved_type(input.dtype, input, suggest_memory_format(input)), stat, stat};
}

// The sizes of the input, or [N, C, HxW] if its own are others: elements are taken in their order.
Sizes grouped_shape(const Call& call) {
  const Sizes& sizes = call.type("input").sizes;
  const bool is_own = sizes.size() >= 2 && known_equal(sizes[0], call.expr("N")) &&
                      known_equal(sizes[1], call.expr("C"));
  return is_own ? sizes : Sizes{call.expr("N"), call.expr("C"), call.expr("HxW")};
}

void native_group_norm(NestCall& call) {
  const TensorType& input = call.type("input");
  if (is_empty(input)) return;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const Expr groups = call.integer("group");
  const Sizes shape = grouped_shape(call);
  const Expr width = floor_div(shape[1], groups);
  Sizes inner{width};
  inner.insert(inner.end(), shape.begin() + 2, shape.end());
  b.loop(std::array{shape[0], groups}, [&](Exprs outer) {
    const auto full = [&](Exprs i) {
      Sizes index{outer[0], outer[1] * width + i[0]};
      index.insert(index.end(), i.begin() + 1, i.end());
      if (shape != input.sizes) index = unflattened(flattened(index, shape), input.sizes);
      return IndexVector(index.begin(), index.end());
    };
    const auto value = [&](Exprs i) { return b.cast(b.load(call.in("input"), full(i)), compute); };
    const Moments m = moments(b, inner, value);
    const Scalar scale = rsqrt(m.variance + call.real("eps"));
    b.loop(inner, [&](Exprs i) {
      const IndexVector channel{outer[1] * width + i[0]};
      const Scalar out =
          scaled((value(i) - m.mean) * scale, parameter(call, "weight", channel, compute),
                 parameter(call, "bias", channel, compute));
      b.store(call.out(0), full(i), b.cast(out, input.dtype));
    });
    b.store(call.out(1), outer, b.cast(m.mean, call.result(1).dtype));
    b.store(call.out(2), outer, b.cast(scale, call.result(2).dtype));
  });
}

TensorType group_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 2, "group_norm needs rank 2 or more, got", input.rank());
  const int64_t groups = call.integer("num_groups");
  require(groups > 0 && !known_not_equal(mod(input.sizes[1], Expr(groups)), Expr(0)) &&
              !known_equal(input.sizes[1], 0),
          "there must be channels, divisible by the number of groups:", input.sizes[1], groups);
  require_parameters(call, std::span(input.sizes).subspan(1, 1));
  require_planes(call, product(std::span(input.sizes).subspan(2)));
  return preserved_type(input.dtype, input, suggest_memory_format(input));
}

std::vector<ir::Value> group_norm(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  const Expr pixels = product(std::span(input.sizes).subspan(2));
  return {call.aten_all("native_group_norm",
                        {call["input"], call.pass("weight"), call.pass("bias"), input.sizes[0],
                         input.sizes[1], pixels, call.pass("num_groups"), call.pass("eps")})[0]};
}

// --- batch norm ---

size_t channel_dim(const TensorType& input) { return input.rank() > 1 ? 1 : 0; }

TensorType channel_type(const TensorType& input, DType dtype) {
  require(input.rank() > 0, "batch_norm needs at least one dimension");
  return contiguous_type(dtype, {input.sizes[channel_dim(input)]}, input.device);
}

// Requires running statistics if the input's own are not used.
void require_statistics(const Call& call, bool of_input) {
  const auto has = [&](std::string_view name) {
    return call.op().schema.find(name) >= 0 && call.has(name);
  };
  require(of_input || (has("running_mean") && has("running_var")),
          "a normalization that takes no statistics of its input needs running ones:",
          call.op().name());
}

bool uses_batch(const Call& call) {
  return call.op().schema.find("training") < 0 ? !call.has("running_mean") : call.flag("training");
}

TensorType normalized_type(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() > 0, "batch_norm needs at least one dimension");
  require_parameters(call, std::span(input.sizes).subspan(channel_dim(input), 1));
  require_statistics(call, uses_batch(call));
  // The difference from the mean has the layout.
  const DType compute = compute_dtype(input.dtype);
  Sizes one_each(input.rank(), Expr(1));
  one_each[channel_dim(input)] = input.sizes[channel_dim(input)];
  TensorType type =
      elementwise_in(compute, {input, contiguous_type(compute, one_each, input.device)});
  type.dtype = input.dtype;
  return type;
}

Types batch_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType none = contiguous_type(input.dtype, {Expr(0)}, input.device);
  const bool from_batch = uses_batch(call);
  require(!from_batch || !is_empty(input),
          "a batch that gives statistics must not be empty:", call.op().name(), input);
  const TensorType stat = from_batch ? channel_type(input, statistics_dtype(call)) : none;
  return {normalized_type(call), stat, stat};
}

Types batch_norm_no_training_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType none = contiguous_type(input.dtype, {Expr(0)}, input.device);
  return {normalized_type(call), none, none};
}

// The updated running statistics follow the results; exported programs update those of halves in
// f32.
Types batch_norm_functional_meta(const Call& call) {
  Types types = batch_norm_meta(call);
  for (const char* running : {"running_mean", "running_var"}) {
    const TensorType& type = call.type(running);
    types.emplace_back(contiguous_type(compute_dtype(type.dtype), type.sizes, type.device));
  }
  return types;
}

IndexVector channel_index(const TensorType& input, Expr channel, Exprs rest) {
  IndexVector index(rest.begin(), rest.end());
  index.insert(index.begin() + static_cast<std::ptrdiff_t>(channel_dim(input)), channel);
  return index;
}

Scalar running(NestCall& call, std::string_view name, const IndexVector& channel, DType compute) {
  return call.builder().cast(call.builder().load(call.in(name), channel), compute);
}

Scalar unbiased(KernelBuilder& b, const Moments& batch, Expr count) {
  const Scalar n = b.index(count, batch.mean.dtype());
  return batch.variance * (n / (n - 1.0));
}

// running <- (1 - momentum) * running + momentum * new, for the mean and the variance.
void update_running(NestCall& call, Scalar mean, Scalar variance, const IndexVector& channel,
                    size_t first_result) {
  KernelBuilder& b = call.builder();
  const double momentum = call.real("momentum");
  const auto blend = [&](std::string_view name, Scalar fresh, size_t result) {
    const Scalar old = running(call, name, channel, fresh.dtype());
    b.store(call.out(result), channel,
            b.cast(old * (1 - momentum) + fresh * momentum, call.result(result).dtype));
  };
  blend("running_mean", mean, first_result);
  blend("running_var", variance, first_result + 1);
}

void keep_running(NestCall& call, const IndexVector& channel) {
  KernelBuilder& b = call.builder();
  b.store(call.out(3), channel, running(call, "running_mean", channel, call.result(3).dtype));
  b.store(call.out(4), channel, running(call, "running_var", channel, call.result(4).dtype));
}

void batch_norm_nest(NestCall& call) {
  const TensorType& input = call.type("input");
  const bool has_updates = call.op().schema.returns.size() == 5;
  if (is_empty(input) && !has_updates) return;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const bool from_batch = uses_batch(call);
  const size_t dim = channel_dim(input);
  Sizes rest = input.sizes;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dim));
  b.loop(std::array{input.sizes[dim]}, [&](Exprs c) {
    const IndexVector channel{c[0]};
    const auto value = [&](Exprs i) {
      return b.cast(b.load(call.in("input"), channel_index(input, c[0], i)), compute);
    };
    Moments m;
    if (from_batch) {
      m = moments(b, rest, value);
    } else {
      m.mean = running(call, "running_mean", channel, compute);
      m.variance = running(call, "running_var", channel, compute);
    }
    Scalar scale = rsqrt(m.variance + call.real("eps"));
    // PyTorch gives equal values of a batch no scale rather than an infinite one.
    if (from_batch && call.real("eps") == 0.0) {
      scale = select(m.variance == 0.0, b.constant(compute, 0.0), scale);
    }
    b.loop(rest, [&](Exprs i) {
      const Scalar out =
          scaled((value(i) - m.mean) * scale, parameter(call, "weight", channel, compute),
                 parameter(call, "bias", channel, compute));
      b.store(call.out(0), channel_index(input, c[0], i), b.cast(out, input.dtype));
    });
    if (from_batch) {
      b.store(call.out(1), channel, b.cast(m.mean, call.result(1).dtype));
      b.store(call.out(2), channel, b.cast(scale, call.result(2).dtype));
    }
    if (!has_updates) return;
    if (from_batch) {
      update_running(call, m.mean, unbiased(b, m, product(rest)), channel, 3);
    } else {
      keep_running(call, channel);
    }
  });
}

// The batch's own statistics are used only in training or without running ones; updates of running
// statistics are made explicit before this is decomposed.
std::vector<ir::Value> batch_norm(DecomposeCall& call) {
  if (is_empty(call.type("input"))) return {call.aten("clone", {call["input"]})};
  if (uses_batch(call)) {
    return {call.aten_all("_native_batch_norm_legit.no_stats",
                          {call["input"], call.pass("weight"), call.pass("bias"),
                           Expr::boolean(true), call.pass("momentum"), call.pass("eps")})[0]};
  }
  return {call.aten_all(
      "_native_batch_norm_legit_no_training",
      {call["input"], call.pass("weight"), call.pass("bias"), call.pass("running_mean"),
       call.pass("running_var"), call.pass("momentum"), call.pass("eps")})[0]};
}

// --- instance norm ---

// Without an epsilon instances of equal values follow batch norm, which gives them no scale.
ir::Value unstabilized_instances(const DecomposeCall& call) {
  const TensorType& input = call.type("input");
  Sizes joined(input.sizes.begin() + 1, input.sizes.end());
  joined[0] = joined[0] * input.sizes[0];
  joined.insert(joined.begin(), Expr(1));
  const auto repeated = [&](std::string_view name) -> ir::Argument {
    if (!call.has(name)) return {};
    return call.aten("repeat", {call[name], ir::Scalars{input.sizes[0]}});
  };
  const ir::Value instances = call.aten("reshape", {call["input"], ir::Scalars(joined)});
  const ir::Value normal = call.aten_all("_native_batch_norm_legit.no_stats",
                                         {instances, repeated("weight"), repeated("bias"),
                                          Expr::boolean(true), Expr::real(0), Expr::real(0)})[0];
  return call.aten("reshape", {normal, ir::Scalars(input.sizes)});
}

// Statistics per (sample, channel): a group norm with one channel per group.
std::vector<ir::Value> instance_norm(DecomposeCall& call) {
  if (!call.flag("use_input_stats")) {
    return {call.aten_all(
        "_native_batch_norm_legit_no_training",
        {call["input"], call.pass("weight"), call.pass("bias"), call.pass("running_mean"),
         call.pass("running_var"), call.pass("momentum"), call.pass("eps")})[0]};
  }
  const TensorType& input = call.type("input");
  if (is_empty(input)) return {call.aten("clone", {call["input"]})};
  if (call.real("eps") == 0.0) return {unstabilized_instances(call)};
  return {call.aten("group_norm", {call["input"], input.sizes[1], call.pass("weight"),
                                   call.pass("bias"), call.pass("eps")})};
}

// For an empty batch, PyTorch uses the first parameter.
TensorType batch_norm_type(const Call& call) {
  for (const char* name : {"weight", "bias"}) {
    if (!call.has(name) || !is_empty(call.type("input"))) continue;
    call.require_sizes(ne(call.type(name).numel(), 0),
                       "a parameter of batch norm must not be empty:", name, call.type(name));
  }
  return normalized_type(call);
}

TensorType instance_norm_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 2, "instance_norm needs rank 2 or more, got", input.rank());
  require_parameters(call, std::span(input.sizes).subspan(1, 1));
  require_statistics(call, call.flag("use_input_stats"));
  const bool has_parameters = call.has("weight") || call.has("bias");
  require(!has_parameters || !known_equal(input.sizes[0], 0),
          "instance_norm with parameters needs an instance:", input);
  require(!has_parameters || !known_equal(input.sizes[1], 0),
          "instance_norm with parameters needs a channel:", input);
  return contiguous_type(input.dtype, input.sizes, input.device);
}

Types instance_norm_stats_meta(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 2, "instance_norm needs rank 2 or more, got", input.rank());
  require_parameters(call, std::span(input.sizes).subspan(1, 1));
  Types types;
  for (const char* running : {"running_mean", "running_var"}) {
    types.emplace_back(contiguous_type(call.type(running).dtype, call.type(running).sizes));
  }
  return types;
}

// Updates running statistics with the mean of the instances' statistics over samples.
void instance_norm_stats(NestCall& call) {
  const TensorType& input = call.type("input");
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const Sizes pixels(input.sizes.begin() + 2, input.sizes.end());
  b.loop(std::array{input.sizes[1]}, [&](Exprs c) {
    const Scalar samples = b.index(input.sizes[0], compute);
    const auto averaged = [&](const std::function<Scalar(const Moments&)>& statistic) {
      return b.reduce(ReduceKind::sum, std::array{input.sizes[0]}, [&](Exprs n) {
        return statistic(moments(b, pixels, [&](Exprs i) {
          IndexVector index{n[0], c[0]};
          index.insert(index.end(), i.begin(), i.end());
          return b.cast(b.load(call.in("input"), index), compute);
        }));
      }) / samples;
    };
    const Scalar mean = averaged([](const Moments& m) { return m.mean; });
    const Scalar variance =
        averaged([&](const Moments& m) { return unbiased(b, m, product(pixels)); });
    update_running(call, mean, variance, {c[0]}, 0);
  });
}

constexpr std::array kSoftmaxSample{"(f32[2, 5], 1, False)"sv, "(f32[2, 3, 4], 1, False)"sv};
constexpr std::array kSoftmaxIntSample{"(f32[2, 5], -1)"sv};
constexpr std::array kSafeSample{"(f32[2, 5], -1)"sv};
constexpr std::array kLayerNormSample{"(f32[3, 8], [8], f32[8], f32[8])"sv};
constexpr std::array kNativeLayerNormSample{"(f32[3, 8], [8], f32[8], f32[8], 1e-05)"sv};
constexpr std::array kGroupNormSample{"(f32[2, 6, 3], 2, f32[6], f32[6])"sv};
constexpr std::array kNativeGroupNormSample{"(f32[2, 6, 3], f32[6], f32[6], 2, 6, 3, 2, 1e-05)"sv};
constexpr std::array kBatchNormSample{
    "(f32[3, 4, 5], f32[4], f32[4], None, None, True, 0.1, 1e-05, False)"sv};
constexpr std::array kLegitSample{
    "(f32[3, 4, 5], f32[4], f32[4], f32[4], f32[4], True, 0.1, 1e-05)"sv};
constexpr std::array kNoStatsSample{"(f32[3, 4, 5], f32[4], f32[4], True, 0.1, 1e-05)"sv};
constexpr std::array kNoTrainingSample{
    "(f32[3, 4, 5], None, None, f32[4], f32[4] in [0.5, 2.0), 0.1, 1e-05)"sv};
constexpr std::array kInstanceNormSample{
    "(f32[3, 4, 5], f32[4], f32[4], None, None, True, 0.1, 1e-05, False)"sv};
constexpr std::array kInstanceStatsSample{"(f32[3, 4, 5], f32[4], f32[4], 0.1)"sv};
constexpr std::array kRmsNormSample{"(f32[3, 8], [8], f32[8])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
          .doc = "self - log(sum(exp(self))) along a dimension.",
          .meta = softmax_meta,
          .impl = LoopNest{softmax<SoftmaxKind::log>},
          .samples = {.calls = kSoftmaxSample}},
    OpDef{.schema = "aten._native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, "
                    "Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float "
                    "momentum, float eps) -> (Tensor, Tensor, Tensor)",
          .doc = "Batch norm with running statistics, updated in place when training.",
          .meta = batch_norm_meta,
          .impl = LoopNest{batch_norm_nest},
          .samples = {.calls = kLegitSample}},
    OpDef{.schema = "aten._native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? "
                    "bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
          .doc = "Batch norm by the batch's own statistics.",
          .meta = batch_norm_meta,
          .impl = LoopNest{batch_norm_nest},
          .samples = {.calls = kNoStatsSample}},
    OpDef{.schema = "aten._native_batch_norm_legit_functional(Tensor input, Tensor? weight, "
                    "Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float "
                    "momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, "
                    "Tensor running_var_out)",
          .doc = "Batch norm that returns the updated running statistics.",
          .meta = batch_norm_functional_meta,
          .impl = LoopNest{batch_norm_nest},
          .samples = {.calls = kLegitSample}},
    OpDef{.schema = "aten._native_batch_norm_legit_no_training(Tensor input, Tensor? weight, "
                    "Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float "
                    "eps) -> (Tensor, Tensor, Tensor)",
          .doc = "Batch norm by running statistics.",
          .meta = batch_norm_no_training_meta,
          .impl = LoopNest{batch_norm_nest},
          .samples = {.calls = kNoTrainingSample}},
    OpDef{.schema = "aten._safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
          .doc = "Softmax that gives zeros for rows of minus infinity.",
          .meta = softmax_int_meta,
          .impl = LoopNest{softmax<SoftmaxKind::safe>},
          .samples = {.calls = kSafeSample}},
    OpDef{.schema = "aten._softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
          .doc = "exp(self) / sum(exp(self)) along a dimension.",
          .meta = softmax_meta,
          .impl = LoopNest{softmax<SoftmaxKind::plain>},
          .samples = {.calls = kSoftmaxSample}},
    OpDef{.schema = "aten.batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
                    "running_mean, Tensor? running_var, bool training, float momentum, float eps, "
                    "bool cudnn_enabled) -> Tensor",
          .doc = "Batch norm; training also updates the running statistics it is given.",
          .meta = batch_norm_type,
          .impl = Decompose{batch_norm},
          .traits = ir::Trait::hidden_mutation,
          .samples = {.calls = kBatchNormSample}},
    OpDef{.schema = "aten.group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? "
                    "bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor",
          .doc = "Normalises groups of channels of each sample.",
          .meta = group_norm_meta,
          .impl = Decompose{group_norm},
          .samples = {.calls = kGroupNormSample}},
    OpDef{.schema = "aten.instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
                    "running_mean, Tensor? running_var, bool use_input_stats, float momentum, "
                    "float eps, bool cudnn_enabled) -> Tensor",
          .doc = "Normalises each channel of each sample; updates running statistics it is given.",
          .meta = instance_norm_meta,
          .impl = Decompose{instance_norm},
          .traits = ir::Trait::hidden_mutation,
          .samples = {.calls = kInstanceNormSample}},
    OpDef{.schema = "aten.layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, "
                    "Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
          .doc = "Normalises the last dimensions.",
          .meta = layer_norm_meta,
          .impl = Decompose{layer_norm},
          .samples = {.calls = kLayerNormSample}},
    OpDef{.schema = "aten.log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
          .doc = "Logarithm of softmax, cast first when a dtype is given.",
          .meta = softmax_int_meta,
          .impl = Decompose{softmax_int},
          .samples = {.calls = kSoftmaxIntSample}},
    OpDef{.schema = "aten.native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
                    "running_mean, Tensor? running_var, bool training, float momentum, float eps) "
                    "-> (Tensor, Tensor, Tensor)",
          .doc = "Batch norm and the statistics used; training also updates the running ones.",
          .meta = batch_norm_meta,
          .impl = LoopNest{batch_norm_nest},
          .traits = ir::Trait::hidden_mutation,
          .samples = {.calls = kLegitSample}},
    OpDef{.schema = "aten.native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, "
                    "SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
          .doc = "Group norm, with mean and reciprocal deviation of each group.",
          .meta = native_group_norm_meta,
          .impl = LoopNest{native_group_norm},
          .samples = {.calls = kNativeGroupNormSample}},
    OpDef{.schema = "aten.native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
                    "weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
          .doc = "Layer norm, with mean and reciprocal deviation of each row.",
          .meta = native_layer_norm_meta,
          .impl = LoopNest{native_layer_norm},
          .samples = {.calls = kNativeLayerNormSample}},
    OpDef{.schema = "aten.rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, "
                    "float? eps=None) -> Tensor",
          .doc = "Scales the last dimensions to a root mean square of 1.",
          .meta = rms_norm_meta,
          .impl = LoopNest{rms_norm},
          .samples = {.calls = kRmsNormSample}},
    OpDef{.schema = "aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
          .doc = "Softmax, cast first when a dtype is given.",
          .meta = softmax_int_meta,
          .impl = Decompose{softmax_int},
          .samples = {.calls = kSoftmaxIntSample}},
    OpDef{.schema = "litz.instance_norm_stats(Tensor input, Tensor running_mean, Tensor "
                    "running_var, float momentum) -> (Tensor, Tensor)",
          .doc = "The running statistics that instance_norm leaves behind.",
          .meta = instance_norm_stats_meta,
          .impl = LoopNest{instance_norm_stats},
          .samples = {.calls = kInstanceStatsSample}},
};

}  // namespace

std::span<const OpDef> normalization_ops() { return kOps; }

}  // namespace litz::ops
