// Resampling of images to another size: nearest, linear, cubic, and their antialiased forms.
//
// Every dimension has its own map from an output index to weighted input indices (taps), so one
// nest serves all ranks: an output element is the product sum over the taps of all dimensions.
//
// Coordinates are computed in f32 (f64 for f64 images) in PyTorch's steps: the choice of a
// neighbour depends on their last bit. A given scale factor maps coordinates directly; otherwise
// the ratio of the sizes does.

#include "ops/families/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/image_checks.h"
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

struct Resampling {
  Filter filter = Filter::nearest;
  bool align_corners = false;
  /// Nearest neighbours in dimensions that keep or double their size ignore a factor.
  Expr ignores_factor = Expr::boolean(false);
  std::vector<ResampledAxis> axes;

  bool interpolates() const { return filter == Filter::linear || filter == Filter::cubic; }
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

// The factor of each dimension, in order; none if sizes decide.
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

// PyTorch's kernel for small and for channels-last images uses the ratio of sizes if it is 1 or 2;
// its general kernel uses the factor.
Expr ignores_factor(const TensorType& image, const Resampling& resampling) {
  const size_t dims = resampling.axes.size();
  if (dims == 1) return Expr::boolean(false);
  const bool has_channels_last = suggest_memory_format(image) != MemoryFormat::contiguous;
  const Expr by_layout = has_channels_last ? lt(Expr(3), image.sizes[1]) : Expr::boolean(false);
  if (dims == 3) return by_layout;
  constexpr int64_t kSmall = 128;
  return logical_or(by_layout,
                    le(resampling.axes[0].output + resampling.axes[1].output, Expr(kSmall)));
}

Resampling resampling_of(const Call& call) {
  const std::string_view name = call.op().name();
  const TensorType& image = call.type(image_name(call));
  const size_t dims = spatial_dims(name);
  require(image.rank() == dims + 2,
          "resampling needs a batch, channels and spatial dimensions, got", image);
  Resampling result;
  result.filter = filter_of(name);
  result.align_corners = call.op().schema.find("align_corners") >= 0 && call.flag("align_corners");
  const auto factors = factors_of(call, dims);
  const bool sized = call.has("output_size");
  require(image_name(call) != "input" || sized != call.has("scale_factors"),
          "resampling takes either output_size or scale_factors");
  const Sizes given = sized ? call.sizes("output_size") : Sizes();
  require(!sized || given.size() == dims,
          "output_size has one entry per spatial dimension:", given.size(), dims);
  for (size_t i = 0; i < dims; ++i) {
    ResampledAxis axis{image.sizes[2 + i], {}, factors[i]};
    axis.output = sized ? given[i] : scaled_size(axis.input, *factors[i]);
    if (axis.factor && *axis.factor <= 0) axis.factor.reset();
    // Coordinates must fit integers.
    require(!axis.factor || *axis.factor >= 0x1p-31, ErrorCode::unsupported,
            "resampling takes factors of 2^-31 or more, got", axis.factor.value_or(0));
    call.require_sizes(le(1, axis.input), "sizes of resampling must be above 0:", axis.input);
    call.require_sizes(le(1, axis.output), "sizes of resampling must be above 0:", axis.output);
    result.axes.push_back(axis);
  }
  if (result.filter == Filter::nearest) result.ignores_factor = ignores_factor(image, result);
  return result;
}

// True for a smoothed image that keeps its sizes, whatever its dtype is.
bool is_copied(const Call& call, const Resampling& resampling) {
  return call.op().name().find("2d_aa") != std::string_view::npos &&
         std::ranges::all_of(resampling.axes, [](const ResampledAxis& axis) {
           return known_equal(axis.input, axis.output);
         });
}

TensorType resample_meta(const Call& call) {
  const TensorType& image = call.type(image_name(call));
  const Resampling resampling = resampling_of(call);
  require_image(call, image, resampling.axes.size());
  const bool takes_bytes = !resampling.interpolates() || resampling.axes.size() == 2;
  require(is_floating(image.dtype) || (takes_bytes && image.dtype == DType::u8) ||
              is_copied(call, resampling),
          ErrorCode::unsupported, "resampling needs a floating image, got", name(image.dtype));
  Sizes sizes{image.sizes[0], image.sizes[1]};
  for (const ResampledAxis& axis : resampling.axes) sizes.push_back(axis.output);
  TensorType result = contiguous_type(image.dtype, sizes, image.device);
  const MemoryFormat format = suggest_memory_format(image);
  if (format != MemoryFormat::contiguous) result.strides = strides_for(format, sizes);
  return result;
}

// --- coordinates ---

// Emits the coordinates of one axis.
class Sampler {
 public:
  Sampler(KernelBuilder& b, const Resampling& resampling, const ResampledAxis& axis, DType compute)
      : b_(b), resampling_(resampling), axis_(axis), compute_(compute) {}

  /// Weights are f64. With `folds`, they belong to distinct indices, as for uint8 images.
  Taps taps(Expr o, bool folds) {
    if (folds) return folded(o);
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

 private:
  Scalar step() { return axis_step(b_, axis_, resampling_.align_corners, compute_); }

  Scalar real(Expr value) { return b_.index(value, compute_); }

  Scalar whole(Scalar value) { return b_.cast(floor(value), DType::i64); }

  // The coordinate of an output's centre (or of its corner, if corners are aligned).
  Scalar centre(Expr o) {
    if (resampling_.align_corners) return step() * real(o);
    return step() * (real(o) + 0.5) - 0.5;
  }

  // With a power of two as ratio, f32 coordinates are exact and equal integer arithmetic.
  std::optional<int64_t> exact_ratio() const {
    for (const int64_t k : {1, 2, 4, 8, 16, 32}) {
      if (!known_equal(axis_.output, axis_.input * k)) continue;
      const bool ignores_factor = k <= 2 && known(resampling_.ignores_factor) == true;
      if (ignores_factor || !axis_.factor || *axis_.factor == static_cast<double>(k)) return k;
    }
    return std::nullopt;
  }

  Tap nearest(Expr o) {
    if (const auto ratio = exact_ratio()) return {floor_div(o, *ratio), {}};
    // PyTorch selects neighbours in f32 for any image dtype, exact ones with a f64 product.
    const Scalar scale =
        axis_.factor ? b_.constant(DType::f32, 1 / *axis_.factor)
                     : b_.index(axis_.input, DType::f32) / b_.index(axis_.output, DType::f32);
    Scalar place;
    if (resampling_.filter == Filter::nearest) {
      place = b_.index(o, DType::f32) * scale;
    } else {
      place = b_.cast((b_.index(o, DType::f64) + 0.5) * b_.cast(scale, DType::f64), DType::f32);
    }
    Scalar neighbour = min(whole(place), b_.index(axis_.input - 1));
    for (const int64_t k : {1, 2}) {
      if (!axis_.factor) continue;
      const Expr takes_ratio =
          logical_and(resampling_.ignores_factor, eq(axis_.output, axis_.input * k));
      if (known(takes_ratio) == false) continue;
      neighbour = select(b_.index(takes_ratio, DType::bool_), b_.index(floor_div(o, k)), neighbour);
    }
    return {neighbour.id(), {}};
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

  // A dimension that keeps its size reads every element twice, the second time with weight 0, which
  // turns infinities into NaN.
  Taps linear(Expr o) {
    if (known_equal(axis_.input, axis_.output)) {
      return {{o, {}}, {o, b_.constant(compute_, 0.0)}};
    }
    Scalar coordinate = centre(o);
    if (!resampling_.align_corners) coordinate = max(coordinate, 0.0);
    Split at = split(coordinate);
    Scalar above = min(at.below + 1, b_.index(axis_.input - 1));
    if (!known_not_equal(axis_.input, axis_.output)) {
      const Scalar is_kept = keeps_size(b_, axis_);
      at.below = select(is_kept, b_.index(o), at.below);
      at.distance = select(is_kept, 0.0, at.distance);
      above = select(is_kept, at.below, above);
    }
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
    // Rounds differently from cubic_far(), as PyTorch's kernel for reals does.
    const auto far = [](Scalar x) {
      return ((kSlope * x - 5 * kSlope) * x + 8 * kSlope) * x - 4 * kSlope;
    };
    if (k == 0) return far(t + 1);
    if (k == 1) return cubic_near(kSlope, t);
    return k == 2 ? cubic_near(kSlope, 1 - t) : far(2 - t);
  }

  Scalar filtered(Scalar x) {
    if (resampling_.filter == Filter::linear) return select(x < 1, 1 - x, 0.0);
    return select(x < 1, cubic_near(kSlope, x), select(x < 2, cubic_far(kSlope, x), 0.0));
  }

  // Taps beyond an edge add their weight to the first tap at that edge.
  Taps folded(Expr o) {
    if (known_equal(axis_.input, axis_.output)) return {{o, {}}};
    const int count = resampling_.filter == Filter::linear ? 2 : 4;
    Scalar coordinate = centre(o);
    if (count == 2 && !resampling_.align_corners) coordinate = max(coordinate, 0.0);
    const Split at = split(coordinate);
    const Scalar is_kept = keeps_size(b_, axis_);
    std::vector<Scalar> places;
    std::vector<Scalar> weights;
    for (int k = 0; k < count; ++k) {
      const double offset = k + 1 - count / 2;
      const Scalar place = min(max(at.below + offset, 0.0), b_.index(axis_.input - 1));
      places.push_back(select(is_kept, b_.index(o), place));
      weights.push_back(select(is_kept, k == 0 ? 1.0 : 0.0, filtered(abs(offset - at.distance))));
    }
    Taps taps;
    for (size_t k = 0; k < places.size(); ++k) {
      Scalar weight = weights[k];
      for (size_t next = k + 1; next < places.size(); ++next) {
        weight = weight + select(places[next] == places[k], weights[next], 0.0);
      }
      if (k > 0) weight = select(places[k - 1] == places[k], 0.0, weight);
      taps.push_back({places[k].id(), weight});
    }
    return taps;
  }

  static constexpr double kSlope = -0.75;

  KernelBuilder& b_;
  const Resampling& resampling_;
  const ResampledAxis& axis_;
  DType compute_;
};

// The weights of one dimension of a uint8 image; none if the dimension keeps its size.
std::optional<FixedPoint> fixed_point(KernelBuilder& b, const Resampling& resampling,
                                      const ResampledAxis& axis) {
  if (known_equal(axis.input, axis.output)) return {};
  const Scalar largest = b.reduce(ReduceKind::max, std::array{axis.output}, [&](Exprs o) {
    Scalar weight = b.constant(DType::f64, 0.0);
    for (const Tap& tap : Sampler(b, resampling, axis, DType::f64).taps(o[0], true)) {
      weight = max(weight, tap.weight);
    }
    return weight;
  });
  return FixedPoint(b, largest);
}

struct AxisTaps {
  Taps taps;
  const FixedPoint* fixed = nullptr;  // For uint8 images: sums are rounded along each dimension.
};

// The sum over the taps of axis `i` and all later axes.
Scalar weighted(const std::vector<AxisTaps>& axes, size_t i, IndexVector& index,
                const std::function<Scalar(const IndexVector&)>& load) {
  if (i == axes.size()) return load(index);
  const FixedPoint* fixed = axes[i].fixed;
  Scalar total;
  for (const Tap& tap : axes[i].taps) {
    index[2 + i] = tap.place;
    Scalar value = weighted(axes, i + 1, index, load);
    if (tap.weight) value = value * (fixed != nullptr ? fixed->weight(tap.weight) : tap.weight);
    total = total ? total + value : value;
  }
  return fixed != nullptr ? fixed->element(total) : total;
}

// A dimension that is empty at run time has no nearest element.
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
  const bool is_fixed = resampling.interpolates() && result.dtype == DType::u8;
  const DType real = is_fixed ? DType::f64 : compute_dtype(result.dtype);
  const DType sums = is_fixed                    ? DType::i32
                     : resampling.interpolates() ? compute_dtype(result.dtype)
                                                 : result.dtype;
  std::vector<std::optional<FixedPoint>> fixed(resampling.axes.size());
  for (size_t i = 0; is_fixed && i < fixed.size(); ++i) {
    fixed[i] = fixed_point(b, resampling, resampling.axes[i]);
  }
  b.loop(result.sizes, [&](Exprs o) {
    std::vector<AxisTaps> axes;
    for (size_t i = 0; i < resampling.axes.size(); ++i) {
      Sampler sampler(b, resampling, resampling.axes[i], real);
      axes.push_back({sampler.taps(o[2 + i], is_fixed), fixed[i] ? &*fixed[i] : nullptr});
    }
    IndexVector index(o.begin(), o.end());
    const Scalar value = weighted(axes, 0, index, [&](IndexVector place) {
      for (size_t i = 0; i < resampling.axes.size(); ++i) {
        bound_in_empty(call, resampling.axes[i].input, place[2 + i]);
      }
      return b.cast(b.load(call.in(image), place), sums);
    });
    b.store(call.out(), o, b.cast(value, result.dtype));
  });
}

// --- antialiased ---

std::string_view smoothing_name(std::string_view name) {
  if (name.find("lanczos") != std::string_view::npos) return "lanczos";
  return name.find("cubic") != std::string_view::npos ? "cubic" : "linear";
}

// Resamples one dimension after the other, the last one first; those that keep their size are
// skipped.
std::vector<ir::Value> antialias(DecomposeCall& call) {
  const Resampling resampling = resampling_of(call);
  const ir::Value given = call[image_name(call)];
  ir::Value image = given;
  for (size_t i = resampling.axes.size(); i-- > 0;) {
    const ResampledAxis& axis = resampling.axes[i];
    if (known_equal(axis.input, axis.output)) continue;
    ir::Argument scale;
    if (axis.factor) scale = Expr::real(*axis.factor);
    image =
        call.graph()
            .create("litz.resample_axis", {image, Expr(static_cast<int64_t>(2 + i)), axis.output,
                                           std::string(smoothing_name(call.op().name())),
                                           Expr::boolean(resampling.align_corners), scale})
            ->output();
  }
  if (image == given) {
    return {call.aten("clone", {image, ir::Attribute(suggest_memory_format(image.tensor()))})};
  }
  return {image};
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
          .meta = resample_meta,
          .impl = Decompose{antialias},
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
constexpr std::array kLinear2{"(f32[1, 2, 4, 5], [8, 7], True)"sv,
                              "(u8[1, 2, 4, 5], [4, 7], False)"sv};
constexpr std::array kLinear3{"(f32[1, 2, 3, 4, 5], [6, 4, 3], False)"sv};
constexpr std::array kLinear1Vec{"(f32[2, 3, 5], None, False, [1.7])"sv};
constexpr std::array kLinear2Vec{"(f32[1, 2, 4, 5], None, False, [2.0, 0.6])"sv};
constexpr std::array kLinear3Vec{"(f32[1, 2, 3, 4, 5], [6, 4, 3], True, None)"sv};

constexpr std::array kAxisSample{"(f32[1, 2, 4, 5], 3, 3, 'linear', False)"sv,
                                 "(u8[1, 2, 4, 9], 2, 7, 'cubic', True)"sv,
                                 "(f32[1, 2, 9, 5], 2, 4, 'lanczos', False, 0.4)"sv};

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
    antialiasing("aten._upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool "
                 "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
                 kSmoothDoc, kLinear2),
    antialiasing("aten._upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool "
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
    OpDef{.schema = "litz.resample_axis(Tensor self, int dim, SymInt size, str filter, bool "
                    "align_corners, float? scale=None) -> Tensor",
          .doc = "Resizes one dimension by a filter that widens where the image shrinks.",
          .meta = resample_axis_meta,
          .impl = LoopNest{resample_axis},
          .samples = {.calls = kAxisSample}},
};

}  // namespace

Taps interpolated_taps(KernelBuilder& b, bool is_cubic, bool align_corners,
                       const ResampledAxis& axis, DType compute, Expr output) {
  Resampling resampling;
  resampling.filter = is_cubic ? Filter::cubic : Filter::linear;
  resampling.align_corners = align_corners;
  return Sampler(b, resampling, axis, compute).taps(output, false);
}

std::span<const OpDef> resample_ops() { return kOps; }

}  // namespace litz::ops
