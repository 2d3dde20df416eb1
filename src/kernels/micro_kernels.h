// Register tiles of matrix products, chosen once by what the CPU offers.

#pragma once

#include <cstdint>

namespace litz::kernels {

/// Adds a tile: c[r * stride + j] += sum over k < depth of a[k * rows + r] * b[k * columns + j],
/// r < rows, j < columns. `a` and `b` are packed panels.
template <typename T>
struct MicroKernel {
  int rows;
  int columns;
  void (*run)(int64_t depth, const T* a, const T* b, T* c, int64_t stride);
};

/// One instruction set's tiles by accumulator; 64-bit unsigned serves all integers (they wrap).
struct MicroKernels {
  MicroKernel<float> f32;
  MicroKernel<double> f64;
  MicroKernel<uint64_t> u64;
};

MicroKernels portable_micro_kernels();
#if defined(__x86_64__)
MicroKernels avx2_micro_kernels();
MicroKernels avx512_micro_kernels();
#endif

/// The best of this machine.
const MicroKernels& micro_kernels();

}  // namespace litz::kernels
