// Learning rates by the number of updates so far, from 0: optimizer.set_lr(cosine_lr(1e-3, step, 10000)).

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace litz {
inline namespace v1 {

/// From `base * first` to `base * last` in equal steps, then `base * last`: torch's LinearLR, a warm-up.
inline double linear_lr(double base, int64_t step, int64_t steps, double first = 1.0 / 3,
                        double last = 1) {
  const double part = static_cast<double>(std::min(step, steps)) / static_cast<double>(steps);
  return base * (first + (last - first) * part);
}

/// From `base` to `least` along half a cosine, then `least`.
/// Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017, equation 5.
inline double cosine_lr(double base, int64_t step, int64_t steps, double least = 0) {
  const double part = static_cast<double>(std::min(step, steps)) / static_cast<double>(steps);
  return least + (base - least) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

/// `base` times `factor` for each `every` updates: torch's StepLR.
inline double step_lr(double base, int64_t step, int64_t every, double factor = 0.1) {
  return base * std::pow(factor, static_cast<double>(step / every));
}

}  // namespace v1
}  // namespace litz
