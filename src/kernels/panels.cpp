// Packing of strided matrices.

#include "kernels/panels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

template <typename T, typename S>
T element(S value) {
  return static_cast<T>(load(value));
}

// Lines that are contiguous in memory are transposed in blocks of four by four floats, in
// registers.
using Vector4 __attribute__((vector_size(16))) = float;
constexpr int64_t kBlock = 4;

inline Vector4 load4(const float* from) {
  Vector4 result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

void turn_block(const float* from, int64_t line_stride, float* to, int64_t width) {
  const Vector4 a = load4(from);
  const Vector4 b = load4(from + line_stride);
  const Vector4 c = load4(from + 2 * line_stride);
  const Vector4 d = load4(from + 3 * line_stride);
  const Vector4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Vector4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Vector4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Vector4 turned[] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                            __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                            __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                            __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int64_t k = 0; k < kBlock; ++k) std::memcpy(to + k * width, &turned[k], sizeof(Vector4));
}

/// Packs the lines and depths that divide into blocks.
void turn_lines(const float* source, int64_t line_stride, int64_t lines, int64_t depths, int width,
                float* panel) {
  for (int64_t i = 0; i + kBlock <= lines; i += kBlock) {
    for (int64_t k = 0; k + kBlock <= depths; k += kBlock) {
      turn_block(source + i * line_stride + k, line_stride, panel + k * width + i, width);
    }
  }
}

/// Transposes lines of short floats by conversion to float, a few depths at a time.
template <typename S>
void turn_converted(const S* source, int64_t line_stride, int64_t lines, int64_t depths, int width,
                    float* panel) {
  constexpr int64_t kDepths = 64;
  constexpr int64_t kLines = 64;
  float converted[kLines * kDepths];
  for (int64_t k = 0; k < depths; k += kDepths) {
    const int64_t count = std::min(kDepths, depths - k);
    for (int64_t i = 0; i < lines; ++i) {
      const S* const from = source + i * line_stride + k;
      for (int64_t d = 0; d < count; ++d) converted[i * kDepths + d] = element<float>(from[d]);
    }
    turn_lines(converted, kDepths, lines, count, width, panel + k * width);
  }
}

// Packs one panel. Two of the three strides are usually one, and each case has a contiguous loop.
template <typename T, typename S>
void pack_panel(const S* source, const MatrixLines& matrix, int64_t lines, int64_t depths,
                int width, T* panel) {
  const int64_t line_stride = matrix.line_stride;
  const int64_t depth_stride = matrix.depth_stride;
  if (lines < width) {
    std::fill_n(panel, depths * width, T{});
  }
  if (line_stride == 1) {
    for (int64_t k = 0; k < depths; ++k) {
      const S* from = source + k * depth_stride;
      T* to = panel + k * width;
      for (int64_t i = 0; i < lines; ++i) to[i] = element<T>(from[i]);
    }
    return;
  }
  int64_t turned_lines = 0;
  int64_t turned_depths = 0;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<S, float>) {
    if (depth_stride == 1) {
      turn_lines(source, line_stride, lines, depths, width, panel);
      turned_lines = lines / kBlock * kBlock;
      turned_depths = depths / kBlock * kBlock;
    }
  } else if constexpr (std::is_same_v<T, float>) {
    if (depth_stride == 1 && width <= 64) {
      turn_converted(source, line_stride, lines, depths, width, panel);
      turned_lines = lines / kBlock * kBlock;
      turned_depths = depths / kBlock * kBlock;
    }
  }
  for (int64_t i = 0; i < lines; ++i) {
    const S* from = source + i * line_stride;
    T* to = panel + i;
    const int64_t done = i < turned_lines ? turned_depths : 0;
    for (int64_t k = done; k < depths; ++k) to[k * width] = element<T>(from[k * depth_stride]);
  }
}

template <typename T, typename S>
void pack_lines(const MatrixLines& matrix, Range lines, Range depths, int width, void* panels) {
  const S* const source = reinterpret_cast<const S*>(matrix.data);
  const int64_t block = matrix.block == 0 ? depths.begin + depths.count : matrix.block;
  T* panel = static_cast<T*>(panels);
  for (int64_t i = 0; i < lines.count; i += width) {
    const int64_t count = std::min<int64_t>(width, lines.count - i);
    const S* const first = source + (lines.begin + i) * matrix.line_stride;
    const int64_t end = depths.begin + depths.count;
    for (int64_t depth = depths.begin; depth < end;) {
      const int64_t number = depth / block;
      const int64_t some = std::min(end, (number + 1) * block) - depth;
      const int64_t place =
          number * matrix.block_stride + (depth - number * block) * matrix.depth_stride;
      pack_panel<T, S>(first + place, matrix, count, some, width, panel);
      panel += width * some;
      depth += some;
    }
  }
}

}  // namespace

Accumulator accumulator_of(DType dtype, const char* what) {
  if (dtype == DType::f64) return Accumulator::f64;
  if (is_integer(dtype)) return Accumulator::u64;
  require(dtype == DType::f32 || is_half(dtype), ErrorCode::unsupported,
          "this element type cannot be multiplied as a matrix; cast it first:", what,
          torch_name(dtype));
  return Accumulator::f32;
}

DType accumulator_dtype(Accumulator accumulator) {
  switch (accumulator) {
    case Accumulator::f32:
      return DType::f32;
    case Accumulator::f64:
      return DType::f64;
    case Accumulator::u64:
      return DType::i64;
  }
  fail(ErrorCode::internal, "an accumulator must be one of the enumerators");
}

MatrixPanels::MatrixPanels(Accumulator accumulator, MatrixLines lines) : lines_(lines) {
  pack_ = visit_dtype(lines.dtype, [&]<typename S>() -> PackFn {
    if constexpr (std::is_same_v<S, double>) {
      if (accumulator == Accumulator::f64) return pack_lines<double, S>;
    } else if constexpr (std::is_integral_v<S>) {
      if (accumulator == Accumulator::u64) return pack_lines<uint64_t, S>;
    } else if constexpr (std::is_same_v<S, float> || std::is_same_v<S, Float16> ||
                         std::is_same_v<S, BFloat16>) {
      if (accumulator == Accumulator::f32) return pack_lines<float, S>;
    }
    return nullptr;
  });
  if (pack_ != nullptr) [[likely]]
    return;  // Spares naming the dtype.
  fail(ErrorCode::corrupt,
       "operands of a product must convert to its accumulator:", torch_name(lines.dtype));
}

template <typename T>
void interleave(const T* rows, int64_t lines, int64_t depths, int width, T* panel) {
  pack_panel<T, T>(rows, {.line_stride = depths, .depth_stride = 1}, lines, depths, width, panel);
}

template void interleave(const float*, int64_t, int64_t, int, float*);
template void interleave(const double*, int64_t, int64_t, int, double*);
template void interleave(const uint64_t*, int64_t, int64_t, int, uint64_t*);

void MatrixPanels::pack(Range lines, Range depths, int width, void* panels) const {
  pack_(lines_, lines, depths, width, panels);
}

}  // namespace litz::kernels
