// Register tiles of matrix products, selected once by CPU features.

#pragma once

#include <cstdint>

namespace litz::kernels {

/// Computes a tile: c[r * stride + j] = sum over k < depth of a[k * rows + r] * b[k * columns + j],
/// r < rows, j < columns; adds to the old contents if `adds`. `a` and `b` are packed panels.
template <typename T>
struct MicroKernel {
  using Run = void (*)(int64_t depth, const T* a, const T* b, T* c, int64_t stride, bool adds);

  int rows;
  int columns;
  /// Tiles at the edge of a result may omit rows, in such steps, and half of the columns.
  int row_step;
  Run runs[2][4];  ///< By halves and steps, from one.

  /// Returns the cheapest that computes at least the first `row_count` rows and `column_count`
  /// columns.
  Run run_for(int64_t row_count, int64_t column_count) const {
    const int64_t steps =
        row_count < rows ? (row_count + row_step - 1) / row_step : rows / row_step;
    return runs[column_count * 2 <= columns ? 0 : 1][steps - 1];
  }

  Run run() const { return runs[1][rows / row_step - 1]; }

  /// The rows and columns that are computed for a result of this size.
  double computed(int64_t row_count, int64_t column_count) const {
    const int64_t half = columns / 2;
    const int64_t padded_rows = (row_count + row_step - 1) / row_step * row_step;
    const int64_t padded_columns = (column_count + half - 1) / half * half;
    return static_cast<double>(padded_rows) * static_cast<double>(padded_columns);
  }
};

/// sums[r * sum_stride + i] = sum over d < depth of vectors[r * depth + d] times line i at d.
struct ThinProduct {
  const void* lines = nullptr;
  int64_t line_stride = 0;
  int64_t depth_stride = 0;
  int64_t count = 0;
  int64_t depth = 0;
  const float* vectors = nullptr;
  float* sums = nullptr;
  int64_t sum_stride = 0;
};

/// The most rows or columns of a ThinProduct. Kernels must not divide other products into thin
/// ones, since the order of thin sums follows the layout of the operands.
inline constexpr int kMostThinRows = 4;

/// By the number of vectors, from one.
struct ThinKernels {
  using Run = void (*)(const ThinProduct& product);
  Run along[kMostThinRows];   ///< depth_stride is 1.
  Run across[kMostThinRows];  ///< line_stride is 1.
};

/// Turns scores times `scale` into weights: exp(score - maximum) / sum. A row of minus infinities
/// becomes NaN, or zeros if `safe`.
using SoftmaxRow = void (*)(float* scores, int64_t count, float scale, bool safe);

/// One instruction set's tiles by accumulator; 64-bit unsigned serves all integers (they wrap).
struct MicroKernels {
  MicroKernel<float> f32;
  MicroKernel<double> f64;
  MicroKernel<uint64_t> u64;
  ThinKernels thin_f32;  ///< By the type of the lines; sums are floats.
  ThinKernels thin_bf16;
  SoftmaxRow softmax_row;
};

MicroKernels portable_micro_kernels();
#if defined(__x86_64__)
MicroKernels avx2_micro_kernels();
MicroKernels avx512_micro_kernels();
#endif

/// Returns the best kernels for this machine.
const MicroKernels& micro_kernels();

}  // namespace litz::kernels
