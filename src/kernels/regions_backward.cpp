// Derivatives of pooling over regions of interest with respect to the images: the gradient of a bin
// goes to the pixels that it read, by their weights. Channels are independent; the boxes of one are
// added in order.

#include <algorithm>
#include <vector>

#include "kernels/functions.h"
#include "kernels/library_context.h"
#include "kernels/region_samples.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

/// Sizes of a call, whose gradients are [boxes, outputs, rows, columns].
struct Gradients {
  int64_t images, channels, height, width;
  int64_t boxes, outputs, rows, columns;

  int64_t bins() const { return rows * columns; }

  int64_t pixels() const { return height * width; }
};

Gradients gradients_of(const LibraryCall& call, size_t boxes) {
  const Tensor& gradient = call.tensor(0);
  const Tensor& result = call.results[0];
  require(gradient.rank() == 4 && result.rank() == 4,
          "gradients of pooling have four dimensions:", gradient.rank());
  const Gradients g{result.sizes()[0],   result.sizes()[1],   result.sizes()[2],
                    result.sizes()[3],   gradient.sizes()[0], gradient.sizes()[1],
                    gradient.sizes()[2], gradient.sizes()[3]};
  const Tensor& rows = call.tensor(boxes);
  require(rows.rank() == 2 && rows.sizes()[1] == 5 && rows.sizes()[0] == g.boxes,
          "every gradient of pooling has a box of five numbers:", g.boxes);
  require(gradient.numel() == 0 || g.pixels() > 0,
          "pooling over regions needs images with pixels:", g.height, g.width);
  return g;
}

template <typename T>
Tensor zero_images(const Gradients& g) {
  return Tensor::zeros(sizeof(T) == sizeof(double) ? DType::f64 : DType::f32,
                       {g.images, g.channels, g.height, g.width});
}

template <typename T>
struct SampledBox {
  int64_t image;
  AxisSamples<T> y;
  AxisSamples<T> x;
};

template <typename T>
std::vector<SampledBox<T>> sampled_boxes(const LibraryCall& call, const Gradients& g,
                                         const Tensor& rows, double scale, int64_t ratio,
                                         bool aligned) {
  const StepElements<T> boxes(rows);
  std::vector<SampledBox<T>> sampled;
  if (call.tensor(0).numel() == 0) return sampled;
  for (int64_t n = 0; n < g.boxes; ++n) {
    const Region<T> region = region_at(boxes.data, n, g.images, T(scale), T(aligned ? 0.5 : 0.0));
    T height = region.bottom - region.top;
    T width = region.right - region.left;
    if (!aligned) {
      height = std::max(height, T(1.0));
      width = std::max(width, T(1.0));
    }
    const int64_t per_row = samples_per_bin(height, g.rows, ratio);
    const int64_t per_column = samples_per_bin(width, g.columns, ratio);
    require_countable(per_row, per_column, g.bins());
    sampled.push_back({region.image, axis_samples(region.top, height, g.rows, per_row, g.height),
                       axis_samples(region.left, width, g.columns, per_column, g.width)});
  }
  return sampled;
}

template <typename T>
void add(T* pixel, T value) {
  *pixel = *pixel + value;
}

// A bin's gradient, divided among its samples, and each share among their four pixels.
template <typename T>
void add_bin(T* image, int64_t width, const SampledBox<T>& box, int64_t row, int64_t column,
             T gradient) {
  const T count(static_cast<double>(box.y.per_bin * box.x.per_bin));
  for (const AxisTap<T>& y : box.y.bins[static_cast<size_t>(row)]) {
    for (const AxisTap<T>& x : box.x.bins[static_cast<size_t>(column)]) {
      add(image + y.low * width + x.low, gradient * (y.near * x.near) / count);
      add(image + y.low * width + x.high, gradient * (y.near * x.far) / count);
      add(image + y.high * width + x.low, gradient * (y.far * x.near) / count);
      add(image + y.high * width + x.high, gradient * (y.far * x.far) / count);
    }
  }
}

// Calls body(box, channel, row, column, place) for all gradients, channels in parallel.
template <typename Body>
void for_each_gradient(const LibraryCall& call, const Gradients& g, const Body& body) {
  if (call.tensor(0).numel() == 0) return;
  ThreadPool* const pool = call.context == nullptr ? nullptr : call.context->pool();
  run_chunks(pool, g.outputs, [&](int64_t c) {
    for (int64_t n = 0; n < g.boxes; ++n) {
      int64_t place = (n * g.outputs + c) * g.bins();
      for (int64_t bin = 0; bin < g.bins(); ++bin, ++place) {
        body(n, c, bin / g.columns, bin % g.columns, place);
      }
    }
  });
}

template <typename T>
void align_backward(LibraryCall& call) {
  const Gradients g = gradients_of(call, 1);
  require(g.outputs == g.channels, "every channel has gradients:", g.outputs, g.channels);
  const auto boxes =
      sampled_boxes<T>(call, g, call.tensor(1), call.real(2), call.integer(9), call.flag(10));
  const StepElements<T> gradients(call.tensor(0));
  Tensor result = zero_images<T>(g);
  T* const data = reinterpret_cast<T*>(result.mutable_data());
  for_each_gradient(call, g, [&](int64_t n, int64_t c, int64_t row, int64_t column, int64_t at) {
    const SampledBox<T>& box = boxes[static_cast<size_t>(n)];
    T* const image = data + (box.image * g.channels + c) * g.pixels();
    add_bin(image, g.width, box, row, column, gradients.data[at]);
  });
  call.results[0].copy_from(result);
}

// The channel of each gradient. Channels of different outputs are disjoint in position-sensitive
// pooling, so outputs can be computed in parallel.
std::vector<int64_t> channels_at(const LibraryCall& call, const Gradients& g) {
  const Tensor wide = call.tensor(2).to(DType::i64).contiguous();
  require(wide.sizes() == call.tensor(0).sizes(), "every gradient has a channel:", wide.numel());
  const auto* data = reinterpret_cast<const int64_t*>(wide.data());
  for (int64_t i = 0; i < wide.numel(); ++i) {
    const int64_t output = i / g.bins() % g.outputs;
    require(data[i] >= 0 && data[i] < g.channels && data[i] / g.bins() == output,
            ErrorCode::out_of_range, "a gradient must belong to a channel of its output:", data[i],
            output);
  }
  return {data, data + wide.numel()};
}

template <typename T>
void align_by_position_backward(LibraryCall& call) {
  const Gradients g = gradients_of(call, 1);
  const auto boxes = sampled_boxes<T>(call, g, call.tensor(1), call.real(3), call.integer(6), true);
  const std::vector<int64_t> channels = channels_at(call, g);
  const StepElements<T> gradients(call.tensor(0));
  Tensor result = zero_images<T>(g);
  T* const data = reinterpret_cast<T*>(result.mutable_data());
  for_each_gradient(call, g, [&](int64_t n, int64_t, int64_t row, int64_t column, int64_t at) {
    const SampledBox<T>& box = boxes[static_cast<size_t>(n)];
    const int64_t c = channels[static_cast<size_t>(at)];
    T* const image = data + (box.image * g.channels + c) * g.pixels();
    add_bin(image, g.width, box, row, column, gradients.data[at]);
  });
  call.results[0].copy_from(result);
}

template <typename T>
void largest_backward(LibraryCall& call) {
  const Gradients g = gradients_of(call, 1);
  require(g.outputs == g.channels, "every channel has gradients:", g.outputs, g.channels);
  const Tensor places = call.tensor(2).to(DType::i64).contiguous();
  require(places.sizes() == call.tensor(0).sizes(), "every gradient has a place:", places.numel());
  const auto* place = reinterpret_cast<const int64_t*>(places.data());
  const StepElements<T> boxes(call.tensor(1));
  const StepElements<T> gradients(call.tensor(0));
  Tensor result = zero_images<T>(g);
  T* const data = reinterpret_cast<T*>(result.mutable_data());
  for_each_gradient(call, g, [&](int64_t n, int64_t c, int64_t, int64_t, int64_t at) {
    if (place[at] == -1) return;
    require(place[at] >= 0 && place[at] < g.pixels(), ErrorCode::out_of_range,
            "the place of a largest pixel must be in the image:", place[at], g.pixels());
    const Region<T> region = region_at(boxes.data, n, g.images, T(1.0), T(0.0));
    add(data + (region.image * g.channels + c) * g.pixels() + place[at], gradients.data[at]);
  });
  call.results[0].copy_from(result);
}

template <typename T>
void mean_by_position_backward(LibraryCall& call) {
  const Gradients g = gradients_of(call, 1);
  const std::vector<int64_t> channels = channels_at(call, g);
  const StepElements<T> boxes(call.tensor(1));
  const StepElements<T> gradients(call.tensor(0));
  Tensor result = zero_images<T>(g);
  T* const data = reinterpret_cast<T*>(result.mutable_data());
  for_each_gradient(call, g, [&](int64_t n, int64_t, int64_t row, int64_t column, int64_t at) {
    const Region<T> region = region_at(boxes.data, n, g.images, T(call.real(3)), T(0.0));
    const PixelRange<T> y(region.top, region.bottom, g.rows, 0);
    const PixelRange<T> x(region.left, region.right, g.columns, 0);
    const int64_t top = y.begin(row, g.height);
    const int64_t bottom = y.end(row, g.height);
    const int64_t left = x.begin(column, g.width);
    const int64_t right = x.end(column, g.width);
    if (bottom <= top || right <= left) return;
    const T share = gradients.data[at] / T(static_cast<double>((bottom - top) * (right - left)));
    const int64_t c = channels[static_cast<size_t>(at)];
    T* const image = data + (region.image * g.channels + c) * g.pixels();
    for (int64_t i = top; i < bottom; ++i) {
      for (int64_t j = left; j < right; ++j) add(image + i * g.width + j, share);
    }
  });
  call.results[0].copy_from(result);
}

}  // namespace

void roi_align_backward(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(), [&](auto zero) { align_backward<decltype(zero)>(call); });
}

void roi_pool_backward(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(),
                 [&](auto zero) { largest_backward<decltype(zero)>(call); });
}

void ps_roi_align_backward(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(),
                 [&](auto zero) { align_by_position_backward<decltype(zero)>(call); });
}

void ps_roi_pool_backward(LibraryCall& call) {
  with_step_type(call.tensor(0).dtype(),
                 [&](auto zero) { mean_by_position_backward<decltype(zero)>(call); });
}

}  // namespace litz::kernels
