// Runs a compiled epilogue on tiles that a library call wrote.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "artifact/kernel_abi.h"
#include "artifact/launch_list.h"
#include "expr/expr.h"
#include "kernels/tile_epilogue.h"

namespace litz::runtime {

/// The position of a tile in the result follows from its address, so tiles may have any shape. Each
/// is divided into rectangles in which every buffer has one step per row.
class TileRunner final : public kernels::TileEpilogue {
 public:
  /// `function` is the only phase of `code`.
  TileRunner(const artifact::EpilogueLaunch& launch, const artifact::KernelCode& code,
             artifact::KernelFunction function, const Bindings& symbols);

  /// The scalars that do not depend on the tile, in the order of `set_values`.
  std::span<const Expr> values() const { return values_; }

  /// Re-evaluates sizes and strides.
  void set_sizes(const Bindings& symbols);
  /// Sets the values of values() for later runs.
  void set_values(std::span<const int64_t> values);
  /// Sets the address of element 0 of each buffer for later runs.
  void place(std::span<std::byte* const> addresses);
  void run(const kernels::ResultTile& tile) const override;

 private:
  static constexpr size_t kMostBuffers = 48;
  static constexpr size_t kMostScalars = 96;
  static constexpr size_t kMostLoops = 16;

  struct Buffer {
    std::byte* base = nullptr;
    int64_t item = 1;
    std::vector<int64_t> steps;  ///< Elements, by loop.
    Sizes strides;               ///< The strides that `steps` come from.
  };

  enum class Meaning : uint8_t { value, rows, columns, row_stride };

  struct Scalar {
    Meaning meaning = Meaning::value;
    int64_t value = 0;  ///< The value, or the number of a buffer.
  };

  /// Digits of an address in the result, or of a step: one per loop.
  using Digits = int64_t[kMostLoops];

  struct Rectangle {
    int64_t address = 0;  ///< Of its first element, in elements of the result.
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t row_step = 0;
  };

  bool follow_memory() const;
  void digits_of(int64_t number, Digits& digits) const;
  void run_lines(Rectangle rectangle) const;
  void call(const Digits& at, const Digits& row_step, int64_t rows, int64_t columns) const;

  artifact::KernelFunction function_;
  Sizes loops_;
  std::vector<int64_t> sizes_;   ///< By loop.
  std::vector<Buffer> buffers_;  ///< The first is the result.
  std::vector<Scalar> scalars_;
  std::vector<Expr> values_;  ///< By scalar whose meaning is a value.
  bool counts_rows_ = false;  ///< The function iterates over rows.
  bool counts_columns_ = false;
};

}  // namespace litz::runtime
