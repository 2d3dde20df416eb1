// What passes and fusion want to know of a function of the library. The library states it in the row
// of the function (kernels/library.cpp).

#pragma once

#include <cstddef>
#include <cstdint>

namespace litz::machine {

/// Which operands a function takes in other layouts than the contiguous one, and at which price.
enum class OperandLayouts : uint8_t {
  contiguous,   ///< None.
  product,      ///< Matrices of the last two dimensions, packed along either at one price.
  attention,    ///< Query, key and value likewise; a mask row by row.
  convolution,  ///< Images, unfolded along dense rows; without windows as a product.
};

struct FunctionFacts {
  /// Finishes its one result tile by tile: pointwise readers become epilogues of its calls.
  bool takes_epilogue = false;
  OperandLayouts layouts = OperandLayouts::contiguous;
  /// Of a product: the position of the left operand, which the right one follows. An operand in
  /// front of them is added.
  size_t left_operand = 0;
  /// Products of at most so many rows or columns read the other operand where it lies, and sum in
  /// the order of its layout.
  int64_t most_thin_rows = 0;
};

}  // namespace litz::machine
