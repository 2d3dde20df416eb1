// Resampling of images to another size: nearest, linear, cubic, and their antialiased forms.
//
// Every dimension has its own map from an output place to weighted input places (taps), so one nest
// serves all ranks: an output element is the product sum over the taps of all dimensions.
//
// Coordinates are computed in f32 (f64 for f64 images) step by step as PyTorch does: the choice of
// a neighbour depends on their last bit. A scale factor that was given maps coordinates by itself;
// else the ratio of the sizes does.

#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "ops/bodies.h"
#include "ops/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::Index;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

enum class Filter : uint8_t { nearest, nearest_exact, linear, cubic };

// One dimension of a call.
struct Axis {
  Expr input;
  Expr output;
  std::optional<double> factor;  // Given for this dimension, and positive.
};

struct Resampling {
  Filter filter = Filter::nearest;
  bool align_corners = false;
  bool antialias = false;
  std::vector<Axis> axes;
};

std::string_view image_name(const Call& call) {
  return call.op().name().ends_with(".vec") ? "input" : "self";
}

Filter filter_of(std::string_view name) {
  if (name.find("nearest_exact") != std::string_view::npos) return Filter::nearest_exact;
  if (name.find("nearest") != std::string_view::npos) return Filter::nearest;
  return name.find("cubic") != std::string_view::npos ? Filter::cubic : Filter::linear;
}

// "upsample_bilinear2d" -> 2
size_t spatial_dims(std::string_view name) {
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == 'd' && name[i - 1] >= '1' && name[i - 1] <= '3') {
      return static_cast<size_t>(name[i - 1] - '0');
    }
  }
  fail(ErrorCode::internal, "a resampling operator has its dimensions in its name:", name);
}

// The factors of each dimension, in order; none where sizes decide.
std::vector<std::optional<double>> factors_of(const Call& call, size_t dims) {
  std::vector<std::optional<double>> factors(dims);
  if (image_name(call) == "input") {
    if (!call.has("scale_factors")) return factors;
    const Sizes given = call.sizes("scale_factors");
    require(given.size() == dims,
            "there must be one scale factor per spatial dimension:", given.size(), dims);
    for (size_t i = 0; i < dims; ++i) {
      require(given[i].is_constant(), "a scale factor must be a number:", given[i]);
      factors[i] = given[i].domain() == ExprDomain::integer
                       ? static_cast<double>(given[i].constant())
                       : given[i].real_constant();
    }
  } else {
    constexpr std::array kNames{"scales_d", "scales_h", "scales_w"};
    for (size_t i = 0; i < dims; ++i) {
      const std::string_view name = dims == 1 ? "scales" : kNames[3 - dims + i];
      if (call.has(name)) factors[i] = call.real(name);
    }
  }
  return factors;
}

Expr scaled_size(Expr size, double factor) {
  if (factor == std::floor(factor) && factor > 0) return size * static_cast<int64_t>(factor);
  if (const auto known_size = size.maybe_constant()) {
    return static_cast<int64_t>(static_cast<double>(*known_size) * factor);
  }
  const std::array real{to_real(size) * Expr::real(factor)};
  return litz::apply(ExprKind::trunc_to_int, real);
}

Resampling resampling_of(const Call& call) {
  const std::string_view name = call.op().name();
  const TensorType& image = call.type(image_name(call));
  const size_t dims = spatial_dims(name);
  require(image.rank() == dims + 2,
          "resampling needs a batch, channels and spatial dimensions, got", image);
  Resampling result;
  result.filter = filter_of(name);
  result.antialias = name.find("_aa") != std::string_view::npos;
  result.align_corners = call.op().schema.find("align_corners") >= 0 && call.flag("align_corners");
  const auto factors = factors_of(call, dims);
  const bool sized = call.has("output_size");
  require(image_name(call) != "input" || sized != call.has("scale_factors"),
          "resampling takes either output_size or scale_factors");
  const Sizes given = sized ? call.sizes("output_size") : Sizes();
  require(!sized || given.size() == dims,
          "output_size has one entry per spatial dimension:", given.size(), dims);
  for (size_t i = 0; i < dims; ++i) {
    Axis axis{image.sizes[2 + i], {}, factors[i]};
    axis.output = sized ? given[i] : scaled_size(axis.input, *factors[i]);
    if (axis.factor && *axis.factor <= 0) axis.factor.reset();
    call.require_sizes(le(1, axis.input), "sizes of resampling must be above 0:", axis.input);
    call.require_sizes(le(1, axis.output), "sizes of resampling must be above 0:", axis.output);
    result.axes.push_back(axis);
  }
  return result;
}

TensorType resample_meta(const Call& call) {
  const TensorType& image = call.type(image_name(call));
  const Resampling resampling = resampling_of(call);
  const bool interpolates =
      resampling.filter == Filter::linear || resampling.filter == Filter::cubic;
  require(is_floating(image.dtype) || (!interpolates && image.dtype == DType::u8),
          ErrorCode::unsupported, "resampling needs a floating image, got", name(image.dtype));
  Sizes sizes{image.sizes[0], image.sizes[1]};
  for (const Axis& axis : resampling.axes) sizes.push_back(axis.output);
  TensorType result = contiguous_type(image.dtype, sizes, image.device);
  const MemoryFormat format = suggest_memory_format(image);
  if (format != MemoryFormat::contiguous) result.strides = strides_for(format, sizes);
  return result;
}

// --- coordinates ---

// An input place and what it counts; a null weight is 1.
struct Tap {
  Index place = Expr(0);
  Scalar weight;
};

using Taps = std::vector<Tap>;

// Emits the coordinates of one axis.
class Sampler {
 public:
  Sampler(KernelBuilder& b, const Resampling& resampling, const Axis& axis, DType compute)
      : b_(b), resampling_(resampling), axis_(axis), compute_(compute) {}

  Taps taps(Expr o) {
    switch (resampling_.filter) {
      case Filter::nearest:
      case Filter::nearest_exact:
        return {nearest(o)};
      case Filter::linear:
        return linear(o);
      case Filter::cubic:
        return cubic(o);
    }
    return {};
  }

  // How far apart neighbouring outputs are in the input.
  Scalar step() {
    if (resampling_.align_corners) {
      if (axis_.output.is(1)) return b_.constant(compute_, 0.0);
      return real(axis_.input - 1) / real(axis_.output - 1);
    }
    if (axis_.factor) return b_.constant(compute_, 1 / *axis_.factor);
    return real(axis_.input) / real(axis_.output);
  }

 private:
  Scalar real(Expr value) { return b_.index(value, compute_); }

  Scalar whole(Scalar value) { return b_.cast(floor(value), DType::i64); }

  // The coordinate of an output's centre (or of its corner, where corners are aligned).
  Scalar centre(Expr o) {
    if (resampling_.align_corners) return step() * real(o);
    return step() * (real(o) + 0.5) - 0.5;
  }

  // A power of two as ratio keeps f32 coordinates exact, so they are integer arithmetic.
  std::optional<int64_t> exact_ratio() const {
    for (const int64_t k : {1, 2, 4, 8, 16, 32}) {
      if (!known_equal(axis_.output, axis_.input * k)) continue;
      // Sizes that are equal or double ignore a factor.
      const bool ignores_factor = resampling_.filter == Filter::nearest && k <= 2;
      if (ignores_factor || !axis_.factor || *axis_.factor == static_cast<double>(k)) return k;
    }
    return std::nullopt;
  }

  Tap nearest(Expr o) {
    if (const auto ratio = exact_ratio()) return {floor_div(o, *ratio), {}};
    // PyTorch picks neighbours in f32 whatever the image's dtype; exact ones from a f64 product.
    const Scalar scale =
        axis_.factor ? b_.constant(DType::f32, 1 / *axis_.factor)
                     : b_.index(axis_.input, DType::f32) / b_.index(axis_.output, DType::f32);
    Scalar place;
    if (resampling_.filter == Filter::nearest) {
      place = b_.index(o, DType::f32) * scale;
    } else {
      place = b_.cast((b_.index(o, DType::f64) + 0.5) * b_.cast(scale, DType::f64), DType::f32);
    }
    return {min(whole(place), b_.index(axis_.input - 1)).id(), {}};
  }

  // The neighbour below a coordinate, and the coordinate's distance from it in [0, 1].
  struct Split {
    Scalar below;
    Scalar distance;
  };

  Split split(Scalar coordinate) {
    const Scalar below = min(whole(coordinate), b_.index(axis_.input - 1));
    const Scalar distance = coordinate - b_.cast(below, compute_);
    return {below, min(max(distance, 0.0), 1.0)};
  }

  Taps linear(Expr o) {
    if (known_equal(axis_.input, axis_.output)) return {{o, {}}};
    Scalar coordinate = centre(o);
    if (!resampling_.align_corners) coordinate = max(coordinate, 0.0);
    const Split at = split(coordinate);
    const Scalar above = min(at.below + 1, b_.index(axis_.input - 1));
    return {{at.below.id(), 1 - at.distance}, {above.id(), at.distance}};
  }

  Taps cubic(Expr o) {
    const Split at = split(centre(o));
    const Scalar last = b_.index(axis_.input - 1);
    Taps taps;
    for (int k = 0; k < 4; ++k) {
      const Scalar place = min(max(at.below + (k - 1.0), 0.0), last);
      taps.push_back({place.id(), cubic_weight(at.distance, k)});
    }
    return taps;
  }

  // Cubic convolution with slope -0.75, at distances 1 + t, t, 1 - t and 2 - t.
  Scalar cubic_weight(Scalar t, int k) {
    constexpr double kA = -0.75;
    const auto near = [](Scalar x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](Scalar x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    if (k == 0) return far(t + 1);
    if (k == 1) return near(t);
    return k == 2 ? near(1 - t) : far(2 - t);
  }

  KernelBuilder& b_;
  const Resampling& resampling_;
  const Axis& axis_;
  DType compute_;
};

// The sum over the taps of axis `i` and all that follow.
Scalar weighted(const std::vector<Taps>& taps, size_t i, IndexVector& index,
                const std::function<Scalar(const IndexVector&)>& load) {
  if (i == taps.size()) return load(index);
  Scalar total;
  for (const Tap& tap : taps[i]) {
    index[2 + i] = tap.place;
    Scalar value = weighted(taps, i + 1, index, load);
    if (tap.weight) value = value * tap.weight;
    total = total ? total + value : value;
  }
  return total;
}

// What is nearest to a coordinate is nowhere in a dimension that is empty when the program runs.
void bound_in_empty(NestCall& call, Expr size, Index& place) {
  if (known_less(0, size)) return;
  KernelBuilder& b = call.builder();
  const auto* expr = std::get_if<Expr>(&place);
  const Scalar at = expr != nullptr ? b.index(*expr) : Scalar(&b, std::get<loops::ValueId>(place));
  place = b.bound_index(at, size, false, "index of " + std::string(call.op().name())).id();
}

void resample(NestCall& call) {
  const std::string_view image = image_name(call);
  const Resampling resampling = resampling_of(call);
  const TensorType& result = call.result();
  KernelBuilder& b = call.builder();
  const bool picks =
      resampling.filter == Filter::nearest || resampling.filter == Filter::nearest_exact;
  const DType compute = picks ? result.dtype : compute_dtype(result.dtype);
  b.loop(result.sizes, [&](Exprs o) {
    std::vector<Taps> taps;
    for (size_t i = 0; i < resampling.axes.size(); ++i) {
      taps.push_back(Sampler(b, resampling, resampling.axes[i], compute).taps(o[2 + i]));
    }
    IndexVector index(o.begin(), o.end());
    const Scalar value = weighted(taps, 0, index, [&](IndexVector place) {
      for (size_t i = 0; i < resampling.axes.size(); ++i) {
        bound_in_empty(call, resampling.axes[i].input, place[2 + i]);
      }
      return b.cast(b.load(call.in(image), place), compute);
    });
    b.store(call.out(), o, b.cast(value, result.dtype));
  });
}

// --- antialiased ---

// The window of input places that count for an output, stretched where the image shrinks.
struct AntialiasedAxis {
  Scalar first;   // i64
  Scalar length;  // i64
  Scalar centre;
  Scalar shrink;  // What a distance is multiplied by.
  int64_t longest = 0;
};

// The radius of the filter at scale 1.
double radius(Filter filter) { return filter == Filter::linear ? 1 : 2; }

TensorType antialias_meta(const Call& call) {
  for (const Axis& axis : resampling_of(call).axes) {
    require(axis.input.is_constant() && axis.output.is_constant(), ErrorCode::unsupported,
            "antialiased resampling needs constant sizes:", axis.input, axis.output);
  }
  return resample_meta(call);
}

AntialiasedAxis antialiased(KernelBuilder& b, const Resampling& resampling, const Axis& axis,
                            DType compute, Expr o) {
  const auto size = static_cast<double>(axis.input.constant());
  const auto count = static_cast<double>(axis.output.constant());
  double scale = size / count;
  if (resampling.align_corners) {
    scale = count > 1 ? (size - 1) / (count - 1) : 0;
  } else if (axis.factor) {
    scale = 1 / *axis.factor;
  }
  const Scalar step = b.constant(compute, scale);
  const double support = radius(resampling.filter) * std::max(scale, 1.0);
  AntialiasedAxis result;
  result.longest = static_cast<int64_t>(std::ceil(support)) * 2 + 1;
  result.centre = step * (b.index(o, compute) + 0.5);
  result.shrink = scale >= 1 ? 1 / step : b.constant(compute, 1.0);
  const auto whole = [&](Scalar x) { return b.cast(trunc(x), DType::i64); };
  const Scalar reach = b.constant(compute, support);
  result.first = max(whole(result.centre - reach + 0.5), 0.0);
  const Scalar end = min(whole(result.centre + reach + 0.5), b.index(axis.input));
  result.length = min(max(end - result.first, 0.0), static_cast<double>(result.longest));
  return result;
}

// A tent, or cubic convolution with slope -0.5.
Scalar antialias_weight(KernelBuilder& b, Filter filter, const AntialiasedAxis& axis, Expr k) {
  const DType compute = axis.centre.dtype();
  const Scalar place = b.cast(axis.first + b.index(k), compute);
  const Scalar x = abs((place - axis.centre + 0.5) * axis.shrink);
  Scalar weight;
  if (filter == Filter::linear) {
    weight = select(x < 1, 1 - x, 0.0);
  } else {
    constexpr double kA = -0.5;
    const Scalar near = ((kA + 2) * x - (kA + 3)) * x * x + 1;
    const Scalar far = ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
    weight = select(x < 1, near, select(x < 2, far, 0.0));
  }
  return select(b.index(k) < axis.length, weight, 0.0);
}

void antialias(NestCall& call) {
  const std::string_view image = image_name(call);
  const Resampling resampling = resampling_of(call);
  const TensorType& result = call.result();
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(result.dtype);
  b.loop(result.sizes, [&](Exprs o) {
    std::vector<AntialiasedAxis> axes;
    Scalar total = b.constant(compute, 1.0);
    Sizes extents;
    for (size_t i = 0; i < resampling.axes.size(); ++i) {
      axes.push_back(antialiased(b, resampling, resampling.axes[i], compute, o[2 + i]));
      extents.emplace_back(axes[i].longest);
      total = total * b.reduce(ReduceKind::sum, std::array{extents[i]}, [&](Exprs k) {
        return antialias_weight(b, resampling.filter, axes[i], k[0]);
      });
    }
    const Scalar sum = b.reduce(ReduceKind::sum, extents, [&](Exprs k) {
      IndexVector index(o.begin(), o.end());
      Scalar weight;
      Scalar is_inside;
      for (size_t i = 0; i < axes.size(); ++i) {
        const Scalar w = antialias_weight(b, resampling.filter, axes[i], k[i]);
        const Scalar inside = b.index(k[i]) < axes[i].length;
        weight = weight ? weight * w : w;
        is_inside = is_inside ? is_inside & inside : inside;
        index[2 + i] = (axes[i].first + b.index(k[i])).id();
      }
      const Scalar zero = b.cast(b.constant(compute, 0.0), result.dtype);
      return weight * b.cast(b.load_if(is_inside, call.in(image), index, zero), compute);
    });
    b.store(call.out(), o, b.cast(sum / total, result.dtype));
  });
}

constexpr OpDef resampling(ir::SchemaText schema, std::string_view doc,
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = resample_meta,
          .impl = LoopNest{resample},
          .samples = {.calls = calls}};
}

constexpr OpDef antialiasing(ir::SchemaText schema, std::string_view doc,
                             std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = antialias_meta,
          .impl = LoopNest{antialias},
          .samples = {.calls = calls}};
}

constexpr std::string_view kNearestDoc = "Resizes by picking the nearest element.";
constexpr std::string_view kExactDoc = "Resizes by picking the element nearest to each centre.";
constexpr std::string_view kLinearDoc = "Resizes by linear interpolation along each dimension.";
constexpr std::string_view kCubicDoc = "Resizes by cubic convolution along each dimension.";
constexpr std::string_view kSmoothDoc = "Resizes by a filter that widens where the image shrinks.";

constexpr std::array kNearest1{"(f32[2, 3, 5], [8])"sv, "(f32[2, 3, 5], [10])"sv};
constexpr std::array kNearest2{"(f32[1, 2, 4, 5], [8, 7])"sv, "(f32[1, 2, 4, 5], [3, 3])"sv};
constexpr std::array kNearest3{"(f32[1, 2, 3, 4, 5], [6, 4, 3])"sv};
constexpr std::array kNearest1Vec{"(f32[2, 3, 5], None, [1.7])"sv};
constexpr std::array kNearest2Vec{"(f32[1, 2, 4, 5], None, [2.0, 0.6])"sv};
constexpr std::array kNearest3Vec{"(f32[1, 2, 3, 4, 5], [6, 4, 3], None)"sv};
constexpr std::array kLinear1{"(f32[2, 3, 5], [8], False)"sv};
constexpr std::array kLinear2{"(f32[1, 2, 4, 5], [8, 7], True)"sv};
constexpr std::array kLinear3{"(f32[1, 2, 3, 4, 5], [6, 4, 3], False)"sv};
constexpr std::array kLinear1Vec{"(f32[2, 3, 5], None, False, [1.7])"sv};
constexpr std::array kLinear2Vec{"(f32[1, 2, 4, 5], None, False, [2.0, 0.6])"sv};
constexpr std::array kLinear3Vec{"(f32[1, 2, 3, 4, 5], [6, 4, 3], True, None)"sv};

constexpr std::array kOps{
    antialiasing("aten._upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool "
                 "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
                 kSmoothDoc, kLinear2),
    antialiasing("aten._upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool "
                 "align_corners, float[]? scale_factors) -> Tensor",
                 kSmoothDoc, kLinear2Vec),
    antialiasing("aten._upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool "
                 "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
                 kSmoothDoc, kLinear2),
    antialiasing("aten._upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool "
                 "align_corners, float[]? scale_factors) -> Tensor",
                 kSmoothDoc, kLinear2Vec),
    resampling("aten._upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? "
               "scales=None) -> Tensor",
               kExactDoc, kNearest1),
    resampling("aten._upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kExactDoc, kNearest1Vec),
    resampling("aten._upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? "
               "scales_h=None, float? scales_w=None) -> Tensor",
               kExactDoc, kNearest2),
    resampling("aten._upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kExactDoc, kNearest2Vec),
    resampling("aten._upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? "
               "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
               kExactDoc, kNearest3),
    resampling("aten._upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kExactDoc, kNearest3Vec),
    resampling("aten.upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, "
               "float? scales_h=None, float? scales_w=None) -> Tensor",
               kCubicDoc, kLinear2),
    resampling("aten.upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool "
               "align_corners, float[]? scale_factors) -> Tensor",
               kCubicDoc, kLinear2Vec),
    resampling("aten.upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, "
               "float? scales_h=None, float? scales_w=None) -> Tensor",
               kLinearDoc, kLinear2),
    resampling("aten.upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool "
               "align_corners, float[]? scale_factors) -> Tensor",
               kLinearDoc, kLinear2Vec),
    resampling("aten.upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, "
               "float? scales=None) -> Tensor",
               kLinearDoc, kLinear1),
    resampling("aten.upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool "
               "align_corners, float[]? scale_factors) -> Tensor",
               kLinearDoc, kLinear1Vec),
    resampling("aten.upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) "
               "-> Tensor",
               kNearestDoc, kNearest1),
    resampling("aten.upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kNearestDoc, kNearest1Vec),
    resampling("aten.upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, "
               "float? scales_w=None) -> Tensor",
               kNearestDoc, kNearest2),
    resampling("aten.upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kNearestDoc, kNearest2Vec),
    resampling("aten.upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, "
               "float? scales_h=None, float? scales_w=None) -> Tensor",
               kNearestDoc, kNearest3),
    resampling("aten.upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? "
               "scale_factors) -> Tensor",
               kNearestDoc, kNearest3Vec),
    resampling("aten.upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, "
               "float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
               kLinearDoc, kLinear3),
    resampling("aten.upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool "
               "align_corners, float[]? scale_factors) -> Tensor",
               kLinearDoc, kLinear3Vec),
};

}  // namespace

std::span<const OpDef> resample_ops() { return kOps; }

}  // namespace litz::ops
