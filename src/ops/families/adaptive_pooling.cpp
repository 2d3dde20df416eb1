// Pooling to a given size, and similar operators: windows at positions that follow from their
// number (adaptive) or from random numbers (fractional), and maxima put back in place (unpooling).
//
// Adaptive window o of n over a size s covers [floor(o s / n), ceil((o + 1) s / n)). Lengths of
// windows may differ by one, so loops run to the longest and skip indices beyond a window.

#include <algorithm>
#include <array>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/flat_index.h"
#include "ops/image_checks.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

size_t spatial_dims(const Call& call) {
  const std::string_view name = call.op().name();
  const size_t found = name.find("pool") + 4;
  check(found < name.size() && name[found] >= '1' && name[found] <= '3',
        "a pooling operator has its dimensions in its name:", name);
  return static_cast<size_t>(name[found] - '0');
}

Sizes output_sizes(const Call& call) {
  const size_t dims = spatial_dims(call);
  Sizes given = call.sizes("output_size");
  if (given.size() == 1) given.resize(dims, given[0]);
  require(given.size() == dims, "output_size has one entry per spatial dimension:", given.size(),
          dims);
  for (const Expr size : given) {
    require(!known_less(size, Expr(0)), "an output size must not be negative:", size);
  }
  return given;
}

bool gives_one(const Call& call) {
  for (const Expr size : output_sizes(call)) {
    if (!size.is(1)) return false;
  }
  return true;
}

// True for a single window: the mean over the image, for which any other dimensions do.
bool is_mean(const Call& call) {
  return call.op().name().starts_with("aten.adaptive_avg_pool") && spatial_dims(call) > 1 &&
         gives_one(call);
}

// The first spatial dimension.
size_t first_dim(const Call& call) {
  const TensorType& self = call.type("self");
  const size_t dims = spatial_dims(call);
  require(
      self.rank() == dims + 1 || self.rank() == dims + 2 || (self.rank() >= dims && is_mean(call)),
      "pooling takes a tensor with channels, spatial dimensions and maybe a batch, got", self);
  return self.rank() - dims;
}

TensorType resized_type(const Call& call, bool keeps_layout) {
  const TensorType& self = call.type("self");
  const size_t first = first_dim(call);
  Sizes sizes(self.sizes.begin(), self.sizes.begin() + static_cast<ptrdiff_t>(first));
  for (const Expr size : output_sizes(call)) sizes.push_back(size);
  // The mean of nothing is NaN.
  const bool may_be_empty = call.op().name().starts_with("aten.adaptive_avg") && gives_one(call);
  for (size_t d = first; d < self.rank() && !may_be_empty; ++d) {
    call.require_sizes(ne(self.sizes[d], 0), "pooling needs spatial sizes above 0, got", self);
  }
  TensorType result = contiguous_type(self.dtype, sizes, self.device);
  const MemoryFormat format = suggest_memory_format(self);
  if (keeps_layout && first == 2 && format != MemoryFormat::contiguous) {
    result.strides = strides_for(format, sizes);
  }
  return result;
}

// PyTorch pools lines as images of one row, which may be channels-last.
TensorType resized_line_type(const Call& call) {
  TensorType result = resized_type(call, false);
  const TensorType& self = call.type("self");
  if (self.rank() != 3 || suggest_memory_format(unsqueezed(self, 2)) == MemoryFormat::contiguous) {
    return result;
  }
  const Expr channels = result.sizes[1];
  result.strides = {channels * result.sizes[2], 1, channels};
  return result;
}

// --- adaptive windows ---

struct AdaptiveWindows {
  size_t first = 0;
  Sizes inputs;
  Sizes outputs;
  Sizes longest;  // The longest window along each dimension.

  Expr start(size_t i, Expr o) const { return floor_div(o * inputs[i], outputs[i]); }

  Expr end(size_t i, Expr o) const { return ceil_div((o + 1) * inputs[i], outputs[i]); }

  // True if all windows have equal lengths and none overlap.
  bool is_even(size_t i) const { return known_divisible(inputs[i], outputs[i]); }
};

Expr longest_window(Expr input, Expr output) {
  if (known_divisible(input, output)) return floor_div(input, output);
  const auto size = input.maybe_constant();
  const auto count = output.maybe_constant();
  if (!size || !count || *count == 0) return floor_div(input - 1, max(output, Expr(1))) + 2;
  int64_t longest = 1;
  for (int64_t o = 0; o < *count; ++o) {
    const int64_t end = ((o + 1) * *size + *count - 1) / *count;
    longest = std::max(longest, end - o * *size / *count);
  }
  return longest;
}

AdaptiveWindows adaptive_windows(const Call& call) {
  const TensorType& self = call.type("self");
  AdaptiveWindows windows;
  windows.first = first_dim(call);
  windows.outputs = output_sizes(call);
  for (size_t i = 0; i < windows.outputs.size(); ++i) {
    // With no outputs, nothing is divided.
    if (windows.outputs[i].is(0)) windows.outputs[i] = 1;
    windows.inputs.push_back(self.sizes[windows.first + i]);
    windows.longest.push_back(longest_window(windows.inputs[i], windows.outputs[i]));
  }
  return windows;
}

struct Covered {
  IndexVector index;
  Expr inside = Expr::boolean(true);
};

Covered covered(const AdaptiveWindows& windows, Exprs result, Exprs offset) {
  Covered element{IndexVector(result.begin(), result.end())};
  for (size_t i = 0; i < windows.outputs.size(); ++i) {
    const Expr o = result[windows.first + i];
    const Expr place =
        windows.is_even(i) ? o * windows.longest[i] + offset[i] : windows.start(i, o) + offset[i];
    element.index[windows.first + i] = place;
    if (!windows.is_even(i)) {
      element.inside = logical_and(element.inside, lt(place, windows.end(i, o)));
    }
  }
  return element;
}

Scalar load_covered(NestCall& call, const Covered& element, Scalar other) {
  KernelBuilder& b = call.builder();
  if (known(element.inside) == true) return b.load(call.in("self"), element.index);
  return b.load_if(b.index(element.inside, DType::bool_), call.in("self"), element.index,
                   b.cast(other, call.type("self").dtype));
}

// --- adaptive mean ---

void require_mean(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(is_floating(dtype) || (is_complex(dtype) && is_mean(call)), ErrorCode::unsupported,
          "an adaptive mean needs a floating tensor, got", name(dtype));
}

TensorType core_adaptive_avg_meta(const Call& call) {
  require_mean(call);
  if (spatial_dims(call) == 3) require_image(call, call.type("self"), 3);
  return resized_type(call, spatial_dims(call) == 2);
}

// A single window is the mean over the image; PyTorch marks its channels-last form by strides of
// the channel count.
TensorType adaptive_avg_meta(const Call& call) {
  if (!gives_one(call)) return core_adaptive_avg_meta(call);
  require_mean(call);
  TensorType result = resized_type(call, false);
  const MemoryFormat format = suggest_memory_format(call.type("self"));
  if (first_dim(call) == 2 && format != MemoryFormat::contiguous) {
    const Expr channels = result.sizes[1];
    result.strides.assign(result.rank(), channels);
    result.strides[1] = 1;
  }
  return result;
}

TensorType adaptive_avg1d_meta(const Call& call) {
  require_mean(call);
  return resized_line_type(call);
}

void adaptive_avg(NestCall& call) {
  const TensorType& self = call.type("self");
  const AdaptiveWindows windows = adaptive_windows(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(call.result().sizes, [&](Exprs index) {
    const Scalar total = b.reduce(ReduceKind::sum, windows.longest, [&](Exprs offset) {
      return b.cast(load_covered(call, covered(windows, index, offset), b.constant(compute, 0.0)),
                    compute);
    });
    Expr count = 1;
    for (size_t i = 0; i < windows.outputs.size(); ++i) {
      const Expr o = index[windows.first + i];
      count = count *
              (windows.is_even(i) ? windows.longest[i] : windows.end(i, o) - windows.start(i, o));
    }
    b.store(call.out(), index, b.cast(total / b.index(count, compute), self.dtype));
  });
}

TensorType adaptive_avg_backward_meta(const Call& call) {
  require_mean(call);
  const TensorType& self = call.type("self");
  const TensorType& gradient = call.type("grad_output");
  const size_t first = first_dim(call);
  require(gradient.rank() == self.rank() && gradient.dtype == self.dtype,
          "the gradient has the rank and the dtype of what was pooled:", gradient, self);
  for (size_t d = 0; d < self.rank(); ++d) {
    const Expr fits =
        d < first ? eq(gradient.sizes[d], self.sizes[d]) : ne(gradient.sizes[d], Expr(0));
    call.require_sizes(
        fits, "the gradient has the batch and the channels of what was pooled:", gradient, self);
  }
  const bool is_volume = call.op().name() == "aten._adaptive_avg_pool3d_backward";
  if (is_volume) return contiguous_type(self.dtype, self.sizes, self.device);
  return preserved_type(self.dtype, self, suggest_memory_format(self));
}

// An element is in the windows from floor(i n / s) to ceil((i + 1) n / s): the same formula as for
// the windows, with sizes exchanged.
void adaptive_avg_backward(NestCall& call) {
  const TensorType& self = call.type("self");
  const TensorType& grad = call.type("grad_output");
  const size_t first = first_dim(call);
  AdaptiveWindows windows;  // Maps elements to the windows that cover them.
  windows.first = first;
  for (size_t d = first; d < self.rank(); ++d) {
    windows.inputs.push_back(grad.sizes[d]);
    windows.outputs.push_back(self.sizes[d]);
    windows.longest.push_back(longest_window(grad.sizes[d], self.sizes[d]));
  }
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(self.sizes, [&](Exprs index) {
    const Scalar total = b.reduce(ReduceKind::sum, windows.longest, [&](Exprs offset) {
      const Covered from = covered(windows, index, offset);
      Expr count = 1;
      for (size_t d = first; d < self.rank(); ++d) {
        const Expr o = std::get<Expr>(from.index[d]);
        count = count * (ceil_div((o + 1) * self.sizes[d], grad.sizes[d]) -
                         floor_div(o * self.sizes[d], grad.sizes[d]));
      }
      const Scalar zero = b.cast(b.constant(compute, 0.0), self.dtype);
      const Scalar value =
          b.load_if(b.index(from.inside, DType::bool_), call.in("grad_output"), from.index, zero);
      return b.cast(value, compute) / b.index(count, compute);
    });
    b.store(call.out(), index, b.cast(total, self.dtype));
  });
}

std::vector<ir::Value> adaptive_avg_or_mean(DecomposeCall& call) {
  const std::string core = "_" + std::string(call.op().name().substr(5));
  if (!gives_one(call)) return {call.aten(core, {call["self"], call.pass("output_size")})};
  ir::Scalars dims;
  const size_t first = first_dim(call);
  for (size_t d = first; d < call.type("self").rank(); ++d) {
    dims.emplace_back(static_cast<int64_t>(d));
  }
  const ir::Value mean =
      call.aten("mean.dim", {call["self"], ir::Attribute(dims), Expr::boolean(true)});
  const TensorType& wanted = call.result();
  if (mean.tensor().strides == wanted.strides) return {mean};
  return {
      call.aten("as_strided", {mean, ir::Attribute(wanted.sizes), ir::Attribute(wanted.strides)})};
}

std::vector<ir::Value> adaptive_avg1d(DecomposeCall& call) {
  const ir::Value image = call.aten("unsqueeze", {call["self"], Expr(-2)});
  const ir::Value pooled = call.aten(
      "adaptive_avg_pool2d", {image, ir::Attribute(ir::Scalars{Expr(1), output_sizes(call)[0]})});
  return {call.aten("squeeze.dim", {pooled, Expr(-2)})};
}

// --- maxima ---

void require_ordered(const Call& call) {
  require(is_floating(call.type("self").dtype), ErrorCode::unsupported,
          "the largest element of these windows needs a floating tensor, got",
          name(call.type("self").dtype));
}

Types with_positions(const TensorType& values) {
  TensorType positions = values;
  positions.dtype = DType::i64;
  return {values, positions};
}

Types adaptive_max_meta(const Call& call) {
  require_ordered(call);
  require_image(call, call.type("self"), spatial_dims(call));
  if (spatial_dims(call) == 1) return with_positions(resized_line_type(call));
  return with_positions(resized_type(call, spatial_dims(call) == 2));
}

// Replaces the current maximum and its position by a larger element or NaN.
KernelBuilder::Tuple larger(std::span<const Scalar> so_far, std::span<const Scalar> next) {
  const Scalar wins = (next[0] > so_far[0]) | is_nan(next[0]);
  return {select(wins, next[0], so_far[0]), select(wins, next[1], so_far[1])};
}

void adaptive_max(NestCall& call) {
  const TensorType& self = call.type("self");
  const AdaptiveWindows windows = adaptive_windows(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  const auto flat = [&](const IndexVector& index) {
    Expr position = 0;
    for (size_t i = 0; i < windows.inputs.size(); ++i) {
      position = position * windows.inputs[i] + std::get<Expr>(index[windows.first + i]);
    }
    return b.index(position);
  };
  b.loop(call.result(0).sizes, [&](Exprs index) {
    const Scalar lowest = b.constant(compute, -std::numeric_limits<double>::infinity());
    const Sizes origin(windows.inputs.size());
    const std::array initial{lowest, flat(covered(windows, index, origin).index)};
    const auto best = b.fold(
        product(windows.longest), initial,
        [&](Expr k) -> KernelBuilder::Tuple {
          const Covered element = covered(windows, index, unflattened(k, windows.longest));
          const Scalar value = b.cast(load_covered(call, element, lowest), compute);
          return {value, flat(element.index)};
        },
        larger);
    b.store(call.out(0), index, b.cast(best[0], self.dtype));
    b.store(call.out(1), index, best[1]);
  });
}

std::vector<ir::Value> adaptive_max1d(DecomposeCall& call) {
  const ir::Value image = call.aten("unsqueeze", {call["self"], Expr(-2)});
  std::vector<ir::Value> pooled = call.aten_all(
      "adaptive_max_pool2d", {image, ir::Attribute(ir::Scalars{Expr(1), output_sizes(call)[0]})});
  for (ir::Value& value : pooled) value = call.aten("squeeze.dim", {value, Expr(-2)});
  return pooled;
}

// --- fractional windows ---

// Requires one number per image, channel and spatial dimension; more images are allowed.
void require_samples(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& samples = call.type("random_samples");
  const size_t dims = spatial_dims(call);
  const bool has_batch = self.rank() == dims + 2;
  const Expr images = has_batch ? self.sizes[0] : Expr(1);
  const char* const text = "fractional pooling needs random numbers [batch, channels, dimensions]:";
  require(samples.rank() == 3 && samples.dtype == self.dtype, text, samples, self);
  call.require_sizes(le(images, samples.sizes[0]), text, samples, self);
  call.require_sizes(eq(samples.sizes[1], self.sizes[has_batch ? 1 : 0]), text, samples, self);
  call.require_sizes(eq(samples.sizes[2], Expr(static_cast<int64_t>(dims))), text, samples, self);
}

Types fractional_max_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  const size_t first = first_dim(call);
  require_image(call, self, spatial_dims(call));
  require_samples(call);
  const std::vector<int64_t> kernel = call.integers("kernel_size");
  const Sizes outputs = output_sizes(call);
  require(kernel.size() == outputs.size(),
          "kernel_size has one entry per spatial dimension:", kernel.size(), outputs.size());
  for (size_t i = 0; i < kernel.size(); ++i) {
    require(kernel[i] > 0, "the kernel of a pooling must be positive:", kernel[i]);
    // Windows of volumes must be smaller by at least one element.
    const int64_t least = kernel.size() == 3 ? kernel[i] : kernel[i] - 1;
    call.require_sizes(le(outputs[i] + least, self.sizes[first + i]),
                       "fractional pooling needs sizes of at least output + kernel - 1, and one "
                       "more of volumes:",
                       self.sizes[first + i], outputs[i], kernel[i]);
  }
  return with_positions(resized_type(call, false));
}

// The start of window o in dimension i: steps of (size - kernel) / (count - 1), shifted by a random
// fraction, rounded in the dtype of the random numbers; the last window ends with the image.
Scalar fractional_start(NestCall& call, Scalar sample, Expr size, int64_t kernel, Expr count,
                        Expr o) {
  KernelBuilder& b = call.builder();
  const Scalar last = b.index(size - kernel);
  if (count.is(1)) return last;
  const DType compute = sample.dtype();
  const DType rounded = call.type("random_samples").dtype;
  const auto round = [&](Scalar x) { return b.cast(b.cast(x, rounded), compute); };
  const Scalar step = round(b.index(size - kernel, compute) / b.index(count - 1, compute));
  const Scalar moved = b.cast(round(round(b.index(o, compute) + sample) * step), DType::i64);
  const Scalar start = moved - b.cast(round(sample * step), DType::i64);
  return select(b.index(eq(o, count - 1), DType::bool_), last, start);
}

void fractional_max(NestCall& call) {
  const TensorType& self = call.type("self");
  const size_t first = first_dim(call);
  const std::vector<int64_t> kernel = call.integers("kernel_size");
  const Sizes extents(kernel.begin(), kernel.end());
  const Sizes outputs = output_sizes(call);
  const size_t dims = outputs.size();
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(call.result(0).sizes, [&](Exprs index) {
    std::vector<Scalar> starts(dims);
    for (size_t i = 0; i < dims; ++i) {
      // One number per dimension; images list the last dimension first, volumes the first.
      const size_t column = dims == 2 ? 1 - i : i;
      const IndexVector sample{first == 2 ? index[0] : Expr(0), index[first - 1],
                               Expr(static_cast<int64_t>(column))};
      const Scalar random = b.load(call.in("random_samples"), sample);
      starts[i] = fractional_start(call, b.cast(random, compute_dtype(random.dtype())),
                                   self.sizes[first + i], kernel[i], outputs[i], index[first + i]);
    }
    const auto position = [&](const Sizes& offset, IndexVector* place) {
      Scalar flat = b.constant(DType::i64, int64_t{0});
      for (size_t i = 0; i < dims; ++i) {
        const Scalar at = starts[i] + b.index(offset[i]);
        if (place != nullptr) (*place)[first + i] = at.id();
        flat = flat * b.index(self.sizes[first + i]) + at;
      }
      return flat;
    };
    const std::array initial{b.constant(compute, -std::numeric_limits<double>::infinity()),
                             position(Sizes(dims), nullptr)};
    const auto best = b.fold(
        product(extents), initial,
        [&](Expr k) -> KernelBuilder::Tuple {
          IndexVector place(index.begin(), index.end());
          const Scalar flat = position(unflattened(k, extents), &place);
          return {b.cast(b.load(call.in("self"), place), compute), flat};
        },
        larger);
    b.store(call.out(0), index, b.cast(best[0], self.dtype));
    b.store(call.out(1), index, best[1]);
  });
}

// --- unpooling ---

TensorType max_unpool_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& indices = call.type("indices");
  require(indices.dtype == DType::i64 && indices.rank() == self.rank(),
          "unpooling needs int64 positions, one per element:", indices, self);
  for (size_t d = 0; d < self.rank(); ++d) {
    require(!known_not_equal(self.sizes[d], indices.sizes[d]),
            "unpooling needs one position per element:", indices, self);
  }
  const Sizes outputs = output_sizes(call);
  const size_t dims = spatial_dims(call);
  require_image(call, self, dims);
  if (call.op().schema.find("stride") >= 0) {
    require(call.integers("stride").size() == dims && call.integers("padding").size() == dims,
            "unpooling has a stride and a padding per spatial dimension:", call.op().name());
    require(std::ranges::all_of(call.integers("stride"), [](int64_t step) { return step > 0; }),
            "strides of unpooling must be positive:", call.op().name());
  }
  Sizes sizes(self.sizes.begin(), self.sizes.end() - static_cast<ptrdiff_t>(dims));
  sizes.insert(sizes.end(), outputs.begin(), outputs.end());
  return contiguous_type(self.dtype, sizes, self.device);
}

void max_unpool(NestCall& call) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  const size_t first = first_dim(call);
  const Sizes& sizes = call.result().sizes;
  b.loop(sizes, [&](Exprs index) {
    const Scalar zero = is_integer(self.dtype) || self.dtype == DType::bool_
                            ? b.constant(self.dtype, int64_t{0})
                            : b.cast(b.constant(DType::f32, 0.0), self.dtype);
    b.store(call.out(), index, zero);
  });
  const Expr image = product(std::span(sizes).subspan(first));
  // Nothing is put into images of no pixels, whatever the positions are.
  if (known_equal(image, 0)) return;
  Sizes read = self.sizes;
  if (!known_not_equal(image, 0)) read[0] = read[0] * min(image, Expr(1));
  b.loop(read, [&](Exprs index) {
    Scalar position = b.bound_index(b.load(call.in("indices"), index), image, false,
                                    "index of " + std::string(call.op().name()));
    IndexVector place(index.begin(), index.end());
    for (size_t d = sizes.size(); d-- > first;) {
      const Scalar size = b.index(sizes[d]);
      place[d] = mod(position, size).id();
      position = floor_div(position, size);
    }
    b.store(call.out(), place, b.load(call.in("self"), index));
  });
}

constexpr std::array kLineSample{"(f32[2, 3, 8], [3])"sv, "(f32[2, 3, 8], [1])"sv};
constexpr std::array kAvg3dBackwardSample{"(f32[2, 3, 2, 3, 2], f32[2, 3, 4, 5, 4])"sv};
constexpr std::array kAvgBackwardSample{"(f32[2, 3, 3, 4], f32[2, 3, 7, 8])"sv,
                                        "(f32[3, 5, 5], f32[3, 2, 5])"sv};
constexpr std::array kImageSample{"(f32[2, 3, 7, 8], [3, 4])"sv, "(f32[3, 6, 6], [1, 1])"sv};
constexpr std::array kVolumeSample{"(f32[2, 2, 5, 6, 7], [2, 6, 3])"sv};
constexpr std::array kFractional2dSample{
    "(f32[1, 3, 7, 8], [2, 3], [3, 4], f32[1, 3, 2] in [0, 1))"sv};
constexpr std::array kFractional3dSample{
    "(f32[1, 2, 5, 6, 7], [2, 3, 2], [2, 3, 4], f32[1, 2, 3] in [0, 1))"sv};
constexpr std::array kUnpool2dSample{"(f32[1, 2, 2, 2], i64[1, 2, 2, 2] in [0, 20), [4, 5])"sv};
constexpr std::array kUnpool3dSample{
    "(f32[1, 2, 2, 2, 1], i64[1, 2, 2, 2, 1] in [0, 60), [4, 5, 3], [2, 2, 2], [0, 0, 0])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
          .doc = "The mean of windows that divide an image evenly.",
          .meta = core_adaptive_avg_meta,
          .impl = LoopNest{adaptive_avg},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten._adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
          .doc = "Derivative of _adaptive_avg_pool2d.",
          .meta = adaptive_avg_backward_meta,
          .impl = LoopNest{adaptive_avg_backward},
          .samples = {.calls = kAvgBackwardSample}},
    OpDef{.schema = "aten._adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
          .doc = "Derivative of _adaptive_avg_pool3d.",
          .meta = adaptive_avg_backward_meta,
          .impl = LoopNest{adaptive_avg_backward},
          .samples = {.calls = kAvg3dBackwardSample}},
    OpDef{.schema = "aten._adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
          .doc = "The mean of windows that divide a volume evenly.",
          .meta = core_adaptive_avg_meta,
          .impl = LoopNest{adaptive_avg},
          .samples = {.calls = kVolumeSample}},
    OpDef{.schema = "aten.adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
          .doc = "The mean of windows that divide a line evenly.",
          .meta = adaptive_avg1d_meta,
          .impl = Decompose{adaptive_avg1d},
          .samples = {.calls = kLineSample}},
    OpDef{.schema = "aten.adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
          .doc = "The mean of windows that divide an image evenly.",
          .meta = adaptive_avg_meta,
          .impl = Decompose{adaptive_avg_or_mean},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten.adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
          .doc = "The mean of windows that divide a volume evenly.",
          .meta = adaptive_avg_meta,
          .impl = Decompose{adaptive_avg_or_mean},
          .samples = {.calls = kVolumeSample}},
    OpDef{.schema = "aten.adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)",
          .doc = "The largest element of windows that divide a line evenly, and where it is.",
          .meta = adaptive_max_meta,
          .impl = Decompose{adaptive_max1d},
          .samples = {.calls = kLineSample}},
    OpDef{.schema = "aten.adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
          .doc = "The largest element of windows that divide an image evenly, and where it is.",
          .meta = adaptive_max_meta,
          .impl = LoopNest{adaptive_max},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten.adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)",
          .doc = "The largest element of windows that divide a volume evenly, and where it is.",
          .meta = adaptive_max_meta,
          .impl = LoopNest{adaptive_max},
          .samples = {.calls = kVolumeSample}},
    OpDef{.schema = "aten.fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] "
                    "output_size, Tensor random_samples) -> (Tensor, Tensor)",
          .doc = "The largest element of randomly placed windows of an image, and where it is.",
          .meta = fractional_max_meta,
          .impl = LoopNest{fractional_max},
          .samples = {.calls = kFractional2dSample}},
    OpDef{.schema = "aten.fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] "
                    "output_size, Tensor random_samples) -> (Tensor, Tensor)",
          .doc = "The largest element of randomly placed windows of a volume, and where it is.",
          .meta = fractional_max_meta,
          .impl = LoopNest{fractional_max},
          .samples = {.calls = kFractional3dSample}},
    OpDef{.schema = "aten.max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> "
                    "Tensor",
          .doc = "Puts maxima back where they came from in an image of zeros.",
          .meta = max_unpool_meta,
          .impl = LoopNest{max_unpool},
          .samples = {.calls = kUnpool2dSample}},
    OpDef{.schema = "aten.max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] "
                    "stride, int[3] padding) -> Tensor",
          .doc = "Puts maxima back where they came from in a volume of zeros.",
          .meta = max_unpool_meta,
          .impl = LoopNest{max_unpool},
          .samples = {.calls = kUnpool3dSample}},
};

}  // namespace

std::span<const OpDef> adaptive_pooling_ops() { return kOps; }

}  // namespace litz::ops
