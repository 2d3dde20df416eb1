// Unfolding works on runs of outputs that share all but the last coordinate, or on runs of window
// positions that do, whichever are longer: the window of a weight's gradient is an image, and its outputs
// are few. Whether a run reads padding is decided once, and the rest is a copy.

#include "kernels/unfold.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

int64_t ceil_divide(int64_t a, int64_t b) { return -floor_divide(-a, b); }

/// The input position that output `out` reads, or -1.
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

/// Consecutive outputs that read inputs in equal steps; both positions are relative to a base.
struct UnfoldedPanels::Run {
  int64_t to;
  int64_t to_step;
  int64_t count;
  int64_t from;
  int64_t from_step;
};

/// Runs of one window position, at most one per line. They are refilled for each position, so they
/// need no initialisation.
struct UnfoldedPanels::Runs {
  std::array<Run, kMostLines> runs;
  size_t count = 0;

  std::span<const Run> all() const { return std::span(runs).first(count); }
};

void UnfoldedPanels::find_runs(int64_t tap, Range lines, Runs& found) const {
  const Extent& window = geometry_.window;
  const int64_t tap2 = tap % window[2];
  const int64_t tap1 = tap / window[2] % window[1];
  const int64_t tap0 = tap / (window[2] * window[1]);
  const int64_t row_size = geometry_.output[2];
  found.count = 0;
  for (int64_t line = lines.begin; line < lines.begin + lines.count;) {
    const int64_t outer = line / row_size;
    const int64_t first = line - outer * row_size;
    const int64_t last = std::min(row_size, first + lines.begin + lines.count - line);
    const int64_t to = (line - lines.begin) - first;  // The line with last coordinate zero.
    line += last - first;
    const int64_t plane = outer / geometry_.output[1];
    const int64_t image = plane / geometry_.output[0];
    const int64_t in0 = met_by(geometry_, 0, tap0, plane - image * geometry_.output[0]);
    const int64_t in1 = met_by(geometry_, 1, tap1, outer - plane * geometry_.output[1]);
    if (in0 < 0 || in1 < 0) continue;
    const Meeting run = meet(geometry_, 2, tap2, first, last);
    if (run.begin >= run.end) continue;
    found.runs[found.count++] = {.to = to + run.begin,
                                 .to_step = run.step,
                                 .count = (run.end - run.begin + run.step - 1) / run.step,
                                 .from = image * images_.image_stride + in0 * images_.strides[0] +
                                         in1 * images_.strides[1] + run.input * images_.strides[2],
                                 .from_step = run.input_step * images_.strides[2]};
  }
}

template <typename T, typename S>
void UnfoldedPanels::fill_row(const S* plane, std::span<const Run> runs, T* row) {
  for (const Run& run : runs) {
    const S* const from = plane + run.from;
    T* const to = row + run.to;
    if (run.from_step == 1 && run.to_step == 1) {
      for (int64_t i = 0; i < run.count; ++i) to[i] = static_cast<T>(load(from[i]));
      continue;
    }
    for (int64_t i = 0; i < run.count; ++i) {
      to[i * run.to_step] = static_cast<T>(load(from[i * run.from_step]));
    }
  }
}

/// Copies a row in pieces of `width`, `step` apart; a known size is copied without a call.
template <typename T>
void scatter_row(const T* row, int64_t count, int64_t width, T* to, int64_t step) {
  constexpr int64_t kUsual = 128 / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; i += width, to += step) {
    if (width == kUsual) {
      std::memcpy(to, row + i, 128);
    } else {
      std::memcpy(to, row + i, static_cast<size_t>(width) * sizeof(T));
    }
  }
}

// The overlap of a window position with the image is computed once for all channels.
template <typename T, typename S>
void UnfoldedPanels::pack_along_outputs(Range lines, Range depths, int width, T* panels) const {
  std::array<T, kMostLines> row;
  Runs runs;
  const S* const first = reinterpret_cast<const S*>(images_.data);
  const int64_t window = geometry_.window_size();
  // Chunks are whole panels, so that each starts where a panel does.
  const int64_t chunk = kMostLines / width * width;
  for (int64_t begin = 0; begin < lines.count; begin += chunk) {
    const int64_t count = std::min(chunk, lines.count - begin);
    for (int64_t tap = 0; tap < window; ++tap) {
      find_runs(tap, {lines.begin + begin, count}, runs);
      row.fill(T{});  // Elements outside all runs are padding for every channel.
      const int64_t before = (depths.begin - tap + window - 1) / window;
      for (int64_t channel = std::max<int64_t>(0, before);; ++channel) {
        const int64_t k = channel * window + tap - depths.begin;
        if (k >= depths.count) break;
        fill_row<T, S>(first + channel * images_.channel_stride, runs.all(), row.data());
        scatter_row(row.data(), count, width, panels + begin * depths.count + k * width,
                    depths.count * width);
      }
    }
  }
}

/// The window positions of one dimension that read the input for an output, and where.
struct Taps {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t input = 0;  ///< What position 0 would read.

  bool has(int64_t tap) const { return tap >= begin && tap < end; }
};

Taps taps_of(const WindowGeometry& geometry, int dim, int64_t out) {
  // input = tap * dilation + out * stride - padding
  const int64_t step = geometry.dilation[dim];
  Taps taps;
  taps.input = out * geometry.stride[dim] - geometry.padding[dim];
  taps.begin = std::max<int64_t>(0, ceil_divide(-taps.input, step));
  taps.end =
      std::min(geometry.window[dim], floor_divide(geometry.input[dim] - 1 - taps.input, step) + 1);
  return taps;
}

/// Writes these depths of one line.
template <typename T, typename S>
void UnfoldedPanels::fill_line(int64_t line, Range depths, T* row) const {
  const Extent& out = geometry_.output;
  const Extent& window = geometry_.window;
  const int64_t image = line / (out[0] * out[1] * out[2]);
  const Taps taps0 = taps_of(geometry_, 0, line / (out[1] * out[2]) % out[0]);
  const Taps taps1 = taps_of(geometry_, 1, line / out[2] % out[1]);
  const Taps taps2 = taps_of(geometry_, 2, line % out[2]);
  const S* const first = reinterpret_cast<const S*>(images_.data) + image * images_.image_stride;
  const int64_t step = geometry_.dilation[2] * images_.strides[2];
  const int64_t end = depths.begin + depths.count;
  std::fill_n(row, depths.count, T{});
  for (int64_t outer = depths.begin / window[2]; outer * window[2] < end; ++outer) {
    const int64_t tap1 = outer % window[1];
    const int64_t tap0 = outer / window[1] % window[0];
    if (!taps0.has(tap0) || !taps1.has(tap1)) continue;
    const int64_t depth = outer * window[2];
    const int64_t begin = std::max(taps2.begin, depths.begin - depth);
    const int64_t count = std::min(taps2.end, end - depth) - begin;
    const S* const from = first + outer / (window[1] * window[0]) * images_.channel_stride +
                          (taps0.input + tap0 * geometry_.dilation[0]) * images_.strides[0] +
                          (taps1.input + tap1 * geometry_.dilation[1]) * images_.strides[1] +
                          (taps2.input + begin * geometry_.dilation[2]) * images_.strides[2];
    T* const to = row + (depth + begin - depths.begin);
    if (step == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(load(from[i]));
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(load(from[i * step]));
    }
  }
}

/// Fills the lines of a panel one by one, and interleaves them.
template <typename T, typename S>
void UnfoldedPanels::pack_along_window(Range lines, Range depths, int width, T* panels) const {
  std::array<T, kMostLines * 16> rows;
  const int64_t most = static_cast<int64_t>(rows.size()) / width;
  for (int64_t i = 0; i < lines.count; i += width) {
    const int64_t count = std::min<int64_t>(width, lines.count - i);
    T* const panel = panels + i * depths.count;
    for (int64_t k = 0; k < depths.count; k += most) {
      const Range some{depths.begin + k, std::min(most, depths.count - k)};
      for (int64_t line = 0; line < count; ++line) {
        fill_line<T, S>(lines.begin + i + line, some, rows.data() + line * some.count);
      }
      interleave(rows.data(), count, some.count, width, panel + k * width);
    }
  }
}

template <typename T, typename S>
void UnfoldedPanels::pack_typed(const UnfoldedPanels& self, Range lines, Range depths, int width,
                                void* panels) {
  const WindowGeometry& geometry = self.geometry_;
  if (!geometry.transposed && geometry.window[2] > geometry.output[2]) {
    self.pack_along_window<T, S>(lines, depths, width, static_cast<T*>(panels));
  } else {
    self.pack_along_outputs<T, S>(lines, depths, width, static_cast<T*>(panels));
  }
}

// Must follow the templates that it names: clang 14 generates no code for later ones.
UnfoldedPanels::UnfoldedPanels(Accumulator accumulator, const WindowGeometry& geometry,
                               Images images)
    : geometry_(geometry), images_(images) {
  pack_ = visit_dtype(images.dtype, [&]<typename S>() -> PackFn {
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
  require(pack_ != nullptr, ErrorCode::corrupt,
          "an image must convert to the accumulator of its convolution:", torch_name(images.dtype));
}

void UnfoldedPanels::pack(Range lines, Range depths, int width, void* panels) const {
  pack_(*this, lines, depths, width, panels);
}

}  // namespace litz::kernels
