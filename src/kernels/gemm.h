// One matrix product, blocked for caches: result = beta * addend + alpha * left * right.
//
// The depth is summed in blocks, each in registers, so rounding errors grow with the number of
// blocks instead of the depth. The division of rows and columns, also between threads, does not
// change results: every element is summed in the same order.

#pragma once

#include <cstddef>
#include <memory>

#include "kernels/library_context.h"
#include "kernels/panels.h"
#include "kernels/tile_epilogue.h"
#include "types/tensor.h"

namespace litz::kernels {

/// A strided matrix to read or write; strides are in elements.
struct MatrixSlot {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  /// Columns of one block, such as the positions of one image; 0: all columns.
  int64_t block = 0;
  int64_t block_stride = 0;  ///< From the first column of a block to that of the next.
};

/// A factor in the accumulator's arithmetic: `integer` is used for integers only.
struct Factor {
  double real = 1;
  int64_t integer = 1;
};

/// The panels of constants that an earlier product of the same operands packed.
struct KeptPanels {
  const std::byte* left = nullptr;
  const std::byte* right = nullptr;
};

struct Gemm {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  Accumulator accumulator = Accumulator::f32;
  const PanelSource* left = nullptr;
  const PanelSource* right = nullptr;
  bool left_is_constant = false;  ///< As LibraryCall::constants says about the matrix in memory.
  bool right_is_constant = false;
  MatrixSlot result;                   ///< Columns may be in blocks, except in thin products.
  const MatrixSlot* addend = nullptr;  ///< Not read if null; stride 0 broadcasts.
  Factor alpha;
  Factor beta;
  const TileEpilogue* epilogue = nullptr;  ///< Runs on every tile of the result.
  KeptPanels* kept = nullptr;  ///< If not null, filled for later products of these constants.
};

/// Memory that products of one call share, and the pool that divides them. One product at a time.
class GemmWorkspace {
 public:
  /// `pool` may differ from the context's: concurrent products use none.
  GemmWorkspace(LibraryContext* context, ThreadPool* pool) : context_(context), pool_(pool) {}

  explicit GemmWorkspace(LibraryContext* context)
      : GemmWorkspace(context, context == nullptr ? nullptr : context->pool()) {}

  GemmWorkspace(const GemmWorkspace&) = delete;
  GemmWorkspace& operator=(const GemmWorkspace&) = delete;
  ~GemmWorkspace();

  /// Returns at least `bytes`, 64-byte aligned, contents unspecified; valid until the next call for
  /// `slot`.
  void* memory(int slot, size_t bytes);

  LibraryContext* context() const { return context_; }

  ThreadPool* pool() const { return pool_; }

 private:
  static constexpr int kSlots = 4;
  // Small products avoid the context's blocks, for which threads take a lock.
  static constexpr size_t kSmallBytes = 1024;

  LibraryContext* context_;
  ThreadPool* pool_;
  std::shared_ptr<Storage> blocks_[kSlots];
  alignas(64) std::byte small_[kSlots][kSmallBytes];
};

/// The result must not overlap the operands; it may be the addend itself.
void run_gemm(const Gemm& gemm, GemmWorkspace& workspace);

}  // namespace litz::kernels
