// Panels: the operands of a matrix product, rearranged so that the inner loop reads contiguously.
//
// An operand is a set of lines (rows of the left matrix, columns of the right one) whose length is
// the depth of the product. A panel interleaves `width` lines: one element of each line per depth.
// Packing also converts to the accumulator's type.

#pragma once

#include <cstdint>

#include "types/dtype.h"

namespace litz::kernels {

/// The type in which products are summed.
enum class Accumulator : uint8_t { f32, f64, u64 };

/// f32 for the short floats, f64 for f64, u64 for integers. Throws Error{unsupported} for bool and
/// complex, naming `what`.
Accumulator accumulator_of(DType dtype, const char* what);
/// The dtype of an accumulator's elements (i64 for u64).
DType accumulator_dtype(Accumulator accumulator);

struct Range {
  int64_t begin = 0;
  int64_t count = 0;
};

/// A strided matrix; strides are in elements.
struct MatrixLines {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  int64_t line_stride = 0;
  int64_t depth_stride = 0;
  /// Depths of one block, such as the window of one channel; 0: all depths.
  int64_t block = 0;
  int64_t block_stride = 0;  ///< From the first depth of a block to that of the next.
};

/// The source of panels: a matrix, or an image that is unfolded while packing.
class PanelSource {
 public:
  virtual ~PanelSource() = default;
  /// Writes the panels of these lines and depths, one after another; missing lines of the last
  /// panel become zero. `panels` has the accumulator's type.
  virtual void pack(Range lines, Range depths, int width, void* panels) const = 0;

  /// The matrix in memory; null if it is generated or its depths are in blocks.
  virtual const MatrixLines* matrix() const { return nullptr; }
};

/// Packs rows, one behind another, as one panel. Lines that are missing become zero.
/// For the types of accumulators.
template <typename T>
void interleave(const T* rows, int64_t lines, int64_t depths, int width, T* panel);

class MatrixPanels final : public PanelSource {
 public:
  MatrixPanels(Accumulator accumulator, MatrixLines lines);
  void pack(Range lines, Range depths, int width, void* panels) const override;

  const MatrixLines* matrix() const override { return lines_.block == 0 ? &lines_ : nullptr; }

  /// Returns the same lines at another address.
  MatrixPanels at(const std::byte* data) const {
    MatrixPanels panels = *this;
    panels.lines_.data = data;
    return panels;
  }

 private:
  using PackFn = void (*)(const MatrixLines&, Range, Range, int, void*);
  MatrixLines lines_;
  PackFn pack_;
};

}  // namespace litz::kernels
