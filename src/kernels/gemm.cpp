// Loops around the register tile. All threads together pack the operands in stretches that fit the
// caches; then they divide the tiles of the result. A tile stays in the second-level cache until
// its sums are complete, and is written to the result once.

#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/micro_kernels.h"
#include "kernels/thin_product.h"
#include "kernels/tile_writer.h"

namespace litz::kernels {
namespace {

// A panel of the right operand at one depth block: stays in the first-level cache.
constexpr int64_t kPanelBytes = 24 * 1024;
// Bytes that a thread packs at a time. Right panels are read repeatedly from the second-level
// cache. Left ones are fetched into it by depth block, so more of them can wait in the last level.
constexpr int64_t kRightBytes = int64_t{1} << 20;
constexpr int64_t kLeftBytes = int64_t{4} << 20;
// Bytes of a constant that a thread packs before that part of the original is released. Smaller
// pieces lower the peak of memory, but make more system calls; gpt2 peaks at 540 MB instead of 731.
constexpr int64_t kReleasedBytes = int64_t{8} << 20;
// The sums of a tile and the left panels of a depth block also stay there. There are many rows, so
// that right panels, often constants in far memory, are read once for all of them.
constexpr int64_t kTileRowPanels = 16;
constexpr int64_t kTileColumnPanels = 8;
// Tasks of a thread that packs: others can take over from one whose processor is busy.
constexpr int64_t kPackTasks = 4;

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

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

/// Lines of an operand as panels, for every depth block one after another.
template <typename T>
struct Packed {
  const T* panels = nullptr;
  Range lines;
  int64_t padded = 0;  ///< Lines with those that fill the last panel.

  /// The panel that starts with this line, at a block of depths.
  const T* panel(int64_t line, Range depths) const {
    return panels + padded * depths.begin + (line - lines.begin) * depths.count;
  }
};

template <typename T>
class Product {
 public:
  Product(const Gemm& gemm, GemmWorkspace& workspace)
      : gemm_(gemm),
        workspace_(workspace),
        kernel_(kernel_for<T>()),
        writer_(gemm),
        depth_block_(kPanelBytes / static_cast<int64_t>(kernel_.columns * sizeof(T))) {
    const double steps = static_cast<double>(gemm.rows) * static_cast<double>(gemm.columns) *
                         static_cast<double>(gemm.depth);
    threads_ = threads_for_steps(workspace.pool(), steps);
    if (threads_ > 1) pool_ = workspace.pool();
  }

  void run() {
    const bool keeps_left = keeps(gemm_.left, gemm_.left_is_constant);
    const bool keeps_right = keeps(gemm_.right, gemm_.right_is_constant);
    const int64_t rows = keeps_left ? gemm_.rows : stretch(gemm_.rows, kernel_.rows, kLeftBytes);
    const int64_t columns =
        keeps_right ? gemm_.columns : stretch(gemm_.columns, kernel_.columns, kRightBytes);
    allocate(keeps_left ? 0 : rows, keeps_right ? 0 : columns);
    Packed<T> left;
    Packed<T> right;
    KeptPanels* const known = gemm_.kept;
    if (keeps_left) {
      left = kept(*gemm_.left, gemm_.rows, kernel_.rows, known ? &known->left : nullptr);
    }
    if (keeps_right) {
      right = kept(*gemm_.right, gemm_.columns, kernel_.columns, known ? &known->right : nullptr);
    }
    const bool packs_left_once = !keeps_left && rows >= gemm_.rows;
    if (packs_left_once) left = packed(*gemm_.left, {0, gemm_.rows}, kernel_.rows, left_memory_);
    for (int64_t column = 0; column < gemm_.columns; column += columns) {
      const Range part{column, std::min(columns, gemm_.columns - column)};
      if (!keeps_right) right = packed(*gemm_.right, part, kernel_.columns, right_memory_);
      for (int64_t row = 0; row < gemm_.rows; row += rows) {
        const Range some{row, std::min(rows, gemm_.rows - row)};
        if (!keeps_left && !packs_left_once) {
          left = packed(*gemm_.left, some, kernel_.rows, left_memory_);
        }
        multiply(left, right, some, part);
      }
    }
  }

 private:
  bool keeps(const PanelSource* source, bool is_constant) const {
    return is_constant && workspace_.context() != nullptr && source->matrix() != nullptr;
  }

  // The number of lines of an operand that are packed at a time.
  int64_t stretch(int64_t lines, int64_t width, int64_t bytes) const {
    const int64_t depth_bytes = std::max<int64_t>(gemm_.depth, 1) * static_cast<int64_t>(sizeof(T));
    const int64_t least = kTileColumnPanels * width;
    const int64_t most = std::max(least, bytes / depth_bytes) * threads_;
    return std::min(lines, round_up(most, width));
  }

  T* memory(int slot, int64_t count) {
    return static_cast<T*>(
        workspace_.memory(slot, static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(T)));
  }

  void allocate(int64_t left_lines, int64_t right_lines) {
    if (left_lines > 0) left_memory_ = memory(0, round_up(left_lines, kernel_.rows) * gemm_.depth);
    if (right_lines > 0) {
      right_memory_ = memory(1, round_up(right_lines, kernel_.columns) * gemm_.depth);
    }
    tile_size_ = kTileRowPanels * kernel_.rows * kTileColumnPanels * kernel_.columns;
    addend_size_ = kTileColumnPanels * kernel_.columns;
    tiles_ = memory(2, threads_ * (tile_size_ + addend_size_));
  }

  template <typename F>
  void for_depth_blocks(F&& f) const {
    for (int64_t depth = 0; depth < gemm_.depth; depth += depth_block_) {
      f(Range{depth, std::min(depth_block_, gemm_.depth - depth)});
    }
  }

  Packed<T> packed(const PanelSource& source, Range lines, int width, T* to) const {
    return pack_part(source, {to, lines, round_up(lines.count, width)}, lines, width, to);
  }

  // Some of the lines of `all`, beginning at a panel.
  Packed<T> pack_part(const PanelSource& source, const Packed<T>& all, Range part, int width,
                      T* to) const {
    const int64_t panels = divide_up(part.count, width);
    const int64_t chunks = std::min(panels, threads_ == 1 ? 1 : threads_ * kPackTasks);
    run_chunks(pool_, chunks, [&](int64_t chunk) {
      const int64_t begin = chunk_begin(panels, chunks, chunk) * width;
      const int64_t end = std::min(chunk_begin(panels, chunks, chunk + 1) * width, part.count);
      const Range some{part.begin + begin, end - begin};
      for_depth_blocks([&](Range depths) {
        source.pack(some, depths, width,
                    to + all.padded * depths.begin + (some.begin - all.lines.begin) * depths.count);
      });
    });
    return all;
  }

  Packed<T> kept(const PanelSource& source, int64_t lines, int width,
                 const std::byte** known) const {
    const MatrixLines& matrix = *source.matrix();
    const int64_t padded = round_up(lines, width);
    if (known != nullptr && *known != nullptr) {
      return {reinterpret_cast<const T*>(*known), {0, lines}, padded};
    }
    const std::byte* const panels = workspace_.context()->packed(
        {reinterpret_cast<int64_t>(matrix.data), static_cast<int64_t>(matrix.dtype),
         matrix.line_stride, matrix.depth_stride, lines, gemm_.depth, width, depth_block_,
         static_cast<int64_t>(gemm_.accumulator)},
        static_cast<size_t>(std::max<int64_t>(padded * gemm_.depth, 1)) * sizeof(T),
        [&](std::byte* to) {
          const Packed<T> all{nullptr, {0, lines}, padded};
          pack_and_release(source, all, width, reinterpret_cast<T*>(to));
        });
    if (known != nullptr) *known = panels;
    return {reinterpret_cast<const T*>(panels), {0, lines}, padded};
  }

  // Releases the original piece by piece, so that a large matrix never exists twice.
  void pack_and_release(const PanelSource& source, const Packed<T>& all, int width, T* to) const {
    const MatrixLines& matrix = *source.matrix();
    const int64_t lines = all.lines.count;
    const bool lines_follow = matrix.line_stride >= matrix.depth_stride * gemm_.depth;
    const int64_t step = lines_follow ? stretch(lines, width, kReleasedBytes) : lines;
    for (int64_t line = 0; line < lines; line += step) {
      const Range part{line, std::min(step, lines - line)};
      pack_part(source, all, part, width, to);
      const int64_t elements = storage_span(std::array{part.count, gemm_.depth},
                                            std::array{matrix.line_stride, matrix.depth_stride}, 0);
      const auto item = static_cast<int64_t>(item_size(matrix.dtype));
      workspace_.context()->release(
          {matrix.data + line * matrix.line_stride * item, static_cast<size_t>(elements * item)});
    }
  }

  // Tiles have equal sizes, and their number is a multiple of the threads if it is large enough.
  // Tiles of a thread share columns, which are often read from far memory.
  void multiply(const Packed<T>& left, const Packed<T>& right, Range rows, Range columns) {
    const int64_t row_panels = divide_up(rows.count, kernel_.rows);
    const int64_t column_panels = divide_up(columns.count, kernel_.columns);
    int64_t row_tiles = divide_up(row_panels, kTileRowPanels);
    int64_t column_tiles = divide_up(column_panels, kTileColumnPanels);
    if (row_tiles * column_tiles % threads_ != 0) {
      const int64_t more_columns = round_up(column_tiles, threads_);
      const int64_t more_rows = round_up(row_tiles, threads_);
      if (more_columns <= column_panels) {
        column_tiles = more_columns;
      } else if (more_rows <= row_panels) {
        row_tiles = more_rows;
      } else {
        column_tiles = column_panels;
      }
    }
    const auto run_tile = [&](int64_t tile, int64_t thread) {
      T* const sums = tiles_ + thread * (tile_size_ + addend_size_);
      const Range tile_rows = lines_of(rows, row_panels, kernel_.rows, row_tiles, tile % row_tiles);
      const Range tile_columns =
          lines_of(columns, column_panels, kernel_.columns, column_tiles, tile / row_tiles);
      multiply_tile(left, right, tile_rows, tile_columns, sums);
    };
    const int64_t tiles = row_tiles * column_tiles;
    if (pool_ != nullptr) return pool_->parallel_by_thread(tiles, threads_, run_tile);
    for (int64_t tile = 0; tile < tiles; ++tile) run_tile(tile, 0);
  }

  static Range lines_of(Range all, int64_t panels, int64_t width, int64_t tiles, int64_t tile) {
    const int64_t begin = chunk_begin(panels, tiles, tile) * width;
    const int64_t end = std::min(chunk_begin(panels, tiles, tile + 1) * width, all.count);
    return {all.begin + begin, end - begin};
  }

  void multiply_tile(const Packed<T>& left, const Packed<T>& right, Range rows, Range columns,
                     T* sums) const {
    const int64_t width = round_up(columns.count, kernel_.columns);
    if (gemm_.depth == 0) std::fill_n(sums, round_up(rows.count, kernel_.rows) * width, T{});
    for_depth_blocks([&](Range depths) {
      for (int64_t j = 0; j < columns.count; j += kernel_.columns) {
        const T* const b = right.panel(columns.begin + j, depths);
        for (int64_t i = 0; i < rows.count; i += kernel_.rows) {
          kernel_.run_for(rows.count - i, columns.count - j)(
              depths.count, left.panel(rows.begin + i, depths), b, sums + i * width + j, width,
              depths.begin > 0);
        }
      }
    });
    writer_.write(rows, columns, sums, width, sums + tile_size_);
  }

  const Gemm& gemm_;
  GemmWorkspace& workspace_;
  const MicroKernel<T>& kernel_;
  TileWriter<T> writer_;
  int64_t depth_block_;
  ThreadPool* pool_ = nullptr;
  int64_t threads_ = 1;
  int64_t tile_size_ = 0;
  int64_t addend_size_ = 0;
  T* left_memory_ = nullptr;
  T* right_memory_ = nullptr;
  T* tiles_ = nullptr;  ///< One per thread, each with a line of the addend.
};

MatrixSlot transposed(MatrixSlot slot) {
  std::swap(slot.row_stride, slot.column_stride);
  return slot;
}

// Computes the transposed product.
template <typename T>
void run_turned(const Gemm& gemm, GemmWorkspace& workspace) {
  Gemm turned = gemm;
  std::swap(turned.rows, turned.columns);
  std::swap(turned.left, turned.right);
  std::swap(turned.left_is_constant, turned.right_is_constant);
  turned.result = transposed(gemm.result);
  MatrixSlot addend;
  if (gemm.addend != nullptr) {
    addend = transposed(*gemm.addend);
    turned.addend = &addend;
  }
  KeptPanels kept;
  if (gemm.kept != nullptr) {
    kept = {gemm.kept->right, gemm.kept->left};
    turned.kept = &kept;
  }
  Product<T>(turned, workspace).run();
  if (gemm.kept != nullptr) *gemm.kept = {kept.right, kept.left};
}

// Lines of a tile run along the result's memory, unless the other direction wastes much less work
// at the edges: writes across memory are soon worth it if the depth is large.
template <typename T>
void run_typed(const Gemm& gemm, GemmWorkspace& workspace) {
  if (gemm.result.block != 0) return Product<T>(gemm, workspace).run();
  const bool is_turned = gemm.result.column_stride != 1 && gemm.result.row_stride == 1;
  const double straight = kernel_for<T>().computed(gemm.rows, gemm.columns);
  const double turned = kernel_for<T>().computed(gemm.columns, gemm.rows);
  const double along = is_turned ? turned : straight;
  const double across = is_turned ? straight : turned;
  const bool prefers_across = gemm.depth >= 256 && across < 0.9 * along;
  if (is_turned != prefers_across) {
    run_turned<T>(gemm, workspace);
  } else {
    Product<T>(gemm, workspace).run();
  }
}

}  // namespace

GemmWorkspace::~GemmWorkspace() {
  if (context_ == nullptr) return;
  for (std::shared_ptr<Storage>& block : blocks_) {
    if (block != nullptr) context_->give_back(std::move(block));
  }
}

void* GemmWorkspace::memory(int slot, size_t bytes) {
  std::shared_ptr<Storage>& block = blocks_[slot];
  if (block == nullptr && bytes <= kSmallBytes) return small_[slot];
  if (block == nullptr || block->size() < bytes) {
    if (context_ == nullptr) {
      block = nullptr;  // Before the larger one is made, to keep the peak low.
      block = Storage::allocate_uninitialized(bytes);
    } else {
      if (block != nullptr) context_->give_back(std::move(block));
      block = context_->take_scratch(bytes);
    }
  }
  return block->mutable_data();
}

void run_gemm(const Gemm& gemm, GemmWorkspace& workspace) {
  if (gemm.rows == 0 || gemm.columns == 0 || run_thin_product(gemm, workspace)) return;
  switch (gemm.accumulator) {
    case Accumulator::f32:
      return run_typed<float>(gemm, workspace);
    case Accumulator::f64:
      return run_typed<double>(gemm, workspace);
    case Accumulator::u64:
      return run_typed<uint64_t>(gemm, workspace);
  }
}

}  // namespace litz::kernels
