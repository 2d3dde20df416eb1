// Pooling over regions of interest: each box of an image becomes bins, each bin one element of
// every channel. Boxes are rows of (image, left, top, right, bottom).
//
// Coordinates are counted step by step in the dtype of the image, as torchvision does: their last
// bit decides which pixels are read.

#include <algorithm>
#include <array>
#include <cfloat>
#include <functional>

#include "kernels/functions.h"
#include "kernels/library_context.h"
#include "kernels/region_samples.h"
#include "kernels/result_sizes.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

/// Sizes of a call: images are [images, channels, height, width].
struct Pooling {
  int64_t images, channels, height, width;
  int64_t boxes;
  int64_t rows, columns;  // Bins.
  double scale;

  int64_t pixels() const { return height * width; }

  int64_t bins() const { return rows * columns; }
};

Pooling pooling_of(const LibraryCall& call, bool by_position) {
  const Tensor& images = call.tensor(0);
  const Tensor& boxes = call.tensor(1);
  require(boxes.rank() == 2 && boxes.sizes()[1] == 5,
          "boxes on images must be rows of five numbers:", boxes.rank());
  require(images.rank() == 4, "images of pooling have four dimensions:", images.rank());
  Pooling p{images.sizes()[0], images.sizes()[1], images.sizes()[2], images.sizes()[3],
            boxes.sizes()[0],  call.integer(3),   call.integer(4),   call.real(2)};
  require(p.rows >= 0 && p.columns >= 0 && (!by_position || p.bins() > 0),
          "pooling over regions needs bins:", p.rows, p.columns);
  const std::array<int64_t, 4> sizes{p.boxes, by_position ? p.channels / p.bins() : p.channels,
                                     p.rows, p.columns};
  for (size_t i = 0; i < call.results.size(); ++i) {
    require_sizes(call.results[i], sizes, call.function);
  }
  require(call.results[0].numel() == 0 || p.pixels() > 0,
          "pooling over regions needs images with pixels:", p.height, p.width);
  return p;
}

void for_each_box(const LibraryCall& call, const Pooling& p,
                  const std::function<void(int64_t)>& body) {
  if (call.results[0].numel() == 0) return;
  run_chunks(call.context == nullptr ? nullptr : call.context->pool(), p.boxes, body);
}

/// Results that kernels fill row-major; converted at the end.
template <typename T>
struct StepResult {
  Tensor wide;
  T* data;

  StepResult(const Tensor& like)  // NOLINT(google-explicit-constructor)
      : wide(Tensor::zeros(sizeof(T) == sizeof(double) ? DType::f64 : DType::f32, like.sizes())),
        data(reinterpret_cast<T*>(wide.mutable_data())) {}
};

template <typename T>
T bilinear(const T* image, int64_t width, const AxisTap<T>& y, const AxisTap<T>& x) {
  const T* low = image + y.low * width;
  const T* high = image + y.high * width;
  return y.near * x.near * low[x.low] + y.near * x.far * low[x.high] +
         y.far * x.near * high[x.low] + y.far * x.far * high[x.high];
}

/// The samples of both axes of a box.
template <typename T>
struct BoxSamples {
  AxisSamples<T> y;
  AxisSamples<T> x;

  int64_t count() const { return y.per_bin * x.per_bin; }
};

template <typename T>
BoxSamples<T> box_samples(const Region<T>& region, const Pooling& p, int64_t ratio,
                          bool at_least_a_pixel) {
  T height = region.bottom - region.top;
  T width = region.right - region.left;
  if (at_least_a_pixel) {
    height = std::max(height, T(1.0));
    width = std::max(width, T(1.0));
  }
  const int64_t per_row = samples_per_bin(height, p.rows, ratio);
  const int64_t per_column = samples_per_bin(width, p.columns, ratio);
  require_countable(per_row, per_column, p.bins());
  return {axis_samples(region.top, height, p.rows, per_row, p.height),
          axis_samples(region.left, width, p.columns, per_column, p.width)};
}

template <typename T>
T sampled_sum(const T* image, int64_t width, const BoxSamples<T>& samples, size_t row,
              size_t column) {
  T total(0.0);
  for (const AxisTap<T>& y : samples.y.bins[row]) {
    for (const AxisTap<T>& x : samples.x.bins[column]) {
      total = total + bilinear(image, width, y, x);
    }
  }
  return total;
}

template <typename T>
void align(LibraryCall& call) {
  const Pooling p = pooling_of(call, false);
  const int64_t ratio = call.integer(5);
  const bool aligned = call.flag(6);
  const StepElements<T> images(call.tensor(0));
  const StepElements<T> boxes(call.tensor(1));
  StepResult<T> result(call.results[0]);
  for_each_box(call, p, [&](int64_t n) {
    const Region<T> region = region_at(boxes.data, n, p.images, T(p.scale), T(aligned ? 0.5 : 0.0));
    const BoxSamples<T> samples = box_samples(region, p, ratio, !aligned);
    require(samples.count() >= 0,
            "roi_align: a box must not be reversed in one direction alone:", samples.y.per_bin,
            samples.x.per_bin);
    const T count(static_cast<double>(std::max<int64_t>(samples.count(), 1)));
    T* to = result.data + n * p.channels * p.bins();
    for (int64_t c = 0; c < p.channels; ++c) {
      const T* image = images.data + (region.image * p.channels + c) * p.pixels();
      for (size_t row = 0; row < samples.y.bins.size(); ++row) {
        for (size_t column = 0; column < samples.x.bins.size(); ++column) {
          T total = sampled_sum(image, p.width, samples, row, column);
          // Samples outside add zero times the first pixel, which is NaN if the pixel is infinite.
          if (samples.y.leaves_out(row) || samples.x.leaves_out(column)) {
            total = total + T(0.0) * image[0];
          }
          *to++ = total / count;
        }
      }
    }
  });
  call.results[0].copy_from(result.wide);
}

// Position-sensitive: every bin of every output channel has its own input channel.
template <typename Value>
void by_position(const Pooling& p, int64_t n, int32_t* channels, const Value& value) {
  const int64_t outputs = p.channels / p.bins();
  int64_t place = n * outputs * p.bins();
  int32_t channel = 0;
  for (int64_t output = 0; output < outputs; ++output) {
    for (int64_t row = 0; row < p.rows; ++row) {
      for (int64_t column = 0; column < p.columns; ++column, ++place, ++channel) {
        channels[place] = channel;
        value(place, channel, row, column);
      }
    }
  }
}

template <typename T>
void align_by_position(LibraryCall& call) {
  const Pooling p = pooling_of(call, true);
  const int64_t ratio = call.integer(5);
  const StepElements<T> images(call.tensor(0));
  const StepElements<T> boxes(call.tensor(1));
  StepResult<T> result(call.results[0]);
  Tensor channels = Tensor::zeros(DType::i32, call.results[1].sizes());
  auto* channel_data = reinterpret_cast<int32_t*>(channels.mutable_data());
  for_each_box(call, p, [&](int64_t n) {
    const Region<T> region = region_at(boxes.data, n, p.images, T(p.scale), T(0.5));
    const BoxSamples<T> samples = box_samples(region, p, ratio, false);
    const T count(static_cast<double>(samples.count()));
    by_position(p, n, channel_data, [&](int64_t place, int64_t c, int64_t row, int64_t column) {
      const T* image = images.data + (region.image * p.channels + c) * p.pixels();
      result.data[place] = sampled_sum(image, p.width, samples, static_cast<size_t>(row),
                                       static_cast<size_t>(column)) /
                           count;
    });
  });
  call.results[0].copy_from(result.wide);
  call.results[1].copy_from(channels);
}

template <typename T>
void pool_largest(LibraryCall& call) {
  const Pooling p = pooling_of(call, false);
  const StepElements<T> images(call.tensor(0));
  const StepElements<T> boxes(call.tensor(1));
  StepResult<T> result(call.results[0]);
  Tensor places = Tensor::zeros(DType::i32, call.results[1].sizes());
  auto* place_data = reinterpret_cast<int32_t*>(places.mutable_data());
  for_each_box(call, p, [&](int64_t n) {
    const Region<T> region = region_at(boxes.data, n, p.images, T(p.scale), T(0.0));
    const PixelRange<T> y(region.top, region.bottom, p.rows, 1);
    const PixelRange<T> x(region.left, region.right, p.columns, 1);
    int64_t at = n * p.channels * p.bins();
    for (int64_t c = 0; c < p.channels; ++c) {
      const T* image = images.data + (region.image * p.channels + c) * p.pixels();
      for (int64_t bin = 0; bin < p.bins(); ++bin, ++at) {
        const int64_t top = y.begin(bin / p.columns, p.height);
        const int64_t bottom = y.end(bin / p.columns, p.height);
        const int64_t left = x.begin(bin % p.columns, p.width);
        const int64_t right = x.end(bin % p.columns, p.width);
        // The smallest float is the start below every pixel, in f64 too.
        T largest(bottom <= top || right <= left ? 0.0 : -FLT_MAX);
        int64_t found = -1;
        for (int64_t i = top; i < bottom; ++i) {
          for (int64_t j = left; j < right; ++j) {
            const T pixel = image[i * p.width + j];
            if (!(pixel > largest)) continue;
            largest = pixel;
            found = i * p.width + j;
          }
        }
        result.data[at] = largest;
        place_data[at] = static_cast<int32_t>(found);
      }
    }
  });
  call.results[0].copy_from(result.wide);
  call.results[1].copy_from(places);
}

template <typename T>
void pool_mean_by_position(LibraryCall& call) {
  const Pooling p = pooling_of(call, true);
  const StepElements<T> images(call.tensor(0));
  const StepElements<T> boxes(call.tensor(1));
  StepResult<T> result(call.results[0]);
  Tensor channels = Tensor::zeros(DType::i32, call.results[1].sizes());
  auto* channel_data = reinterpret_cast<int32_t*>(channels.mutable_data());
  for_each_box(call, p, [&](int64_t n) {
    const Region<T> region = region_at(boxes.data, n, p.images, T(p.scale), T(0.0));
    const PixelRange<T> y(region.top, region.bottom, p.rows, 0);
    const PixelRange<T> x(region.left, region.right, p.columns, 0);
    by_position(p, n, channel_data, [&](int64_t place, int64_t c, int64_t row, int64_t column) {
      const T* image = images.data + (region.image * p.channels + c) * p.pixels();
      // The last row and column of pixels are in no bin.
      const int64_t top = y.begin(row, p.height - 1);
      const int64_t bottom = y.end(row, p.height - 1);
      const int64_t left = x.begin(column, p.width - 1);
      const int64_t right = x.end(column, p.width - 1);
      if (bottom <= top || right <= left) return;
      T total(0.0);
      for (int64_t i = top; i < bottom; ++i) {
        for (int64_t j = left; j < right; ++j) total = total + image[i * p.width + j];
      }
      result.data[place] = total / T(static_cast<double>((bottom - top) * (right - left)));
    });
  });
  call.results[0].copy_from(result.wide);
  call.results[1].copy_from(channels);
}

}  // namespace

void roi_align(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(), [&](auto zero) { align<decltype(zero)>(call); });
}

void roi_pool(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(), [&](auto zero) { pool_largest<decltype(zero)>(call); });
}

void ps_roi_align(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(),
                 [&](auto zero) { align_by_position<decltype(zero)>(call); });
}

void ps_roi_pool(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(),
                 [&](auto zero) { pool_mean_by_position<decltype(zero)>(call); });
}

}  // namespace litz::kernels
