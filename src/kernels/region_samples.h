// Boxes on images for region pooling: rows of (image, left, top, right, bottom), and the sample
// positions along one axis of a box.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/step_half.h"
#include "support/check.h"

namespace litz::kernels {

template <typename T>
struct Region {
  int64_t image;
  T left, top, right, bottom;  // In pixels of the image, not rounded.
};

/// Row `i` of the boxes; its image must be one of `images`.
template <typename T>
Region<T> region_at(const T* rows, int64_t i, int64_t images, T scale, T offset) {
  const T* row = rows + i * 5;
  const auto image = static_cast<double>(row[0]);
  require(image > -1 && image < static_cast<double>(images), ErrorCode::out_of_range,
          "a box must name an image of the batch:", image, images);
  const auto place = [&](int k) { return row[k] * scale - offset; };
  return {static_cast<int64_t>(image), place(1), place(2), place(3), place(4)};
}

/// Converts to an integer like C++ casts to int, without the undefined cases.
inline int64_t saturated(double value) {
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  if (std::isnan(value)) return 0;
  return static_cast<int64_t>(value < -kMost ? -kMost : value > kMost ? kMost : value);
}

/// Two neighbours along an axis and their weights.
template <typename T>
struct AxisTap {
  int64_t low;
  int64_t high;
  T near;
  T far;
};

/// The samples of one axis, bin by bin. Those outside the image, NaN included, are left out.
template <typename T>
struct AxisSamples {
  std::vector<std::vector<AxisTap<T>>> bins;
  int64_t per_bin = 0;  ///< Negative if the box is reversed.

  bool leaves_out(size_t bin) const { return static_cast<int64_t>(bins[bin].size()) < per_bin; }
};

/// The number of samples per bin along an axis: `ratio` or, if that is not positive, the bin's
/// length.
template <typename T>
int64_t samples_per_bin(T length, int64_t bins, int64_t ratio) {
  if (ratio > 0) return ratio;
  return saturated(std::ceil(static_cast<double>(length / T(static_cast<double>(bins)))));
}

/// Samples are counted in 32 bits.
inline void require_countable(int64_t per_row, int64_t per_column, int64_t bins) {
  const double samples = static_cast<double>(per_row) * static_cast<double>(per_column);
  require(std::abs(samples) * static_cast<double>(bins) <= std::numeric_limits<int32_t>::max(),
          "a box must not have more samples than 32 bits count:", per_row, per_column);
}

template <typename T>
AxisTap<T> tap_at(T place, int64_t size) {
  if (!(place > T(0.0))) place = T(0.0);
  auto low = static_cast<int64_t>(static_cast<double>(place));
  int64_t high = low + 1;
  if (low >= size - 1) {
    high = low = size - 1;
    place = T(static_cast<double>(low));
  }
  const T far = place - T(static_cast<double>(low));
  return {low, high, T(1.0) - far, far};
}

/// Samples `per_bin` places of each of `bins` equal parts from `start` on.
template <typename T>
AxisSamples<T> axis_samples(T start, T length, int64_t bins, int64_t per_bin, int64_t size) {
  AxisSamples<T> samples;
  samples.per_bin = per_bin;
  samples.bins.resize(static_cast<size_t>(bins));
  const T width = length / T(static_cast<double>(bins));
  for (int64_t bin = 0; bin < bins; ++bin) {
    const T first = start + T(static_cast<double>(bin)) * width;
    for (int64_t i = 0; i < per_bin; ++i) {
      const T within = T(static_cast<double>(i) + 0.5) * width / T(static_cast<double>(per_bin));
      const T place = first + within;
      const auto real = static_cast<double>(place);
      if (!(real >= -1 && real <= static_cast<double>(size))) continue;
      samples.bins[static_cast<size_t>(bin)].push_back(tap_at(place, size));
    }
  }
  return samples;
}

/// Whole pixels of a box, and of its bins along one axis.
template <typename T>
struct PixelRange {
  int64_t start;
  T per_bin;

  PixelRange(T low, T high, int64_t bins, int64_t extra)
      : start(saturated(std::round(static_cast<double>(low)))),
        per_bin(T(static_cast<double>(std::max<int64_t>(
                    saturated(std::round(static_cast<double>(high))) - start + extra, 1))) /
                T(static_cast<double>(bins))) {}

  int64_t begin(int64_t bin, int64_t limit) const {
    return clipped(std::floor(static_cast<double>(T(static_cast<double>(bin)) * per_bin)), limit);
  }

  int64_t end(int64_t bin, int64_t limit) const {
    return clipped(std::ceil(static_cast<double>(T(static_cast<double>(bin + 1)) * per_bin)),
                   limit);
  }

 private:
  int64_t clipped(double within, int64_t limit) const {
    return std::clamp<int64_t>(saturated(within) + start, 0, limit);
  }
};

}  // namespace litz::kernels
