// Loops around the register tile. Outermost come blocks of columns whose panels for the whole depth
// fit the outer cache; then blocks of rows; innermost the depth, so sums stay in one small block.

#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/micro_kernels.h"
#include "support/check.h"
#include "types/strided_copy.h"

namespace litz::kernels {
namespace {

constexpr int64_t kRightPanelElements = int64_t{1} << 20;
constexpr int64_t kMaxColumns = 512;
constexpr int64_t kRowsTarget = 96;
// A panel of the right operand at one depth block: stays in the first-level cache.
constexpr int64_t kPanelBytes = 24 * 1024;

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

template <typename T>
const MicroKernel<T>& kernel_for();

template <>
const MicroKernel<float>& kernel_for<float>() {
  return micro_kernels().f32;
}

template <>
const MicroKernel<double>& kernel_for<double>() {
  return micro_kernels().f64;
}

template <>
const MicroKernel<uint64_t>& kernel_for<uint64_t>() {
  return micro_kernels().u64;
}

template <typename T>
T factor(const Factor& value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.integer);
  } else {
    return static_cast<T>(value.real);
  }
}

template <typename T>
class Product {
 public:
  Product(const Gemm& gemm, GemmWorkspace& workspace)
      : gemm_(gemm),
        workspace_(workspace),
        kernel_(kernel_for<T>()),
        depth_block_(kPanelBytes / static_cast<int64_t>(kernel_.columns * sizeof(T))),
        row_block_(round_up(std::min(gemm.rows, kRowsTarget), kernel_.rows)),
        column_block_(choose_columns()) {}

  void run() {
    const int64_t depth = std::max<int64_t>(gemm_.depth, 1);
    right_ = memory(0, column_block_ * depth);
    left_ = memory(1, row_block_ * std::min(depth, depth_block_));
    sums_ = memory(2, row_block_ * column_block_);
    if (gemm_.addend != nullptr) addend_ = memory(3, row_block_ * column_block_);
    for (int64_t column = 0; column < gemm_.columns; column += column_block_) {
      columns_ = {column, std::min(column_block_, gemm_.columns - column)};
      pack_right();
      for (int64_t row = 0; row < gemm_.rows; row += row_block_) {
        multiply({row, std::min(row_block_, gemm_.rows - row)});
      }
    }
  }

 private:
  T* memory(int slot, int64_t count) {
    return static_cast<T*>(workspace_.memory(slot, static_cast<size_t>(count) * sizeof(T)));
  }

  int64_t choose_columns() const {
    const int64_t by_memory = kRightPanelElements / std::max<int64_t>(gemm_.depth, 1);
    const int64_t most = std::clamp<int64_t>(by_memory, kernel_.columns * 2, kMaxColumns);
    return round_up(std::min(gemm_.columns, most / kernel_.columns * kernel_.columns),
                    kernel_.columns);
  }

  // Depth blocks one after the other, so that each is contiguous.
  void pack_right() {
    T* to = right_;
    const int64_t width = round_up(columns_.count, kernel_.columns);
    for (int64_t depth = 0; depth < gemm_.depth; depth += depth_block_) {
      const int64_t count = std::min(depth_block_, gemm_.depth - depth);
      gemm_.right->pack(columns_, {depth, count}, kernel_.columns, to);
      to += width * count;
    }
  }

  void multiply(Range rows) {
    const int64_t width = round_up(columns_.count, kernel_.columns);
    std::fill_n(sums_, round_up(rows.count, kernel_.rows) * width, T{});
    const T* right = right_;
    for (int64_t depth = 0; depth < gemm_.depth; depth += depth_block_) {
      const int64_t count = std::min(depth_block_, gemm_.depth - depth);
      gemm_.left->pack(rows, {depth, count}, kernel_.rows, left_);
      for (int64_t j = 0; j < columns_.count; j += kernel_.columns) {
        for (int64_t i = 0; i < rows.count; i += kernel_.rows) {
          kernel_.run(count, left_ + i * count, right + j * count, sums_ + i * width + j, width);
        }
      }
      right += width * count;
    }
    finish(rows, width);
  }

  void finish(Range rows, int64_t width) {
    const std::array<int64_t, 2> sizes{rows.count, columns_.count};
    const std::array<int64_t, 2> strides{width, 1};
    const DType dtype = accumulator_dtype(gemm_.accumulator);
    const T alpha = factor<T>(gemm_.alpha);
    const int64_t count = rows.count * width;
    if (alpha != T{1}) {
      for (int64_t i = 0; i < count; ++i) sums_[i] *= alpha;
    }
    if (gemm_.addend != nullptr) {
      const MatrixSlot& from = *gemm_.addend;
      const std::array<int64_t, 2> from_strides{from.row_stride, from.column_stride};
      copy_elements({reinterpret_cast<std::byte*>(addend_), dtype, strides},
                    {address(from, rows), from.dtype, from_strides}, sizes);
      const T beta = factor<T>(gemm_.beta);
      for (int64_t i = 0; i < rows.count; ++i) {
        for (int64_t j = 0; j < columns_.count; ++j) {
          sums_[i * width + j] += beta * addend_[i * width + j];
        }
      }
    }
    const MatrixSlot& to = gemm_.result;
    const std::array<int64_t, 2> to_strides{to.row_stride, to.column_stride};
    copy_elements({address(to, rows), to.dtype, to_strides},
                  {reinterpret_cast<const std::byte*>(sums_), dtype, strides}, sizes);
  }

  std::byte* address(const MatrixSlot& slot, Range rows) const {
    return slot.data + (rows.begin * slot.row_stride + columns_.begin * slot.column_stride) *
                           item_size(slot.dtype);
  }

  const Gemm& gemm_;
  GemmWorkspace& workspace_;
  const MicroKernel<T>& kernel_;
  int64_t depth_block_;
  int64_t row_block_;
  int64_t column_block_;
  Range columns_;
  T* right_ = nullptr;
  T* left_ = nullptr;
  T* sums_ = nullptr;
  T* addend_ = nullptr;
};

}  // namespace

void* GemmWorkspace::memory(int slot, size_t bytes) {
  std::shared_ptr<Storage>& block = blocks_[slot];
  if (block == nullptr || block->size() < bytes) {
    block = nullptr;  // Before the larger one is made, to keep the peak low.
    block = Storage::allocate_uninitialized(bytes);
  }
  return block->mutable_data();
}

void run_gemm(const Gemm& gemm, GemmWorkspace& workspace) {
  if (gemm.rows == 0 || gemm.columns == 0) return;
  switch (gemm.accumulator) {
    case Accumulator::f32:
      return Product<float>(gemm, workspace).run();
    case Accumulator::f64:
      return Product<double>(gemm, workspace).run();
    case Accumulator::u64:
      return Product<uint64_t>(gemm, workspace).run();
  }
}

}  // namespace litz::kernels
