// Antialiased resampling: a filter that widens if the image shrinks, one dimension at a time.
//
// Like PyTorch, images are resampled along their last dimension first: elements are rounded to the
// image's dtype in between, which is visible for uint8. A dimension that keeps its size is copied,
// whatever its scale factor is.
//
// Each output weighs a window of input elements around its centre. Weights are divided by their
// sum, unless that is 0: a factor can move windows out of the image.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "ops/bodies.h"
#include "ops/families/resample.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {

using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

Scalar axis_step(KernelBuilder& b, const ResampledAxis& axis, bool align_corners, DType compute) {
  const auto real = [&](Expr value) { return b.index(value, compute); };
  if (align_corners) {
    const Scalar is_single = b.index(eq(axis.output, 1), DType::bool_);
    return select(is_single, 0.0, real(axis.input - 1) / real(max(axis.output - 1, Expr(1))));
  }
  if (axis.factor) return b.constant(compute, 1 / *axis.factor);
  return real(axis.input) / real(axis.output);
}

Scalar keeps_size(KernelBuilder& b, const ResampledAxis& axis) {
  return b.index(eq(axis.input, axis.output), DType::bool_);
}

Scalar cubic_near(double slope, Scalar x) { return ((slope + 2) * x - (slope + 3)) * x * x + 1; }

Scalar cubic_far(double slope, Scalar x) { return (((x - 5) * x + 8) * x - 4) * slope; }

FixedPoint::FixedPoint(KernelBuilder& b, Scalar largest_weight) : b_(&b) {
  constexpr int64_t kMostBits = 22;
  constexpr double kTooLarge = 1 << 15;
  // More bits enlarge the largest weight, so the valid precisions are the first ones; counts them.
  precision_ = b.reduce(ReduceKind::sum, std::array{Expr(kMostBits)}, [&](Exprs bits) {
    const Scalar power =
        shift_left(b.constant(DType::i32, int64_t{2}), b.index(bits[0], DType::i32));
    const Scalar weight = floor(largest_weight * b.cast(power, DType::f64) + 0.5);
    return b.cast(weight < kTooLarge, DType::i32);
  });
}

Scalar FixedPoint::one() const {
  return shift_left(b_->constant(DType::i32, int64_t{1}), precision_);
}

Scalar FixedPoint::weight(Scalar real) const {
  const Scalar scaled = real * b_->cast(one(), DType::f64);
  return b_->cast(select(scaled < 0, scaled - 0.5, scaled + 0.5), DType::i32);
}

Scalar FixedPoint::element(Scalar sum) const {
  const Scalar half = shift_right(one(), b_->constant(DType::i32, int64_t{1}));
  return min(max(shift_right(sum + half, precision_), 0.0), 255.0);
}

namespace {

enum class Smoothing : uint8_t { linear, cubic, lanczos };

struct Line {
  size_t dim = 0;
  Smoothing filter = Smoothing::linear;
  bool align_corners = false;
  ResampledAxis axis;
};

Smoothing smoothing_of(std::string_view filter) {
  if (filter == "linear") return Smoothing::linear;
  if (filter == "cubic") return Smoothing::cubic;
  require(filter == "lanczos", "a filter must be linear, cubic or lanczos:", filter);
  return Smoothing::lanczos;
}

Line line_of(const Call& call) {
  const TensorType& self = call.type("self");
  Line line;
  line.dim = static_cast<size_t>(call.dim("dim", self.rank()));
  line.filter = smoothing_of(call.str("filter"));
  line.align_corners = call.flag("align_corners");
  line.axis = {self.sizes[line.dim], call.expr("size"), {}};
  if (call.has("scale") && call.real("scale") > 0) line.axis.factor = call.real("scale");
  call.require_sizes(le(1, line.axis.input),
                     "sizes of resampling must be above 0:", line.axis.input);
  call.require_sizes(le(1, line.axis.output),
                     "sizes of resampling must be above 0:", line.axis.output);
  return line;
}

// The radius of a filter without widening.
int64_t radius(Smoothing filter) {
  switch (filter) {
    case Smoothing::linear:
      return 1;
    case Smoothing::cubic:
      return 2;
    case Smoothing::lanczos:
      return 3;
  }
  return 0;
}

// The length of the longest window.
Expr longest_window(const Line& line) {
  const int64_t narrow = radius(line.filter);
  const ResampledAxis& axis = line.axis;
  Expr reach;
  if (line.align_corners) {
    reach = ceil_div((axis.input - 1) * narrow, max(axis.output - 1, Expr(1)));
  } else if (axis.factor) {
    const double wide = std::ceil(static_cast<double>(narrow) / *axis.factor);
    // No window is longer than the image, however small the factor is.
    constexpr double kLongest = 1LL << 40;
    reach = Expr(static_cast<int64_t>(std::min(wide, kLongest)));
  } else {
    reach = ceil_div(axis.input * narrow, axis.output);
  }
  return min(2 * max(reach, Expr(narrow)) + 1, axis.input);
}

// sin(pi x) / (pi x)
Scalar normalized_sinc(Scalar x) {
  const Scalar angle = x * std::numbers::pi;
  return select(x == 0, 1.0, sin(angle) / select(x == 0, 1.0, angle));
}

// A tent, cubic convolution with slope -0.5, or three lobes of a sinc.
Scalar filtered(Smoothing filter, Scalar x) {
  constexpr double kSlope = -0.5;
  switch (filter) {
    case Smoothing::linear:
      return select(abs(x) < 1, 1 - abs(x), 0.0);
    case Smoothing::cubic:
      return select(abs(x) < 1, cubic_near(kSlope, abs(x)),
                    select(abs(x) < 2, cubic_far(kSlope, abs(x)), 0.0));
    case Smoothing::lanczos:
      return select((x >= -3) & (x < 3), normalized_sinc(x) * normalized_sinc(x / 3), 0.0);
  }
  return {};
}

// The window of one output.
class Window {
 public:
  Window(KernelBuilder& b, const Line& line, DType compute, Expr o) : b_(b), line_(line) {
    const Scalar step = axis_step(b, line.axis, line.align_corners, compute);
    const Scalar widening = max(step, 1.0);
    const Scalar reach = widening * static_cast<double>(radius(line.filter));
    centre_ = step * (b.index(o, compute) + 0.5);
    narrowing_ = select(step >= 1, 1 / widening, 1.0);
    const auto whole = [&](Scalar x) { return b.cast(trunc(x), DType::i64); };
    longest_ = longest_window(line);
    first_ = max(whole(centre_ - reach + 0.5), 0.0);
    const Scalar end = min(whole(centre_ + reach + 0.5), b.index(line.axis.input));
    length_ = min(max(end - first_, 0.0), b.index(longest_));
    sum_ = b.reduce(ReduceKind::sum, std::array{longest_}, [&](Exprs k) { return raw(k[0]); });
  }

  Expr longest() const { return longest_; }

  Scalar place(Expr k) const { return first_ + b_.index(k); }

  Scalar holds(Expr k) const { return b_.index(k) < length_; }

  /// The weight of element k; 0 beyond the window.
  Scalar weight(Expr k) const { return raw(k) / select(sum_ == 0, 1.0, sum_); }

 private:
  Scalar raw(Expr k) const {
    const Scalar distance = b_.cast(place(k), centre_.dtype()) - centre_ + 0.5;
    return select(holds(k), filtered(line_.filter, distance * narrowing_), 0.0);
  }

  KernelBuilder& b_;
  const Line& line_;
  Scalar first_;   // i64
  Scalar length_;  // i64
  Scalar centre_;
  Scalar narrowing_;  // Scales distances.
  Scalar sum_;
  Expr longest_;
};

Scalar largest_weight(KernelBuilder& b, const Line& line) {
  const Scalar largest = b.reduce(ReduceKind::max, std::array{line.axis.output}, [&](Exprs o) {
    const Window window(b, line, DType::f64, o[0]);
    return b.reduce(ReduceKind::max, std::array{window.longest()},
                    [&](Exprs k) { return window.weight(k[0]); });
  });
  return max(largest, 0.0);
}

}  // namespace

TensorType resample_axis_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0 && (is_floating(self.dtype) || self.dtype == DType::u8),
          ErrorCode::unsupported, "antialiased resampling needs a floating or uint8 image, got",
          self);
  const Line line = line_of(call);
  Sizes sizes = self.sizes;
  sizes[line.dim] = line.axis.output;
  TensorType result = contiguous_type(self.dtype, sizes, self.device);
  const MemoryFormat format = suggest_memory_format(self);
  if (format != MemoryFormat::contiguous) result.strides = strides_for(format, sizes);
  return result;
}

void resample_axis(NestCall& call) {
  const Line line = line_of(call);
  const TensorType& result = call.result();
  const bool is_fixed = result.dtype == DType::u8;
  KernelBuilder& b = call.builder();
  const DType compute = is_fixed ? DType::f64 : compute_dtype(result.dtype);
  const DType sums = is_fixed ? DType::i32 : compute;
  std::optional<FixedPoint> fixed;
  if (is_fixed) fixed.emplace(b, largest_weight(b, line));
  b.loop(result.sizes, [&](Exprs o) {
    const Window window(b, line, compute, o[line.dim]);
    IndexVector index(o.begin(), o.end());
    const Scalar zero = b.cast(b.constant(sums, 0.0), result.dtype);
    Scalar value = b.reduce(ReduceKind::sum, std::array{window.longest()}, [&](Exprs k) {
      index[line.dim] = window.place(k[0]).id();
      const Scalar x = b.cast(b.load_if(window.holds(k[0]), call.in("self"), index, zero), sums);
      const Scalar weight = window.weight(k[0]);
      return x * (fixed ? fixed->weight(weight) : weight);
    });
    if (fixed) value = fixed->element(value);
    value = b.cast(value, result.dtype);
    if (!known_not_equal(line.axis.input, line.axis.output)) {
      const Scalar is_kept = keeps_size(b, line.axis);
      value =
          select(is_kept,
                 b.load_if(is_kept, call.in("self"), IndexVector(o.begin(), o.end()), zero), value);
    }
    b.store(call.out(), o, value);
  });
}

}  // namespace litz::ops
