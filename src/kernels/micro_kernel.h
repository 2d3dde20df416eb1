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

/// See MicroKernel; the tile stays in registers. Panels are kPanelRows and kPanelColumns wide.
/// Unaligned loads use memcpy builtins, which become single instructions.
template <typename T, int kRows, int kVectors, int kBytes, int kPanelRows, int kPanelColumns>
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
    a += kPanelRows;
    b += kPanelColumns;
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

/// kSteps steps of kStep rows, and an even number of vectors.
template <typename T, int kStep, int kSteps, int kVectors, int kBytes>
constexpr MicroKernel<T> micro_kernel() {
  constexpr int kRows = kStep * kSteps;
  constexpr int kHalf = kVectors / 2;
  constexpr int kColumns = kVectors * VectorOf<T, kBytes>::kLanes;
  constexpr int kTwo = kSteps < 2 ? kRows : 2 * kStep;
  constexpr int kThree = kSteps < 3 ? kRows : 3 * kStep;
  return {kRows,
          kColumns,
          kStep,
          {{multiply_tile<T, kStep, kHalf, kBytes, kRows, kColumns>,
            multiply_tile<T, kTwo, kHalf, kBytes, kRows, kColumns>,
            multiply_tile<T, kThree, kHalf, kBytes, kRows, kColumns>,
            multiply_tile<T, kRows, kHalf, kBytes, kRows, kColumns>},
           {multiply_tile<T, kStep, kVectors, kBytes, kRows, kColumns>,
            multiply_tile<T, kTwo, kVectors, kBytes, kRows, kColumns>,
            multiply_tile<T, kThree, kVectors, kBytes, kRows, kColumns>,
            multiply_tile<T, kRows, kVectors, kBytes, kRows, kColumns>}}};
}

}  // namespace
}  // namespace litz::kernels
