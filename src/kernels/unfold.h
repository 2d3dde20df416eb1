// Presents the images of a convolution as the columns of a matrix, packed panel by panel and never
// stored whole.

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/panels.h"

namespace litz::kernels {

inline constexpr int kSpatial = 3;
using Extent = std::array<int64_t, kSpatial>;

/// How output positions and window positions map to input positions; missing dimensions have size
/// 1.
struct WindowGeometry {
  Extent input{1, 1, 1};
  Extent output{1, 1, 1};
  Extent window{1, 1, 1};
  Extent stride{1, 1, 1};
  Extent padding{0, 0, 0};
  Extent dilation{1, 1, 1};
  bool transposed = false;

  int64_t window_size() const { return window[0] * window[1] * window[2]; }

  int64_t output_size() const { return output[0] * output[1] * output[2]; }
};

/// Positions `out` of one dimension, begin <= out < end in steps of `step`, that read the input at
/// `input`, input + input_step, ...
struct Meeting {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
  int64_t input = 0;
  int64_t input_step = 1;
};

/// The part of outputs [begin, end) of dimension `dim` that reads the input at window position
/// `tap`; the others read padding (or, transposed, the gaps between inputs).
Meeting meet(const WindowGeometry& geometry, int dim, int64_t tap, int64_t begin, int64_t end);

/// Images, of each the channels of one group.
struct Images {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  int64_t image_stride = 0;
  int64_t channel_stride = 0;
  Extent strides{0, 0, 0};
};

/// Line = (image, output position); depth = (channel, window position).
class UnfoldedPanels final : public PanelSource {
 public:
  UnfoldedPanels(Accumulator accumulator, const WindowGeometry& geometry, Images images);
  void pack(Range lines, Range depths, int width, void* panels) const override;

 private:
  using PackFn = void (*)(const UnfoldedPanels&, Range, Range, int, void*);
  template <typename T, typename S>
  static void pack_typed(const UnfoldedPanels& self, Range lines, Range depths, int width,
                         void* panels);
  template <typename T, typename S>
  void pack_along_outputs(Range lines, Range depths, int width, T* panels) const;
  template <typename T, typename S>
  void pack_along_window(Range lines, Range depths, int width, T* panels) const;
  template <typename T, typename S>
  void fill_line(int64_t line, Range depths, T* row) const;
  /// Lines packed at a time.
  static constexpr int64_t kMostLines = 512;
  struct Run;
  struct Runs;
  void find_runs(int64_t tap, Range lines, Runs& found) const;
  template <typename T, typename S>
  static void fill_row(const S* plane, std::span<const Run> runs, T* row);

  const WindowGeometry& geometry_;
  Images images_;
  PackFn pack_;
};

}  // namespace litz::kernels
