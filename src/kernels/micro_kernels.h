// Register tiles of matrix products, chosen once by what the CPU offers.

#pragma once

#include <cstdint>

namespace litz::kernels {

/// Computes a tile: c[r * stride + j] = sum over k < depth of a[k * rows + r] * b[k * columns + j],
/// r < rows, j < columns, added to what is there if `adds`. `a` and `b` are packed panels.
template <typename T>
struct MicroKernel {
  using Run = void (*)(int64_t depth, const T* a, const T* b, T* c, int64_t stride, bool adds);

  int rows;
  int columns;
  /// Tiles at the edge of a result may leave out rows, in such steps, and half of the columns.
  int row_step;
  Run runs[2][4];  ///< By halves and steps, from one.

  /// The cheapest that computes the first `row_count` rows and `column_count` columns at least.
  Run run_for(int64_t row_count, int64_t column_count) const {
    const int64_t steps =
        row_count < rows ? (row_count + row_step - 1) / row_step : rows / row_step;
    return runs[column_count * 2 <= columns ? 0 : 1][steps - 1];
  }

  Run run() const { return runs[1][rows / row_step - 1]; }

  /// Rows and columns that are computed for a result of this size.
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

/// Rows or columns of a product that is computed as a ThinProduct, at most. Kernels divide no product
/// into thin ones that is not thin itself, since its sums would follow the layout of its operands.
inline constexpr int kMostThinRows = 4;

/// By the number of vectors, from one.
struct ThinKernels {
  using Run = void (*)(const ThinProduct& product);
  Run along[kMostThinRows];   ///< depth_stride is 1.
  Run across[kMostThinRows];  ///< line_stride is 1.
};

/// Scores times `scale` become weights: exp(score - largest) / sum. A row of nothing but minus
/// infinity becomes NaN, or zeros where `safe`.
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

/// The best of this machine.
const MicroKernels& micro_kernels();

}  // namespace litz::kernels
