// Sampling of images at given points: grid_sampler and the grids of affine maps.
//
// A grid contains coordinates from -1 to 1 per output position, the last dimension first. Points
// outside read zeros, the border, or the reflected image.

#include <array>
#include <functional>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/stepwise.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

enum class Interpolation : uint8_t { linear, nearest, cubic };
enum class Padding : uint8_t { zeros, border, reflection };

struct Sampling {
  Interpolation interpolation = Interpolation::linear;
  Padding padding = Padding::zeros;
  bool align_corners = false;
  size_t dims = 2;
};

Sampling sampling_of(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& grid = call.type("grid");
  Sampling sampling;
  const int64_t interpolation = call.integer("interpolation_mode");
  const int64_t padding = call.integer("padding_mode");
  require(interpolation >= 0 && interpolation <= 2 && padding >= 0 && padding <= 2,
          "grid sampling has modes 0, 1 and 2:", interpolation, padding);
  sampling.interpolation = static_cast<Interpolation>(interpolation);
  sampling.padding = static_cast<Padding>(padding);
  sampling.align_corners = call.flag("align_corners");
  require((input.rank() == 4 || input.rank() == 5) && grid.rank() == input.rank(),
          "grid sampling takes an image or a volume with batch and channels, and a grid of its "
          "rank:",
          input, grid);
  sampling.dims = input.rank() - 2;
  require(!known_not_equal(grid.sizes.back(), Expr(static_cast<int64_t>(sampling.dims))) &&
              !known_not_equal(grid.sizes[0], input.sizes[0]),
          "a grid has one coordinate per dimension, for each image of the batch:", grid, input);
  return sampling;
}

TensorType grid_sampler_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& grid = call.type("grid");
  require(is_floating(input.dtype) && input.dtype == grid.dtype,
          "an image and its grid must have one floating dtype:", name(input.dtype),
          name(grid.dtype));
  const Sampling sampling = sampling_of(call);
  Sizes sizes{input.sizes[0], input.sizes[1]};
  for (size_t i = 0; i < sampling.dims; ++i) {
    require(!known_equal(input.sizes[2 + i], Expr(0)), "grid sampling needs sizes above 0:", input);
    sizes.push_back(grid.sizes[1 + i]);
  }
  return contiguous_type(input.dtype, sizes, input.device);
}

// Reflects a coordinate into [`low`, `low + span`].
Scalar reflected(const Stepwise& in, Scalar x, double low, Expr span) {
  if (span.is(0)) return in.constant(0);
  const Scalar period = in.real(2 * span);
  const Scalar distance = abs(in.sub(x, in.constant(low)));
  const Scalar periods = trunc(in.div(distance, period));
  const Scalar extra = in.sub(distance, in.mul(periods, period));
  return in.add(min(extra, in.sub(period, extra)), in.constant(low));
}

// The same as in PyTorch's kernel for volumes, which counts whole spans as i32; these overflow for
// far points.
Scalar reflected_in_volume(const Stepwise& in, Scalar x, double low, Expr span) {
  if (span.is(0)) return in.constant(0);
  KernelBuilder& b = in.builder();
  const Scalar length = in.real(span);
  const Scalar distance = abs(in.sub(x, in.constant(low)));
  const Scalar extra = in.round(fmod(distance, length));
  const Scalar spans = b.cast(floor(in.div(distance, length)), DType::i32);
  const Scalar is_odd = (spans & b.constant(DType::i32, int64_t{1})) != 0;
  return in.add(select(is_odd, in.sub(length, extra), extra), in.constant(low));
}

// NaN selects the first element of images and the last of volumes.
Scalar clipped(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  const Scalar last = in.real(size - 1);
  if (sampling.dims == 2) return min(select(is_nan(x), 0.0, max(x, 0.0)), last);
  return select(is_nan(x), last, min(max(x, 0.0), last));
}

Scalar padded(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  if (sampling.padding == Padding::zeros) return x;
  if (sampling.padding == Padding::reflection) {
    const auto reflect = sampling.dims == 2 ? reflected : reflected_in_volume;
    x = sampling.align_corners ? reflect(in, x, 0, size - 1) : reflect(in, x, -0.5, size);
  }
  return clipped(in, sampling, x, size);
}

// Maps [-1, 1] to image coordinates.
Scalar unnormalized(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  const Scalar above = in.add(x, in.constant(1));
  const Expr extent = sampling.align_corners ? size - 1 : size;
  const Scalar place = in.mul(above, in.div(in.real(extent), in.constant(2)));
  return sampling.align_corners ? place : in.sub(place, in.constant(0.5));
}

// An index along one dimension, whether it is in the image, and its weight (null is 1).
struct Tap {
  Scalar place;
  Scalar inside;
  Scalar weight;
};

Tap tap(const Stepwise& in, Scalar coordinate, Expr size, Scalar weight) {
  KernelBuilder& b = in.builder();
  // Compared as reals, because far points do not fit integers.
  const Scalar inside = (coordinate >= 0) & (coordinate <= b.index(size - 1, coordinate.dtype()));
  return {b.cast(select(inside, coordinate, 0.0), DType::i64), inside, weight};
}

// Cubic convolution with slope -0.75, for distance t from the second of four elements.
std::array<Scalar, 4> cubic_weights(const Stepwise& in, Scalar t) {
  constexpr double kA = -0.75;
  const auto near = [&](Scalar x) {
    const Scalar inner = in.sub(in.mul(in.constant(kA + 2), x), in.constant(kA + 3));
    return in.add(in.mul(in.mul(inner, x), x), in.constant(1));
  };
  const auto far = [&](Scalar x) {
    const Scalar square = in.sub(in.mul(in.constant(kA), x), in.constant(5 * kA));
    const Scalar linear = in.add(in.mul(square, x), in.constant(8 * kA));
    return in.sub(in.mul(linear, x), in.constant(4 * kA));
  };
  const Scalar one = in.constant(1);
  const Scalar rest = in.sub(one, t);
  return {far(in.add(t, one)), near(t), near(rest), far(in.add(rest, one))};
}

std::vector<Tap> taps(const Stepwise& in, const Sampling& sampling, Scalar x, Expr size) {
  x = unnormalized(in, sampling, x, size);
  if (sampling.interpolation == Interpolation::cubic) {
    const Scalar below = floor(x);
    const std::array weights = cubic_weights(in, in.sub(x, below));
    std::vector<Tap> all;
    for (size_t k = 0; k < weights.size(); ++k) {
      const Scalar place = in.add(below, in.constant(static_cast<double>(k) - 1));
      all.push_back(tap(in, padded(in, sampling, place, size), size, weights[k]));
    }
    return all;
  }
  x = padded(in, sampling, x, size);
  if (sampling.interpolation == Interpolation::nearest) {
    return {tap(in, round_even(x), size, {})};
  }
  const Scalar below = floor(x);
  const Scalar distance = in.sub(x, below);
  const Scalar one = in.constant(1);
  return {tap(in, below, size, in.sub(one, distance)), tap(in, in.add(below, one), size, distance)};
}

// A partial combination of taps.
struct Partial {
  IndexVector index;
  Scalar inside;
  Scalar weight;
};

void add_weighted(NestCall& call, const Stepwise& in, const std::vector<std::vector<Tap>>& axes,
                  const Partial& at, Scalar& total) {
  KernelBuilder& b = call.builder();
  const size_t i = at.index.size() - 2;
  if (i < axes.size()) {
    for (const Tap& t : axes[i]) {
      Partial next = at;
      next.index.emplace_back(t.place.id());
      next.inside = at.inside ? at.inside & t.inside : t.inside;
      next.weight =
          at.weight && t.weight ? in.mul(t.weight, at.weight) : (at.weight ? at.weight : t.weight);
      add_weighted(call, in, axes, next, total);
    }
    return;
  }
  const DType dtype = call.type("input").dtype;
  const Scalar zero = b.cast(b.constant(compute_dtype(dtype), 0.0), dtype);
  Scalar value =
      b.cast(b.load_if(at.inside, call.in("input"), at.index, zero), compute_dtype(dtype));
  if (at.weight) {
    value = in.mul(value, at.weight);
    // PyTorch's linear kernel for volumes skips outside elements; its other kernels multiply 0, so a
    // NaN weight gives NaN.
    if (axes.size() > 2 && axes[0].size() == 2) value = select(at.inside, value, 0.0);
  }
  total = total ? in.add(total, value) : value;
}

void grid_sampler(NestCall& call) {
  const TensorType& input = call.type("input");
  const Sampling sampling = sampling_of(call);
  const TensorType& result = call.result();
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  // Cubic volumes of halves are rounded once.
  const bool is_wide = sampling.interpolation == Interpolation::cubic && sampling.dims > 2;
  const Stepwise in(b, is_wide ? compute : input.dtype);
  // Points are the outer loops: all channels share their coordinates.
  Sizes points{result.sizes[0]};
  points.insert(points.end(), result.sizes.begin() + 2, result.sizes.end());
  b.loop(points, [&](Exprs point) {
    std::vector<std::vector<Tap>> axes;
    for (size_t i = 0; i < sampling.dims; ++i) {
      IndexVector place(point.begin(), point.end());
      place.emplace_back(Expr(static_cast<int64_t>(sampling.dims - 1 - i)));
      const Scalar x = b.cast(b.load(call.in("grid"), place), compute);
      axes.push_back(taps(in, sampling, x, input.sizes[2 + i]));
    }
    b.loop(std::array{result.sizes[1]}, [&](Exprs channel) {
      Scalar value;
      add_weighted(call, in, axes, {{point[0], channel[0]}, {}, {}}, value);
      IndexVector place(point.begin(), point.end());
      place.insert(place.begin() + 1, channel[0]);
      b.store(call.out(), place, b.cast(value, input.dtype));
    });
  });
}

std::vector<ir::Value> grid_sampler_any(DecomposeCall& call) {
  return {call.aten(sampling_of(call).dims == 2 ? "grid_sampler_2d" : "grid_sampler_3d",
                    {call["input"], call["grid"], call.pass("interpolation_mode"),
                     call.pass("padding_mode"), call.pass("align_corners")})};
}

// --- grids of affine maps ---

TensorType affine_grid_meta(const Call& call) {
  const TensorType& theta = call.type("theta");
  const Sizes size = call.sizes("size");
  require(size.size() == 4 || size.size() == 5,
          "an affine grid is for an image or a volume with batch and channels, got rank",
          size.size());
  const auto dims = static_cast<int64_t>(size.size() - 2);
  require(is_floating(theta.dtype) && theta.rank() == 3 &&
              !known_not_equal(theta.sizes[0], size[0]) &&
              !known_not_equal(theta.sizes[1], Expr(dims)) &&
              !known_not_equal(theta.sizes[2], Expr(dims + 1)),
          "an affine grid needs one map per image of the batch:", theta);
  Sizes sizes{size[0]};
  sizes.insert(sizes.end(), size.begin() + 2, size.end());
  sizes.emplace_back(dims);
  return contiguous_type(theta.dtype, sizes, theta.device);
}

// The centre (or corner) of element i of n, from -1 to 1.
Scalar normalized(KernelBuilder& b, DType compute, Expr i, Expr n, bool align_corners) {
  if (n.is(1)) return b.constant(compute, 0.0);
  const Scalar twice = b.index(2 * i - (n - 1), compute);
  return twice / b.index(align_corners ? n - 1 : n, compute);
}

void affine_grid(NestCall& call) {
  const TensorType& theta = call.type("theta");
  const TensorType& result = call.result();
  const size_t dims = result.rank() - 2;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(theta.dtype);
  b.loop(result.sizes, [&](Exprs o) {
    const auto coefficient = [&](size_t column) {
      const IndexVector place{o[0], o.back(), Expr(static_cast<int64_t>(column))};
      return b.cast(b.load(call.in("theta"), place), compute);
    };
    Scalar total = coefficient(dims);
    for (size_t column = 0; column < dims; ++column) {
      const size_t dim = dims - column;  // Coordinates list the last dimension first.
      const Scalar x =
          normalized(b, compute, o[dim], result.sizes[dim], call.flag("align_corners"));
      total = total + coefficient(column) * x;
    }
    b.store(call.out(), o, b.cast(total, theta.dtype));
  });
}

constexpr std::array kImageSample{
    "(f32[1, 2, 4, 5], f32[1, 3, 3, 2] in [-1.2, 1.2), 0, 0, False)"sv,
    "(f32[1, 2, 4, 5], f32[1, 3, 3, 2] in [-1.2, 1.2), 2, 2, True)"sv};
constexpr std::array kVolumeSample{
    "(f32[1, 2, 3, 4, 5], f32[1, 2, 3, 3, 3] in [-1.2, 1.2), 0, 1, True)"sv,
    "(f32[1, 2, 3, 4, 5], f32[1, 2, 3, 3, 3] in [-1.2, 1.2), 2, 0, False)"sv};
constexpr std::array kAffineSample{"(f32[2, 2, 3], [2, 1, 3, 4], False)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) "
                    "-> Tensor",
          .doc = "The coordinates that an affine map gives each place of an image.",
          .meta = affine_grid_meta,
          .impl = LoopNest{affine_grid},
          .samples = {.calls = kAffineSample}},
    OpDef{.schema = "aten.grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int "
                    "padding_mode, bool align_corners) -> Tensor",
          .doc = "An image or volume at the points of a grid.",
          .meta = grid_sampler_meta,
          .impl = Decompose{grid_sampler_any},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten.grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int "
                    "padding_mode, bool align_corners) -> Tensor",
          .doc = "An image at the points of a grid.",
          .meta = grid_sampler_meta,
          .impl = LoopNest{grid_sampler},
          .samples = {.calls = kImageSample}},
    OpDef{.schema = "aten.grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int "
                    "padding_mode, bool align_corners) -> Tensor",
          .doc = "A volume at the points of a grid.",
          .meta = grid_sampler_meta,
          .impl = LoopNest{grid_sampler},
          .samples = {.calls = kVolumeSample}},
};

}  // namespace

std::span<const OpDef> grid_sampling_ops() { return kOps; }

}  // namespace litz::ops
