// Pooling over windows of fixed size: the largest or the mean element of each window of an image.
//
// A window that extends beyond the image reads nothing there: minus infinity for a maximum, zero
// for a mean, where it may still count in the divisor. Results keep a channels-last layout.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/image_checks.h"
#include "ops/index_types.h"
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

// Geometry of one call; every list has one entry per spatial dimension.
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  bool ceil_mode = false;
  size_t first = 0;  // The first spatial dimension of the input.

  size_t dims() const { return kernel.size(); }
};

// "aten.max_pool2d_with_indices" -> 2
size_t spatial_dims(const Call& call) {
  const std::string_view name = call.op().name();
  const size_t found = name.find("pool") + 4;
  check(found < name.size() && name[found] >= '1' && name[found] <= '3',
        "a pooling operator has its dimensions in its name:", name);
  return static_cast<size_t>(name[found] - '0');
}

std::vector<int64_t> list_or(const Call& call, std::string_view name, size_t dims,
                             const std::vector<int64_t>& otherwise) {
  if (call.op().schema.find(name) < 0 || !call.has(name)) return otherwise;
  std::vector<int64_t> list = call.integers(name);
  if (list.empty() && name == "stride") return otherwise;
  if (list.size() == 1) list.resize(dims, list[0]);
  require(list.size() == dims, "pooling needs one entry per spatial dimension:", name, list.size(),
          dims);
  return list;
}

Window window_of(const Call& call) {
  const TensorType& self = call.type("self");
  const size_t dims = spatial_dims(call);
  require_image(call, self, dims);
  Window window;
  window.kernel = list_or(call, "kernel_size", dims, {});
  require(window.kernel.size() == dims, "pooling needs a kernel size");
  window.stride = list_or(call, "stride", dims, window.kernel);
  window.padding = list_or(call, "padding", dims, std::vector<int64_t>(dims, 0));
  window.dilation = list_or(call, "dilation", dims, std::vector<int64_t>(dims, 1));
  window.ceil_mode = call.flag("ceil_mode");
  window.first = self.rank() - dims;
  for (size_t i = 0; i < dims; ++i) {
    require(window.kernel[i] > 0 && window.stride[i] > 0 && window.dilation[i] > 0,
            "kernel size, stride and dilation of pooling must be positive:", window.kernel[i],
            window.stride[i], window.dilation[i]);
    require(window.padding[i] >= 0 &&
                window.padding[i] <= ((window.kernel[i] - 1) * window.dilation[i] + 1) / 2,
            "the padding of pooling must be at most half the kernel size:", window.padding[i],
            window.kernel[i]);
  }
  return window;
}

// The number of windows; the last one must start inside the image or its left padding.
Expr window_count(const Window& window, size_t i, Expr size) {
  const Expr padding = window.padding[i];
  const Expr stride = window.stride[i];
  const Expr room = size + 2 * padding - window.dilation[i] * (window.kernel[i] - 1) - 1;
  if (!window.ceil_mode) return floor_div(room, stride) + 1;
  const Expr count = floor_div(room + stride - 1, stride) + 1;
  return where(le(size + padding, (count - 1) * stride), count - 1, count);
}

// Lines are pooled as images of height 1, whose layout decides. Batches of images and volumes keep
// their format, and results without a batch are row-major.
Sizes pooled_strides(const TensorType& self, const Window& window, const Sizes& sizes) {
  if (window.first != 2) return contiguous_strides(sizes);
  const bool is_line = window.dims() == 1;
  const MemoryFormat format = suggest_memory_format(is_line ? unsqueezed(self, 2) : self);
  if (format == MemoryFormat::contiguous) return contiguous_strides(sizes);
  if (!is_line) return strides_for(format, sizes);
  Sizes strides = strides_for(format, std::array{sizes[0], sizes[1], Expr(1), sizes[2]});
  strides.erase(strides.begin() + 2);
  return strides;
}

TensorType pooled_type(const Call& call, const Window& window) {
  const TensorType& self = call.type("self");
  Sizes sizes = self.sizes;
  for (size_t i = 0; i < window.dims(); ++i) {
    Expr& size = sizes[window.first + i];
    size = window_count(window, i, size);
    call.require_sizes(le(1, size), "the windows of pooling must fit into the image, got", self);
  }
  TensorType result = contiguous_type(self.dtype, sizes, self.device);
  result.strides = pooled_strides(self, window, sizes);
  return result;
}

// An image element covered by a window, and whether it exists.
struct Covered {
  IndexVector index;
  Expr inside = Expr::boolean(true);
};

Covered covered(const TensorType& image, const Window& window, Exprs result, Exprs offset) {
  Covered element{IndexVector(result.begin(), result.end())};
  for (size_t i = 0; i < window.dims(); ++i) {
    const size_t dim = window.first + i;
    const Expr place =
        result[dim] * window.stride[i] - window.padding[i] + offset[i] * window.dilation[i];
    element.index[dim] = place;
    if (window.padding[i] > 0) {
      element.inside = logical_and(element.inside, le(Expr(0), place));
    }
    if (window.padding[i] > 0 || window.ceil_mode) {
      element.inside = logical_and(element.inside, lt(place, image.sizes[dim]));
    }
  }
  return element;
}

// The element, or `other` if the window extends beyond the image.
Scalar load_covered(NestCall& call, const Covered& element, double other) {
  KernelBuilder& b = call.builder();
  if (known(element.inside) == true) return b.load(call.in("self"), element.index);
  const DType dtype = call.type("self").dtype;
  const Scalar otherwise = is_floating(dtype)
                               ? b.cast(b.constant(compute_dtype(dtype), other), dtype)
                               : b.constant(dtype, static_cast<int64_t>(other));
  return b.load_if(b.index(element.inside, DType::bool_), call.in("self"), element.index,
                   otherwise);
}

// --- the largest element ---

Sizes extents(const Window& window) { return {window.kernel.begin(), window.kernel.end()}; }

// A value less than or equal to everything in a dtype.
Scalar lowest(KernelBuilder& b, DType dtype) {
  if (is_floating(dtype)) return b.constant(dtype, -std::numeric_limits<double>::infinity());
  if (!is_signed(dtype)) return b.constant(dtype, int64_t{0});
  const auto bits = static_cast<int>(8 * item_size(dtype));
  return b.constant(dtype, std::numeric_limits<int64_t>::min() >> (64 - bits));
}

void require_ordered(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(!is_complex(dtype) && dtype != DType::bool_, ErrorCode::unsupported,
          "the largest element of a window needs real numbers, got", name(dtype));
}

TensorType max_pool_meta(const Call& call) {
  require_ordered(call);
  return pooled_type(call, window_of(call));
}

Types max_pool_with_indices_meta(const Call& call) {
  const TensorType values = max_pool_meta(call);
  TensorType indices = values;
  indices.dtype = DType::i64;
  return {values, indices};
}

TensorType max_pool1d_meta(const Call& call) {
  const TensorType type = max_pool_meta(call);
  return contiguous_type(type.dtype, type.sizes, type.device);
}

// Without indices a plain maximum suffices: NaN wins, as in PyTorch.
void max_pool(NestCall& call) {
  const TensorType& self = call.type("self");
  const Window window = window_of(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(call.result().sizes, [&](Exprs index) {
    const Scalar largest = b.reduce(ReduceKind::max, extents(window), [&](Exprs offset) {
      const Covered element = covered(self, window, index, offset);
      if (known(element.inside) == true) {
        return b.cast(b.load(call.in("self"), element.index), compute);
      }
      const Scalar inside = b.index(element.inside, DType::bool_);
      const Scalar other = b.cast(lowest(b, compute), self.dtype);
      return b.cast(b.load_if(inside, call.in("self"), element.index, other), compute);
    });
    b.store(call.out(), index, b.cast(largest, self.dtype));
  });
}

// The index of a window element in its row-major image.
Expr flat_position(const TensorType& image, size_t first, const IndexVector& index) {
  Expr flat = 0;
  for (size_t d = first; d < image.rank(); ++d) {
    flat = flat * image.sizes[d] + std::get<Expr>(index[d]);
  }
  return flat;
}

// The first element of each window inside the image: the index for a window without a larger
// element.
Expr first_position(const TensorType& image, const Window& window, Exprs result) {
  Expr flat = 0;
  for (size_t i = 0; i < window.dims(); ++i) {
    const size_t dim = window.first + i;
    const Expr step = window.dilation[i];
    const Expr place = result[dim] * window.stride[i] - window.padding[i];
    // Steps of the dilation lead from the padding to the first element.
    const Expr start =
        window.padding[i] == 0 ? place : place + step * ceil_div(max(-place, Expr(0)), step);
    flat = flat * image.sizes[dim] + start;
  }
  return flat;
}

// In window order, a larger element or NaN replaces the maximum: the first among equals wins, and
// the last NaN.
void max_pool_with_indices(NestCall& call) {
  const TensorType& self = call.type("self");
  const Window window = window_of(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(call.result().sizes, [&](Exprs index) {
    const std::array initial{lowest(b, compute), b.index(first_position(self, window, index))};
    const auto best = b.fold(
        product(extents(window)), initial,
        [&](Expr k) -> KernelBuilder::Tuple {
          Sizes offset(window.dims());
          for (size_t i = window.dims(); i-- > 0;) {
            offset[i] = mod(k, window.kernel[i]);
            k = floor_div(k, window.kernel[i]);
          }
          const Covered element = covered(self, window, index, offset);
          const bool is_sure = known(element.inside) == true;
          const Scalar inside = b.index(element.inside, DType::bool_);
          const Scalar other = b.cast(lowest(b, compute), self.dtype);
          const Scalar value =
              b.cast(is_sure ? b.load(call.in("self"), element.index)
                             : b.load_if(inside, call.in("self"), element.index, other),
                     compute);
          return {value, b.index(flat_position(self, window.first, element.index))};
        },
        [&](std::span<const Scalar> so_far, std::span<const Scalar> next) -> KernelBuilder::Tuple {
          Scalar wins = next[0] > so_far[0];
          if (is_floating(compute)) wins = wins | is_nan(next[0]);
          return {select(wins, next[0], so_far[0]), select(wins, next[1], so_far[1])};
        });
    b.store(call.out(0), index, b.cast(best[0], self.dtype));
    b.store(call.out(1), index, best[1]);
  });
}

constexpr const char* kGradientSizes = "the gradient of a pooling has the sizes of its result:";

TensorType max_pool_backward_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_index(call, "indices", IndexTypes::i64);
  require_same_dtypes(call, {"self", "grad_output"});
  require(is_floating(self.dtype), ErrorCode::unsupported,
          "the gradient of a pooling must be floating, got", name(self.dtype));
  const Sizes sizes = pooled_type(call, window_of(call)).sizes;
  require_sizes_are(call, call.type("grad_output"), sizes, kGradientSizes);
  require_sizes_are(call, call.type("indices"), sizes, kGradientSizes);
  TensorType result = contiguous_type(self.dtype, self.sizes, self.device);
  result.strides = pooled_strides(self, window_of(call), self.sizes);
  return result;
}

// Each element of the gradient goes to its window's maximum.
void max_pool_backward(NestCall& call) {
  const TensorType& self = call.type("self");
  const TensorType& grad = call.type("grad_output");
  const size_t first = window_of(call).first;
  KernelBuilder& b = call.builder();
  b.loop(self.sizes, [&](Exprs index) {
    const Scalar zero = b.cast(b.constant(compute_dtype(self.dtype), 0.0), self.dtype);
    b.store(call.out(), index, zero);
  });
  const Expr image = product(std::span(self.sizes).subspan(first));
  b.loop(grad.sizes, [&](Exprs index) {
    Scalar position = b.bound_index(b.load(call.in("indices"), index), image, false,
                                    "index of " + std::string(call.op().name()));
    IndexVector place(index.begin(), index.end());
    for (size_t d = self.rank(); d-- > first;) {
      const Scalar size = b.index(self.sizes[d]);
      place[d] = mod(position, size).id();
      position = floor_div(position, size);
    }
    b.store(call.out(), place, b.load(call.in("grad_output"), index), loops::StoreMode::add);
  });
}

// --- the mean ---

// PyTorch's 3-d mean rejects a kernel larger than the image, whatever the padding is.
void require_covered(const Call& call, const Window& window) {
  const TensorType& self = call.type("self");
  for (size_t i = 0; i < window.dims(); ++i) {
    call.require_sizes(le(window.kernel[i], self.sizes[window.first + i]),
                       "the kernel of a 3-d mean must fit into the image:", window.kernel[i], self);
  }
}

TensorType avg_pool_meta(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(is_floating(dtype) || dtype == DType::i64, ErrorCode::unsupported,
          "the mean of a window needs a floating or int64 tensor, got", name(dtype));
  const Window window = window_of(call);
  if (window.dims() == 3) require_covered(call, window);
  TensorType type = pooled_type(call, window);
  // PyTorch's 3-d mean always writes row-major.
  if (window.dims() == 3) type = contiguous_type(type.dtype, type.sizes, type.device);
  return type;
}

bool has_divisor(const Call& call) {
  return call.op().schema.find("divisor_override") >= 0 && call.has("divisor_override");
}

// The number of elements that a window counts: those in the image, or in the image and its padding.
Expr divisor(const Call& call, const TensorType& image, const Window& window, Exprs result) {
  if (has_divisor(call)) {
    const int64_t given = call.integer("divisor_override");
    require(given != 0, "the divisor of pooling must not be 0");
    return given;
  }
  const bool counts_padding = call.flag("count_include_pad");
  Expr total = 1;
  for (size_t i = 0; i < window.dims(); ++i) {
    const size_t dim = window.first + i;
    const Expr size = image.sizes[dim];
    const bool sticks_out = window.padding[i] > 0 || window.ceil_mode;
    if (!sticks_out || (counts_padding && !window.ceil_mode)) {
      total = total * window.kernel[i];
      continue;
    }
    const Expr start = result[dim] * window.stride[i] - window.padding[i];
    const Expr padded_end = min(start + window.kernel[i], size + window.padding[i]);
    total =
        total * (counts_padding ? padded_end - start : min(padded_end, size) - max(start, Expr(0)));
  }
  return total;
}

void avg_pool(NestCall& call) {
  const TensorType& self = call.type("self");
  const Window window = window_of(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(call.result().sizes, [&](Exprs index) {
    const Scalar total = b.reduce(ReduceKind::sum, extents(window), [&](Exprs offset) {
      return b.cast(load_covered(call, covered(self, window, index, offset), 0), compute);
    });
    const Expr count = divisor(call, self, window, index);
    const Scalar mean = is_floating(compute) ? total / b.index(count, compute)
                                             : trunc_div(total, b.index(count, compute));
    b.store(call.out(), index, b.cast(mean, self.dtype));
  });
}

TensorType avg_pool_backward_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_same_dtypes(call, {"self", "grad_output"});
  require_sizes_are(call, call.type("grad_output"), avg_pool_meta(call).sizes, kGradientSizes);
  TensorType result = contiguous_type(self.dtype, self.sizes, self.device);
  if (window_of(call).dims() < 3) {
    result.strides = pooled_strides(self, window_of(call), self.sizes);
  }
  return result;
}

// Every element collects from the windows that cover it, which begin at multiples of the stride
// before it.
void avg_pool_backward(NestCall& call) {
  const TensorType& self = call.type("self");
  const TensorType& grad = call.type("grad_output");
  const Window window = window_of(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(self.sizes, [&](Exprs index) {
    const Scalar total = b.reduce(ReduceKind::sum, extents(window), [&](Exprs offset) {
      Sizes from(index.begin(), index.end());
      Expr covers = Expr::boolean(true);
      for (size_t i = 0; i < window.dims(); ++i) {
        const size_t dim = window.first + i;
        const Expr start = index[dim] + window.padding[i] - offset[i];
        from[dim] = floor_div(start, window.stride[i]);
        covers = logical_and(covers, eq(mod(start, window.stride[i]), Expr(0)));
        covers = logical_and(covers,
                             logical_and(le(Expr(0), from[dim]), lt(from[dim], grad.sizes[dim])));
      }
      const Scalar zero = b.cast(b.constant(compute, 0.0), self.dtype);
      const Scalar value = b.load_if(b.index(covers, DType::bool_), call.in("grad_output"),
                                     IndexVector(from.begin(), from.end()), zero);
      // Windows that do not exist may count 0 elements; they add 0.
      const Scalar count = b.index(divisor(call, self, window, from), compute);
      const Scalar share = select(count == 0, 1.0, count);
      const Scalar wide = b.cast(value, compute);
      return is_floating(compute) ? wide / share : trunc_div(wide, share);
    });
    b.store(call.out(), index, b.cast(total, self.dtype));
  });
}

// --- one dimension: two with a row of height 1 ---

std::vector<ir::Value> avg_pool1d(DecomposeCall& call) {
  const auto rows = [&](std::string_view name, int64_t otherwise) {
    const Window window = window_of(call);
    const std::vector<int64_t>& list = name == "kernel_size" ? window.kernel
                                       : name == "stride"    ? window.stride
                                                             : window.padding;
    return ir::Attribute(ir::Scalars{Expr(otherwise), Expr(list[0])});
  };
  const ir::Value image = call.aten("unsqueeze", {call["self"], Expr(-2)});
  const ir::Value pooled =
      call.aten("avg_pool2d", {image, rows("kernel_size", 1), rows("stride", 1), rows("padding", 0),
                               call.pass("ceil_mode"), call.pass("count_include_pad")});
  return {call.aten("squeeze.dim", {pooled, Expr(-2)})};
}

constexpr std::array kMaxPool1dSample{"(f32[2, 3, 8], [3], [2], [1])"sv};
constexpr std::array kMaxPool2dSample{"(f32[2, 3, 7, 8], [3, 2], [2], [1], [1], True)"sv,
                                      "(f32[3, 6, 6], [2])"sv};
constexpr std::array kMaxPool3dSample{"(f32[2, 2, 5, 6, 7], [2, 3, 2], [2], [1])"sv};
constexpr std::array kMaxPoolBackwardSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 6, 6], [2, 2], [2, 2], [0, 0], [1, 1], False, "
    "i64[1, 2, 3, 3] in [0, 36))"sv};
constexpr std::array kAvgPool1dSample{"(f32[2, 3, 8], [3], [2], [1], True)"sv};
constexpr std::array kAvgPool2dSample{"(f32[2, 3, 7, 8], [3, 2], [2], [1], True, False)"sv,
                                      "(f32[3, 6, 6], [2], divisor_override=3)"sv};
constexpr std::array kAvgPoolBackwardSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 5, 6], [2, 3], [2, 2], [1, 1], False, False, None)"sv};
constexpr std::array kMaxPool3dBackwardSample{
    "(f32[1, 2, 2, 2, 2], f32[1, 2, 4, 4, 4], [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False, "
    "i64[1, 2, 2, 2, 2] in [0, 64))"sv};
constexpr std::array kAvgPool3dBackwardSample{
    "(f32[1, 2, 2, 2, 3], f32[1, 2, 4, 4, 5], [2, 2, 3], [2, 2, 2], [0, 0, 1], False, False, None)"sv};
constexpr std::array kAvgPool3dSample{"(f32[2, 2, 5, 6, 7], [2, 3, 2], [2], [1])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] "
                    "padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
          .doc = "The mean of each window of a line.",
          .meta = avg_pool_meta,
          .impl = Decompose{avg_pool1d},
          .samples = {.calls = kAvgPool1dSample}},
    OpDef{.schema = "aten.avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
                    "padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
                    "divisor_override=None) -> Tensor",
          .doc = "The mean of each window of an image.",
          .meta = avg_pool_meta,
          .impl = LoopNest{avg_pool},
          .samples = {.calls = kAvgPool2dSample}},
    OpDef{.schema = "aten.avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, "
                    "int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? "
                    "divisor_override) -> Tensor",
          .doc = "Derivative of avg_pool2d: gradients shared out over their windows.",
          .meta = avg_pool_backward_meta,
          .impl = LoopNest{avg_pool_backward},
          .samples = {.calls = kAvgPoolBackwardSample}},
    OpDef{.schema = "aten.avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] "
                    "padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
                    "divisor_override=None) -> Tensor",
          .doc = "The mean of each window of a volume.",
          .meta = avg_pool_meta,
          .impl = LoopNest{avg_pool},
          .samples = {.calls = kAvgPool3dSample}},
    OpDef{.schema = "aten.avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, "
                    "int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? "
                    "divisor_override) -> Tensor",
          .doc = "Derivative of avg_pool3d: gradients shared out over their windows.",
          .meta = avg_pool_backward_meta,
          .impl = LoopNest{avg_pool_backward},
          .samples = {.calls = kAvgPool3dBackwardSample}},
    OpDef{.schema = "aten.max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] "
                    "padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor",
          .doc = "The largest element of each window of a line.",
          .meta = max_pool1d_meta,
          .impl = LoopNest{max_pool},
          .samples = {.calls = kMaxPool1dSample}},
    OpDef{.schema = "aten.max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] "
                    "stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> "
                    "(Tensor, Tensor)",
          .doc = "The largest element of each window of a line, and where it is.",
          .meta = max_pool_with_indices_meta,
          .impl = LoopNest{max_pool_with_indices},
          .samples = {.calls = kMaxPool1dSample}},
    OpDef{.schema = "aten.max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
                    "padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
          .doc = "The largest element of each window of an image.",
          .meta = max_pool_meta,
          .impl = LoopNest{max_pool},
          .samples = {.calls = kMaxPool2dSample}},
    OpDef{.schema = "aten.max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] "
                    "stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> "
                    "(Tensor, Tensor)",
          .doc = "The largest element of each window of an image, and where in the image it is.",
          .meta = max_pool_with_indices_meta,
          .impl = LoopNest{max_pool_with_indices},
          .samples = {.calls = kMaxPool2dSample}},
    OpDef{.schema = "aten.max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] "
                    "kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, "
                    "Tensor indices) -> Tensor",
          .doc = "Derivative of max_pool2d: gradients added where the largest elements were.",
          .meta = max_pool_backward_meta,
          .impl = LoopNest{max_pool_backward},
          .samples = {.calls = kMaxPoolBackwardSample}},
    OpDef{.schema = "aten.max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] "
                    "padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor",
          .doc = "The largest element of each window of a volume.",
          .meta = max_pool_meta,
          .impl = LoopNest{max_pool},
          .samples = {.calls = kMaxPool3dSample}},
    OpDef{.schema = "aten.max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] "
                    "stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> "
                    "(Tensor, Tensor)",
          .doc = "The largest element of each window of a volume, and where in the volume it is.",
          .meta = max_pool_with_indices_meta,
          .impl = LoopNest{max_pool_with_indices},
          .samples = {.calls = kMaxPool3dSample}},
    OpDef{.schema = "aten.max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] "
                    "kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, "
                    "Tensor indices) -> Tensor",
          .doc = "Derivative of max_pool3d: gradients added where the largest elements were.",
          .meta = max_pool_backward_meta,
          .impl = LoopNest{max_pool_backward},
          .samples = {.calls = kMaxPool3dBackwardSample}},
};

}  // namespace

std::span<const OpDef> pooling_ops() { return kOps; }

}  // namespace litz::ops
