// Turns finished sums of a product into its result: scaled, with the addend, rounded and written
// once.

#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/gemm.h"
#include "types/strided_copy.h"

namespace litz::kernels {

template <typename T>
T factor_value(const Factor& value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.integer);
  } else {
    return static_cast<T>(value.real);
  }
}

/// An epilogue runs on this many rows of a tile at a time, so that they stay in the first-level
/// cache.
inline constexpr int64_t kEpilogueRows = 16;

/// The destination of a tile's rows.
template <typename T>
class TileWriter {
 public:
  explicit TileWriter(const Gemm& gemm)
      : gemm_(gemm),
        dtype_(accumulator_dtype(gemm.accumulator)),
        alpha_(factor_value<T>(gemm.alpha)),
        beta_(factor_value<T>(gemm.beta)) {}

  /// `addend` has room for a line of the tile.
  void write(Range rows, Range columns, T* sums, int64_t width, T* addend) const {
    const int64_t block = gemm_.result.block;
    if (block == 0) return write_block(rows, columns, sums, width, addend);
    const int64_t end = columns.begin + columns.count;
    for (int64_t column = columns.begin; column < end;) {
      const int64_t next = std::min(end, (column / block + 1) * block);
      write_block(rows, {column, next - column}, sums + (column - columns.begin), width, addend);
      column = next;
    }
  }

 private:
  void write_block(Range rows, Range columns, T* sums, int64_t width, T* addend) const {
    const MatrixSlot& to = gemm_.result;
    std::byte* const first = address(to, rows.begin, columns.begin);
    const int64_t row_bytes = to.row_stride * static_cast<int64_t>(item_size(to.dtype));
    for (int64_t i = 0; i < rows.count; ++i) {
      T* const line = sums + i * width;
      if (alpha_ != T{1}) {
        for (int64_t j = 0; j < columns.count; ++j) line[j] *= alpha_;
      }
      if (gemm_.addend != nullptr) add(rows.begin + i, columns, i == 0, line, addend);
      if (to.column_stride == 1) {
        store_line(first + i * row_bytes, line, columns.count);
        const bool is_last = i + 1 == rows.count;
        if (is_last || (i + 1) % kEpilogueRows == 0) {
          const int64_t begin = i / kEpilogueRows * kEpilogueRows;
          finish({rows.begin + begin, i + 1 - begin}, columns);
        }
      }
    }
    if (to.column_stride == 1) return;
    const std::array<int64_t, 2> strides{width, 1};
    const std::array<int64_t, 2> to_strides{to.row_stride, to.column_stride};
    copy_elements({first, to.dtype, to_strides},
                  {reinterpret_cast<const std::byte*>(sums), dtype_, strides},
                  std::array{rows.count, columns.count});
    finish(rows, columns);
  }

  void store_line(std::byte* to, const T* line, int64_t count) const {
    constexpr int64_t kFew = 16;  // Blocks of columns may be windows of nine; a call costs more.
    if (gemm_.result.dtype == dtype_ && count < kFew) {
      for (int64_t j = 0; j < count; ++j, to += sizeof(T)) std::memcpy(to, line + j, sizeof(T));
    } else {
      cast_elements(to, gemm_.result.dtype, reinterpret_cast<const std::byte*>(line), dtype_,
                    count);
    }
  }

  void finish(Range rows, Range columns) const {
    if (gemm_.epilogue == nullptr) return;
    const MatrixSlot& to = gemm_.result;
    gemm_.epilogue->run({.first = address(to, rows.begin, columns.begin),
                         .rows = rows.count,
                         .columns = columns.count,
                         .row_stride = to.row_stride,
                         .column_stride = to.column_stride});
  }

  void add(int64_t row, Range columns, bool is_first, T* line, T* addend) const {
    const MatrixSlot& from = *gemm_.addend;
    const std::byte* const source = address(from, row, columns.begin);
    if (from.column_stride == 0) {
      cast_elements(reinterpret_cast<std::byte*>(addend), dtype_, source, from.dtype, 1);
      const T value = beta_ * addend[0];
      for (int64_t j = 0; j < columns.count; ++j) line[j] += value;
      return;
    }
    const T* values = addend;
    if (from.column_stride == 1 && from.dtype == dtype_) {
      values = reinterpret_cast<const T*>(source);
    } else if (is_first || from.row_stride != 0) {
      const std::array<int64_t, 1> dense{1};
      copy_elements({reinterpret_cast<std::byte*>(addend), dtype_, dense},
                    {source, from.dtype, {&from.column_stride, 1}}, std::array{columns.count});
    }
    for (int64_t j = 0; j < columns.count; ++j) line[j] += beta_ * values[j];
  }

  static std::byte* address(const MatrixSlot& slot, int64_t row, int64_t column) {
    int64_t offset = row * slot.row_stride;
    if (slot.block != 0) {
      offset += column / slot.block * slot.block_stride;
      column %= slot.block;
    }
    return slot.data +
           (offset + column * slot.column_stride) * static_cast<int64_t>(item_size(slot.dtype));
  }

  const Gemm& gemm_;
  DType dtype_;
  T alpha_;
  T beta_;
};

}  // namespace litz::kernels
