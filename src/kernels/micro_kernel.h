// The innermost loop of a matrix product, written once and compiled for several instruction sets.
//
// Each source that includes this file is compiled with its own target flags, so everything here has
// internal linkage and uses no library headers: an inline function shared between such objects
// could be linked in its AVX form and run where AVX is missing.

#pragma once

#include "kernels/micro_kernels.h"

namespace litz::kernels {
namespace {

template <typename T, int kBytes>
struct VectorOf {
  using Type __attribute__((vector_size(kBytes))) = T;
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
};

/// See MicroKernel; the tile stays in registers. Unaligned loads go through memcpy builtins, which become single instructions.
template <typename T, int kRows, int kVectors, int kBytes>
void multiply_tile(int64_t depth, const T* a, const T* b, T* c, int64_t stride, bool adds) {
  using Vector = typename VectorOf<T, kBytes>::Type;
  constexpr int kLanes = VectorOf<T, kBytes>::kLanes;
  Vector sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Vector line[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) __builtin_memcpy(&line[v], b + v * kLanes, sizeof(Vector));
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[r][v] += line[v] * a[r];
    }
    a += kRows;
    b += kVectors * kLanes;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      T* const to = c + r * stride + v * kLanes;
      if (adds) {
        Vector old;
        __builtin_memcpy(&old, to, sizeof(Vector));
        sums[r][v] += old;
      }
      __builtin_memcpy(to, &sums[r][v], sizeof(Vector));
    }
  }
}

template <typename T, int kRows, int kVectors, int kBytes>
constexpr MicroKernel<T> micro_kernel() {
  return {kRows, kVectors * VectorOf<T, kBytes>::kLanes, multiply_tile<T, kRows, kVectors, kBytes>};
}

}  // namespace
}  // namespace litz::kernels
