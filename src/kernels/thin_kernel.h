// Loops for a few vectors times a matrix that is read once, written once for all instruction sets.
//
// Like micro_kernel.h: compiled with each source's target flags, internal linkage, no library
// headers.

#pragma once

#include "kernels/micro_kernel.h"

namespace litz::kernels {
namespace {

/// kBytes / 4 floats from elements of type S.
template <typename S, int kBytes>
struct FloatLoader;

template <int kBytes>
struct FloatLoader<float, kBytes> {
  using Vector = typename VectorOf<float, kBytes>::Type;

  static Vector load(const float* from) {
    Vector result;
    __builtin_memcpy(&result, from, sizeof(result));
    return result;
  }

  static float one(const float* from) { return *from; }
};

/// uint16_t: the upper halves of floats (bfloat16).
template <int kBytes>
struct FloatLoader<uint16_t, kBytes> {
  using Vector = typename VectorOf<float, kBytes>::Type;
  using Halves = typename VectorOf<uint16_t, kBytes / 2>::Type;
  using Words = typename VectorOf<uint32_t, kBytes>::Type;

  static Vector load(const uint16_t* from) {
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof(halves));
    const Words words = __builtin_convertvector(halves, Words) << 16;
    Vector result;
    __builtin_memcpy(&result, &words, sizeof(result));
    return result;
  }

  static float one(const uint16_t* from) {
    const uint32_t word = static_cast<uint32_t>(*from) << 16;
    float result;
    __builtin_memcpy(&result, &word, sizeof(result));
    return result;
  }
};

/// Dot products of kLines lines with every vector, kParts vectors wide.
template <typename S, int kRows, int kLines, int kParts, int kBytes>
void multiply_lines_along(const ThinProduct& p, int64_t line) {
  using Loader = FloatLoader<S, kBytes>;
  using Vector = typename Loader::Vector;
  constexpr int kLanes = VectorOf<float, kBytes>::kLanes;
  const S* const from = static_cast<const S*>(p.lines) + line * p.line_stride;
  Vector sums[kLines][kRows][kParts] = {};
  int64_t k = 0;
  for (; k + kParts * kLanes <= p.depth; k += kParts * kLanes) {
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
      Vector vectors[kRows];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        vectors[r] = FloatLoader<float, kBytes>::load(p.vectors + r * p.depth + k + part * kLanes);
      }
#pragma GCC unroll 4
      for (int i = 0; i < kLines; ++i) {
        const Vector values = Loader::load(from + i * p.line_stride + k + part * kLanes);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sums[i][r][part] += values * vectors[r];
      }
    }
  }
  // Unrolled, so that the sums above stay in registers.
#pragma GCC unroll 4
  for (int i = 0; i < kLines; ++i) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      Vector all = sums[i][r][0];
#pragma GCC unroll 4
      for (int part = 1; part < kParts; ++part) all += sums[i][r][part];
      float sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += all[lane];
      for (int64_t d = k; d < p.depth; ++d) {
        sum += Loader::one(from + i * p.line_stride + d) * p.vectors[r * p.depth + d];
      }
      p.sums[r * p.sum_stride + line + i] = sum;
    }
  }
}

/// Lines that are contiguous in memory. All vectors together exceed the first-level cache, so
/// several lines use them at a time; a line's sum does not depend on its neighbours.
template <typename S, int kRows, int kBytes>
void multiply_along(const ThinProduct& p) {
  constexpr int kLines = kRows == 1 ? 1 : kBytes == 64 ? 4 : 2;
  constexpr int kParts = kRows == 1 ? 4 : kRows == 2 ? 2 : 1;
  int64_t line = 0;
  for (; line + kLines <= p.count; line += kLines) {
    multiply_lines_along<S, kRows, kLines, kParts, kBytes>(p, line);
  }
  for (; line < p.count; ++line) multiply_lines_along<S, kRows, 1, kParts, kBytes>(p, line);
}

/// Adds `kDepths` depths of `width` lines to the sums at `to`.
template <typename S, int kRows, int kDepths, int kBytes>
void add_across(const ThinProduct& p, const S* from, const float* vectors, float* to,
                int64_t to_stride, int64_t width) {
  using Loader = FloatLoader<S, kBytes>;
  using Vector = typename Loader::Vector;
  constexpr int kLanes = VectorOf<float, kBytes>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    Vector values[kDepths];
#pragma GCC unroll 4
    for (int d = 0; d < kDepths; ++d) values[d] = Loader::load(from + d * p.depth_stride + i);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      Vector sum = FloatLoader<float, kBytes>::load(to + r * to_stride + i);
#pragma GCC unroll 4
      for (int d = 0; d < kDepths; ++d) sum += values[d] * vectors[r * p.depth + d];
      __builtin_memcpy(to + r * to_stride + i, &sum, sizeof(sum));
    }
  }
  for (; i < width; ++i) {
    for (int r = 0; r < kRows; ++r) {
      float sum = to[r * to_stride + i];
      for (int d = 0; d < kDepths; ++d) {
        sum += Loader::one(from + d * p.depth_stride + i) * vectors[r * p.depth + d];
      }
      to[r * to_stride + i] = sum;
    }
  }
}

/// Depths that are contiguous in memory: adds scaled copies, in blocks of depth, which bound
/// rounding errors, and of lines whose sums stay in the first-level cache.
template <typename S, int kRows, int kBytes>
void multiply_across(const ThinProduct& p) {
  constexpr int64_t kLines = 1024;
  constexpr int64_t kDepth = 256;
  constexpr int kTogether = 4;
  float block[kRows * kLines];
  for (int64_t first = 0; first < p.count; first += kLines) {
    const int64_t width = p.count - first < kLines ? p.count - first : kLines;
    const S* const lines = static_cast<const S*>(p.lines) + first;
    for (int64_t begin = 0; begin < p.depth; begin += kDepth) {
      const int64_t end = p.depth - begin < kDepth ? p.depth : begin + kDepth;
      __builtin_memset(block, 0, sizeof(block));
      int64_t d = begin;
      for (; d + kTogether <= end; d += kTogether) {
        add_across<S, kRows, kTogether, kBytes>(p, lines + d * p.depth_stride, p.vectors + d, block,
                                                kLines, width);
      }
      for (; d < end; ++d) {
        add_across<S, kRows, 1, kBytes>(p, lines + d * p.depth_stride, p.vectors + d, block, kLines,
                                        width);
      }
      for (int r = 0; r < kRows; ++r) {
        float* const sums = p.sums + r * p.sum_stride + first;
        const float* const from = block + r * kLines;
        for (int64_t i = 0; i < width; ++i) sums[i] = begin > 0 ? sums[i] + from[i] : from[i];
      }
    }
  }
}

template <typename S, int kBytes>
constexpr ThinKernels thin_kernels() {
  return {{multiply_along<S, 1, kBytes>, multiply_along<S, 2, kBytes>, multiply_along<S, 3, kBytes>,
           multiply_along<S, 4, kBytes>},
          {multiply_across<S, 1, kBytes>, multiply_across<S, 2, kBytes>,
           multiply_across<S, 3, kBytes>, multiply_across<S, 4, kBytes>}};
}

}  // namespace
}  // namespace litz::kernels
