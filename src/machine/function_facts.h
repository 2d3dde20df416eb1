// The facts of a library function that passes and fusion need. The library states them in the
// function's row (kernels/library.cpp).

#pragma once

#include <cstddef>
#include <cstdint>

namespace litz::machine {

/// The operands that a function accepts in layouts other than contiguous, and their price.
enum class OperandLayouts : uint8_t {
  contiguous,   ///< None.
  product,      ///< Matrices of the last two dimensions, packed along either at the same price.
  attention,    ///< Query, key and value as for products; a mask row by row.
  convolution,  ///< Images, unfolded along dense rows; without windows as a product.
  rows,         ///< Matrices whose rows are contiguous, wherever they begin; a mask as it is.
  images,       ///< Image and weights with channels innermost, or whole planes.
};

struct FunctionFacts {
  /// Writes its one result tile by tile: pointwise readers become epilogues of its calls.
  bool takes_epilogue = false;
  OperandLayouts layouts = OperandLayouts::contiguous;
  /// Products: the position of the left operand. The right one follows it, and an operand before
  /// them is added.
  size_t left_operand = 0;
  /// Products with at most this many rows or columns read the other operand in place, and sum in
  /// the order of its layout.
  int64_t most_thin_rows = 0;
};

}  // namespace litz::machine
