// Two loops for the two layouts: along each line, with parallel partial sums, or across lines.

#include "kernels/line_products.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

constexpr int64_t kLanes = 16;

template <typename T, typename S>
T along_line(const S* line, int64_t stride, int64_t depth, const T* vector) {
  std::array<T, kLanes> partial{};
  int64_t d = 0;
  if (stride == 1) {
    for (; d + kLanes <= depth; d += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        partial[lane] += static_cast<T>(load(line[d + lane])) * vector[d + lane];
      }
    }
  }
  for (; d < depth; ++d) partial[d % kLanes] += static_cast<T>(load(line[d * stride])) * vector[d];
  T sum{};
  for (const T value : partial) sum += value;
  return sum;
}

// Adds up depth in blocks, which bounds rounding errors.
template <typename T, typename S>
void across_lines(const S* data, int64_t depth_stride, int64_t count, int64_t depth,
                  const T* vector, T* sums) {
  constexpr int64_t kLines = 1024;
  constexpr int64_t kDepth = 256;
  std::array<T, kLines> block;
  std::fill_n(sums, count, T{});
  for (int64_t first = 0; first < count; first += kLines) {
    const int64_t width = std::min(kLines, count - first);
    for (int64_t begin = 0; begin < depth; begin += kDepth) {
      std::fill_n(block.data(), width, T{});
      for (int64_t d = begin; d < std::min(depth, begin + kDepth); ++d) {
        const S* row = data + d * depth_stride + first;
        const T factor = vector[d];
        for (int64_t i = 0; i < width; ++i) block[i] += static_cast<T>(load(row[i])) * factor;
      }
      for (int64_t i = 0; i < width; ++i) sums[first + i] += block[i];
    }
  }
}

template <typename T, typename S>
void multiply_typed(const MatrixLines& lines, int64_t count, int64_t depth, const void* vector,
                    void* sums) {
  const S* data = reinterpret_cast<const S*>(lines.data);
  const T* x = static_cast<const T*>(vector);
  T* y = static_cast<T*>(sums);
  if (lines.line_stride == 1 && lines.depth_stride != 1) {
    return across_lines<T, S>(data, lines.depth_stride, count, depth, x, y);
  }
  for (int64_t i = 0; i < count; ++i) {
    y[i] = along_line<T, S>(data + i * lines.line_stride, lines.depth_stride, depth, x);
  }
}

}  // namespace

void multiply_lines(Accumulator accumulator, const MatrixLines& lines, int64_t count, int64_t depth,
                    const void* vector, void* sums) {
  using Multiply = void (*)(const MatrixLines&, int64_t, int64_t, const void*, void*);
  const Multiply multiply = visit_dtype(lines.dtype, [&]<typename S>() -> Multiply {
    if constexpr (std::is_same_v<S, double>) {
      if (accumulator == Accumulator::f64) return multiply_typed<double, S>;
    } else if constexpr (std::is_integral_v<S>) {
      if (accumulator == Accumulator::u64) return multiply_typed<uint64_t, S>;
    } else if constexpr (std::is_same_v<S, float> || std::is_same_v<S, Float16> ||
                         std::is_same_v<S, BFloat16>) {
      if (accumulator == Accumulator::f32) return multiply_typed<float, S>;
    }
    return nullptr;
  });
  require(multiply != nullptr, ErrorCode::corrupt,
          "operands of a product must convert to its accumulator:", torch_name(lines.dtype));
  multiply(lines, count, depth, vector, sums);
}

}  // namespace litz::kernels
