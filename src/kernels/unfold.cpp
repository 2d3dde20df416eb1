// Unfolding works on runs of outputs that share all but the last coordinate: whether they meet
// padding is decided once a run, and the rest is a copy.

#include "kernels/unfold.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

int64_t ceil_divide(int64_t a, int64_t b) { return -floor_divide(-a, b); }

/// The input position that output `out` meets, or -1.
int64_t met_by(const WindowGeometry& geometry, int dim, int64_t tap, int64_t out) {
  const Meeting meeting = meet(geometry, dim, tap, out, out + 1);
  return meeting.begin < meeting.end ? meeting.input : -1;
}

}  // namespace

Meeting meet(const WindowGeometry& geometry, int dim, int64_t tap, int64_t begin, int64_t end) {
  const int64_t stride = geometry.stride[dim];
  const int64_t shift = tap * geometry.dilation[dim] - geometry.padding[dim];
  const int64_t size = geometry.input[dim];
  Meeting meeting;
  if (!geometry.transposed) {
    // input = out * stride + shift
    meeting.begin = std::max(begin, ceil_divide(-shift, stride));
    meeting.end =
        std::max(meeting.begin, std::min(end, floor_divide(size - 1 - shift, stride) + 1));
    meeting.input = meeting.begin * stride + shift;
    meeting.input_step = stride;
    return meeting;
  }
  // out = input * stride + shift
  const int64_t first = std::max<int64_t>(0, ceil_divide(begin - shift, stride));
  meeting.input = first;
  meeting.begin = std::max(begin, first * stride + shift);
  meeting.end = std::max(meeting.begin, std::min(end, (size - 1) * stride + shift + 1));
  meeting.step = stride;
  return meeting;
}

template <typename T, typename S>
void UnfoldedPanels::fill_line(int64_t depth, Range lines, T* row) const {
  const Extent& window = geometry_.window;
  const int64_t tap2 = depth % window[2];
  const int64_t tap1 = depth / window[2] % window[1];
  const int64_t tap0 = depth / (window[2] * window[1]) % window[0];
  const int64_t channel = depth / geometry_.window_size();
  const S* plane = reinterpret_cast<const S*>(image_.data) + channel * image_.channel_stride;
  const int64_t row_size = geometry_.output[2];
  std::fill_n(row, lines.count, T{});
  for (int64_t line = lines.begin; line < lines.begin + lines.count;) {
    const int64_t outer = line / row_size;
    const int64_t first = line - outer * row_size;
    const int64_t last = std::min(row_size, first + lines.begin + lines.count - line);
    T* to = row + (line - lines.begin) - first;  // Indexed by the last coordinate.
    line += last - first;
    const int64_t in0 = met_by(geometry_, 0, tap0, outer / geometry_.output[1]);
    const int64_t in1 = met_by(geometry_, 1, tap1, outer % geometry_.output[1]);
    if (in0 < 0 || in1 < 0) continue;
    const Meeting run = meet(geometry_, 2, tap2, first, last);
    const S* from =
        plane + in0 * image_.strides[0] + in1 * image_.strides[1] + run.input * image_.strides[2];
    const int64_t step = run.input_step * image_.strides[2];
    if (step == 1 && run.step == 1) {
      for (int64_t i = run.begin; i < run.end; ++i) to[i] = static_cast<T>(load(*from++));
      continue;
    }
    for (int64_t i = run.begin; i < run.end; i += run.step, from += step) {
      to[i] = static_cast<T>(load(*from));
    }
  }
}

template <typename T, typename S>
void UnfoldedPanels::pack_typed(const UnfoldedPanels& self, Range lines, Range depths, int width,
                                void* panels) {
  constexpr int64_t kChunk = 512;
  std::array<T, kChunk> row;
  T* const base = static_cast<T*>(panels);
  // Whole panels at a time, so that a chunk starts where a panel does.
  const int64_t chunk = kChunk / width * width;
  for (int64_t begin = 0; begin < lines.count; begin += chunk) {
    const int64_t count = std::min(chunk, lines.count - begin);
    const int64_t padded = (count + width - 1) / width * width;
    std::fill(row.begin() + count, row.begin() + padded, T{});
    for (int64_t k = 0; k < depths.count; ++k) {
      self.fill_line<T, S>(depths.begin + k, {lines.begin + begin, count}, row.data());
      for (int64_t i = 0; i < count; i += width) {
        std::memcpy(base + (begin + i) * depths.count + k * width, row.data() + i,
                    static_cast<size_t>(width) * sizeof(T));
      }
    }
  }
}

// After the templates that it names: clang 14 makes no code for those that follow.
UnfoldedPanels::UnfoldedPanels(Accumulator accumulator, const WindowGeometry& geometry, Image image)
    : geometry_(geometry), image_(image) {
  pack_ = visit_dtype(image.dtype, [&]<typename S>() -> PackFn {
    if constexpr (std::is_same_v<S, double>) {
      if (accumulator == Accumulator::f64) return pack_typed<double, S>;
    } else if constexpr (std::is_integral_v<S>) {
      if (accumulator == Accumulator::u64) return pack_typed<uint64_t, S>;
    } else if constexpr (std::is_same_v<S, float> || std::is_same_v<S, Float16> ||
                         std::is_same_v<S, BFloat16>) {
      if (accumulator == Accumulator::f32) return pack_typed<float, S>;
    }
    return nullptr;
  });
  check(pack_ != nullptr,
        "an image must convert to the accumulator of its convolution:", torch_name(image.dtype));
}

void UnfoldedPanels::pack(Range lines, Range depths, int width, void* panels) const {
  pack_(*this, lines, depths, width, panels);
}

}  // namespace litz::kernels
