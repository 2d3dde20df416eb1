// The derivative of grid sampling. By the image: a point's gradient goes to the elements that it
// was read from. By the grid: the rate of change of the value along each dimension.

#include <array>
#include <functional>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/families/stepwise.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

enum class Interpolation : uint8_t { linear, nearest, cubic };
enum class Padding : uint8_t { zeros, border, reflection };

struct Sampling {
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
  size_t dims;
};

Sampling sampling_of(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& grid = call.type("grid");
  const TensorType& gradient = call.type("grad_output");
  const int64_t interpolation = call.integer("interpolation_mode");
  const int64_t padding = call.integer("padding_mode");
  require(interpolation >= 0 && interpolation <= 2 && padding >= 0 && padding <= 2,
          "grid sampling C1: modes are 0, 1 and 2:", interpolation, padding);
  require((input.rank() == 4 || input.rank() == 5) && grid.rank() == input.rank() &&
              gradient.rank() == input.rank() && is_floating(input.dtype) &&
              grid.dtype == input.dtype && gradient.dtype == input.dtype,
          "grid sampling C2: an image or a volume, a grid and gradients of one rank and floating "
          "dtype:",
          input, grid, gradient);
  const size_t dims = input.rank() - 2;
  bool fits = !known_not_equal(grid.sizes.back(), Expr(static_cast<int64_t>(dims))) &&
              !known_not_equal(grid.sizes[0], input.sizes[0]) &&
              !known_not_equal(gradient.sizes[0], input.sizes[0]) &&
              !known_not_equal(gradient.sizes[1], input.sizes[1]);
  for (size_t d = 0; d < dims; ++d) {
    fits = fits && !known_not_equal(gradient.sizes[2 + d], grid.sizes[1 + d]);
    call.require_sizes(lt(0, input.sizes[2 + d]), "grid sampling C3: sizes are above 0:", input);
  }
  require(fits, "grid sampling C4: every point has a gradient in each channel:", input, grid,
          gradient);
  return {static_cast<Interpolation>(interpolation), static_cast<Padding>(padding),
          call.flag("align_corners"), dims};
}

/// A coordinate, and its derivative by the grid's coordinate.
struct Coordinate {
  Scalar place;
  Scalar slope;
};

// NaN stays: it is not clipped.
Coordinate clipped(Coordinate x, Scalar last) {
  const Scalar low = x.place <= 0;
  const Scalar high = x.place >= last;
  return {select(low, 0.0, select(high, last, x.place)), select(low | high, 0.0, x.slope)};
}

Coordinate reflected(const Stepwise& in, Coordinate x, double low, Scalar span) {
  const Scalar distance = in.sub(x.place, in.constant(low));
  const Scalar flips = floor(in.div(abs(distance), span));
  const Scalar extra = in.round(fmod(abs(distance), span));
  const Scalar even = (flips - 2 * floor(flips / 2)) == 0;
  const Scalar forwards = even ^ (distance < 0);
  const Scalar place = in.add(select(even, extra, in.sub(span, extra)), in.constant(low));
  const Scalar none = span == 0;
  return {select(none, 0.0, place), select(none, 0.0, select(forwards, x.slope, -x.slope))};
}

Coordinate padded(const Stepwise& in, const Sampling& sampling, Coordinate x, Expr size) {
  if (sampling.padding == Padding::zeros) return x;
  if (sampling.padding == Padding::reflection) {
    x = sampling.align_corners ? reflected(in, x, 0, in.real(size - 1))
                               : reflected(in, x, -0.5, in.real(size));
  }
  return clipped(x, in.real(size - 1));
}

// Places are rounded as in the forward kernel, so that both read the same elements.
Coordinate unnormalized(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  const Expr extent = sampling.align_corners ? size - 1 : size;
  const Scalar half = in.div(in.real(extent), in.constant(2));
  const Scalar place = in.mul(in.add(x, in.constant(1)), half);
  return {sampling.align_corners ? place : in.sub(place, in.constant(0.5)), half};
}

/// An index along one dimension, whether it is in the image, its weight, and the weight's
/// derivative.
struct Tap {
  Scalar place;
  Scalar inside;
  Scalar weight;
  Scalar slope;
};

Tap tap(Scalar coordinate, Expr size, Scalar weight, Scalar slope) {
  KernelBuilder& b = coordinate.builder();
  const Scalar inside = (coordinate >= 0) & (coordinate <= b.index(size - 1, coordinate.dtype()));
  return {b.cast(select(inside, coordinate, 0.0), DType::i64), inside, weight, slope};
}

// Cubic convolution with slope -0.75, at distances 1 + t, t, 1 - t and 2 - t, and its derivative.
std::vector<Tap> cubic_taps(const Stepwise& in, const Sampling& sampling, Coordinate x, Expr size) {
  constexpr double kA = -0.75;
  const Scalar below = floor(x.place);
  const Scalar t = in.sub(x.place, below);
  std::vector<Tap> taps;
  for (int k = 0; k < 4; ++k) {
    const bool is_near = k == 1 || k == 2;
    const Scalar distance = k < 2 ? t + (1 - k) : (k - 1.0) - t;
    const Scalar weight = is_near
                              ? ((kA + 2) * distance - (kA + 3)) * distance * distance + 1
                              : ((kA * distance - 5 * kA) * distance + 8 * kA) * distance - 4 * kA;
    const Scalar change = is_near ? (3 * (kA + 2) * distance - 2 * (kA + 3)) * distance
                                  : (3 * kA * distance - 10 * kA) * distance + 8 * kA;
    const Coordinate place = padded(in, sampling, {below + (k - 1.0), x.slope}, size);
    taps.push_back(tap(place.place, size, weight, (k < 2 ? change : -change) * x.slope));
  }
  return taps;
}

std::vector<Tap> taps_of(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  KernelBuilder& b = x.builder();
  Coordinate at = unnormalized(in, sampling, x, size);
  if (sampling.interpolation == Interpolation::cubic) return cubic_taps(in, sampling, at, size);
  at = padded(in, sampling, at, size);
  const Scalar one = b.constant(x.dtype(), 1.0);
  if (sampling.interpolation == Interpolation::nearest) {
    return {tap(round_even(at.place), size, one, {})};
  }
  const Scalar below = floor(at.place);
  const Scalar distance = in.sub(at.place, below);
  return {tap(below, size, 1 - distance, -at.slope), tap(below + 1, size, distance, at.slope)};
}

using AxisTaps = std::vector<std::vector<Tap>>;

AxisTaps point_taps(NestCall& call, const Sampling& sampling, Exprs point) {
  const TensorType& input = call.type("input");
  KernelBuilder& b = call.builder();
  // Cubic volumes of halves are rounded once.
  const bool is_wide = sampling.interpolation == Interpolation::cubic && sampling.dims > 2;
  const Stepwise in(b, is_wide ? compute_dtype(input.dtype) : input.dtype);
  AxisTaps axes;
  for (size_t d = 0; d < sampling.dims; ++d) {
    // Coordinates list the last dimension first.
    IndexVector place(point.begin(), point.end());
    place.emplace_back(Expr(static_cast<int64_t>(sampling.dims - 1 - d)));
    const Scalar x = b.cast(b.load(call.in("grid"), place), compute_dtype(input.dtype));
    axes.push_back(taps_of(in, sampling, x, input.sizes[2 + d]));
  }
  return axes;
}

/// One combination of taps: its index and its weight.
struct Combination {
  IndexVector place;
  Scalar inside;
  Scalar weight;
};

// All combinations of taps of the axes from `axis` on. Along `changing`, slopes replace weights.
void for_each_combination(const AxisTaps& axes, size_t axis, std::optional<size_t> changing,
                          const Combination& so_far,
                          const std::function<void(const Combination&)>& body) {
  if (axis == axes.size()) return body(so_far);
  for (const Tap& t : axes[axis]) {
    Combination next = so_far;
    next.place.emplace_back(t.place.id());
    next.inside = so_far.inside ? so_far.inside & t.inside : t.inside;
    const Scalar factor = changing == axis ? t.slope : t.weight;
    next.weight = so_far.weight ? so_far.weight * factor : factor;
    for_each_combination(axes, axis + 1, changing, next, body);
  }
}

Sizes points_of(const TensorType& grid) { return {grid.sizes.begin(), grid.sizes.end() - 1}; }

Scalar gradient_at(NestCall& call, Exprs point, Expr channel) {
  IndexVector place(point.begin(), point.end());
  place.insert(place.begin() + 1, channel);
  KernelBuilder& b = call.builder();
  return b.cast(b.load(call.in("grad_output"), place),
                compute_dtype(call.type("grad_output").dtype));
}

TensorType image_meta(const Call& call) {
  sampling_of(call);
  const TensorType& input = call.type("input");
  return contiguous_type(input.dtype, input.sizes, input.device);
}

void by_image(NestCall& call) {
  const TensorType& input = call.type("input");
  const Sampling sampling = sampling_of(call);
  KernelBuilder& b = call.builder();
  b.loop(input.sizes, [&](Exprs i) {
    b.store(call.out(), i, b.cast(b.constant(DType::i64, int64_t{0}), input.dtype));
  });
  b.loop(points_of(call.type("grid")), [&](Exprs point) {
    const AxisTaps axes = point_taps(call, sampling, point);
    b.loop(std::array{input.sizes[1]}, [&](Exprs channel) {
      const Scalar gradient = gradient_at(call, point, channel[0]);
      for_each_combination(
          axes, 0, std::nullopt, {{point[0], channel[0]}, {}, {}}, [&](const Combination& c) {
            b.store_if(c.inside, call.out(), c.place, b.cast(gradient * c.weight, input.dtype),
                       loops::StoreMode::add);
          });
    });
  });
}

TensorType grid_meta(const Call& call) {
  sampling_of(call);
  const TensorType& grid = call.type("grid");
  return contiguous_type(grid.dtype, grid.sizes, grid.device);
}

void by_grid(NestCall& call) {
  const TensorType& input = call.type("input");
  const Sampling sampling = sampling_of(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  // The nearest element is constant in the grid, even if the gradient is infinite.
  if (sampling.interpolation == Interpolation::nearest) {
    b.loop(call.result().sizes,
           [&](Exprs i) { b.store(call.out(), i, b.cast(b.constant(compute, 0.0), input.dtype)); });
    return;
  }
  b.loop(points_of(call.type("grid")), [&](Exprs point) {
    const AxisTaps axes = point_taps(call, sampling, point);
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const Scalar total =
          b.reduce(ReduceKind::sum, std::array{input.sizes[1]}, [&](Exprs channel) {
            Scalar change;
            for_each_combination(
                axes, 0, axis, {{point[0], channel[0]}, {}, {}}, [&](const Combination& c) {
                  const Scalar zero = b.cast(b.constant(compute, 0.0), input.dtype);
                  const Scalar pixel =
                      b.cast(b.load_if(c.inside, call.in("input"), c.place, zero), compute);
                  // Outside elements count as 0 with any weight.
                  const Scalar part = select(c.inside, pixel * c.weight, 0.0);
                  change = change ? change + part : part;
                });
            return gradient_at(call, point, channel[0]) * change;
          });
      IndexVector place(point.begin(), point.end());
      place.emplace_back(Expr(static_cast<int64_t>(axes.size() - 1 - axis)));
      b.store(call.out(), place, b.cast(total, call.result().dtype));
    }
  });
}

// PyTorch computes the derivative by the grid even if it is not requested.
Types backward_meta(const Call& call) {
  std::vector<ir::ValueType> types = masked_types(call, {image_meta(call), grid_meta(call)});
  types[1] = grid_meta(call);
  return types;
}

std::vector<Value> backward(DecomposeCall& call) {
  const auto part = [&](const char* name) {
    return call.graph()
        .create(name,
                {call["grad_output"], call["input"], call["grid"], call.pass("interpolation_mode"),
                 call.pass("padding_mode"), call.pass("align_corners")})
        ->output();
  };
  return {wants(call, 0) ? part("litz.grid_sampler_image_gradient") : Value(),
          part("litz.grid_sampler_grid_gradient")};
}

constexpr std::array kPartSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 4, 5], f32[1, 3, 3, 2] in [-1.2, 1.2), 0, 0, False)"sv,
    "(f32[s0, 2, 3, 3], f32[s0, 2, 4, 5], f32[s0, 3, 3, 2] in [-1.2, 1.2), 2, 2, True)"sv};
constexpr std::array kImageSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 4, 5], f32[1, 3, 3, 2] in [-1.2, 1.2), 0, 1, False, [True, True])"sv};
constexpr std::array kVolumeSample{
    "(f32[1, 2, 3, 3, 2], f32[1, 2, 3, 4, 5], f32[1, 3, 3, 2, 3] in [-1.2, 1.2), 0, 2, True, [True, True])"sv,
    "(f32[1, 2, 3, 3, 2], f32[1, 2, 3, 4, 5], f32[1, 3, 3, 2, 3] in [-1.2, 1.2), 2, 0, False, [True, True])"sv};

constexpr std::string_view kDoc =
    "Derivative of grid sampling by image and grid.\n"
    "C1: modes are 0, 1 and 2. C2: one rank and floating dtype. C3: sizes are above 0. "
    "C4: every point has a gradient in each channel.";

constexpr std::array kOps{
    OpDef{.schema = "aten.grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, "
                    "int interpolation_mode, int padding_mode, bool align_corners, bool[2] "
                    "output_mask) -> (Tensor, Tensor)",
          .doc = kDoc,
          .meta = backward_meta,
          .impl = Decompose{backward},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten.grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, "
                    "int interpolation_mode, int padding_mode, bool align_corners, bool[2] "
                    "output_mask) -> (Tensor, Tensor)",
          .doc = kDoc,
          .meta = backward_meta,
          .impl = Decompose{backward},
          .samples = {.calls = kVolumeSample}},
    OpDef{.schema = "litz.grid_sampler_grid_gradient(Tensor grad_output, Tensor input, Tensor "
                    "grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
          .doc = "Derivative of grid sampling by the grid.\nC1 to C4 as those of both.",
          .meta = grid_meta,
          .impl = LoopNest{by_grid},
          .samples = {.calls = kPartSample}},
    OpDef{.schema = "litz.grid_sampler_image_gradient(Tensor grad_output, Tensor input, Tensor "
                    "grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
          .doc = "Derivative of grid sampling by the image.\nC1 to C4 as those of both.",
          .meta = image_meta,
          .impl = LoopNest{by_image},
          .samples = {.calls = kPartSample}},
};

}  // namespace

std::span<const OpDef> grid_sampling_backward_ops() { return kOps; }

}  // namespace litz::ops
