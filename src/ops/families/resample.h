// The parts that all files of resampling operators use: one dimension of a call, its scale and its
// taps, and the fixed-point weights of uint8 images.

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
  std::optional<double> factor;  ///< Given for this dimension, and positive.
};

/// An input place and what it counts; a null weight is 1.
struct Tap {
  loops::Index place = Expr(0);
  loops::Scalar weight;
};

using Taps = std::vector<Tap>;

/// Where an output comes from along a dimension: the two places of linear interpolation, the four of
/// cubic convolution. Weights are of the dtype that is computed in.
Taps interpolated_taps(loops::KernelBuilder& b, bool is_cubic, bool align_corners,
                       const ResampledAxis& axis, DType compute, Expr output);

/// How far apart neighbouring outputs are in the input.
loops::Scalar axis_step(loops::KernelBuilder& b, const ResampledAxis& axis, bool align_corners,
                        DType compute);

/// Whether a dimension keeps its size: false where that is known not to be, else decided at run
/// time.
loops::Scalar keeps_size(loops::KernelBuilder& b, const ResampledAxis& axis);

/// Cubic convolution at a distance below 1 and at one from 1 to 2, with this slope.
loops::Scalar cubic_near(double slope, loops::Scalar distance);
loops::Scalar cubic_far(double slope, loops::Scalar distance);

/// Weights of uint8 images as PyTorch's CPU kernels have them: 16-bit integers, multiplied by the
/// largest power of two (up to 2^22) for which the largest weight still fits.
class FixedPoint {
 public:
  /// `largest_weight`, f64, is that of a whole dimension.
  FixedPoint(loops::KernelBuilder& b, loops::Scalar largest_weight);

  /// A weight (f64) as an i32.
  loops::Scalar weight(loops::Scalar real) const;
  /// A sum of weighted elements (i32) as an element, 0 to 255, still i32.
  loops::Scalar element(loops::Scalar sum) const;

 private:
  loops::Scalar one() const;

  loops::KernelBuilder* b_;
  loops::Scalar precision_;  ///< i32: bits after the point.
};

}  // namespace litz::ops
