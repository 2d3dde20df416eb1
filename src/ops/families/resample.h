// Shared by all files of resampling operators: one dimension of a call, its scale and its taps, and
// the fixed-point weights of uint8 images.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/bodies.h"

namespace litz::ops {

/// litz.resample_axis.
TensorType resample_axis_meta(const Call& call);
void resample_axis(NestCall& call);

/// One dimension of a call.
struct ResampledAxis {
  Expr input;
  Expr output;
  std::optional<double> factor;  ///< Set if given for this dimension and positive.
};

/// An input index and its weight; a null weight is 1.
struct Tap {
  loops::Index place = Expr(0);
  loops::Scalar weight;
};

using Taps = std::vector<Tap>;

/// The inputs of an output along a dimension: two for linear interpolation, four for cubic
/// convolution. Weights have the compute dtype.
Taps interpolated_taps(loops::KernelBuilder& b, bool is_cubic, bool align_corners,
                       const ResampledAxis& axis, DType compute, Expr output);

/// The distance of neighbouring outputs in the input.
loops::Scalar axis_step(loops::KernelBuilder& b, const ResampledAxis& axis, bool align_corners,
                        DType compute);

/// True if a dimension keeps its size; decided at run time unless known to be false.
loops::Scalar keeps_size(loops::KernelBuilder& b, const ResampledAxis& axis);

/// The cubic convolution kernel with this slope for distances below 1, and for those from 1 to 2.
loops::Scalar cubic_near(double slope, loops::Scalar distance);
loops::Scalar cubic_far(double slope, loops::Scalar distance);

/// Weights of uint8 images as in PyTorch's CPU kernel: 16-bit integers, multiplied by the largest
/// power of two (up to 2^22) for which the largest weight still fits.
class FixedPoint {
 public:
  /// `largest_weight`, f64, is the maximum of a whole dimension.
  FixedPoint(loops::KernelBuilder& b, loops::Scalar largest_weight);

  /// A weight (f64) as an i32.
  loops::Scalar weight(loops::Scalar real) const;
  /// A sum of weighted elements (i32) as an element, 0 to 255, still i32.
  loops::Scalar element(loops::Scalar sum) const;

 private:
  loops::Scalar one() const;

  loops::KernelBuilder* b_;
  loops::Scalar precision_;  ///< i32: the number of fractional bits.
};

}  // namespace litz::ops
