// An epilogue for a tile of any size and place: what library calls run on what they just wrote.

#pragma once

#include "lowering/plan.h"

namespace litz::fusion {

/// What the scalars of a tile kernel stand for.
struct TileSymbols {
  Expr rows;
  Expr columns;
  std::vector<Expr> row_strides;  ///< By buffer, in elements.
};

struct TileKernel {
  loops::Kernel kernel;  ///< Buffers as the epilogue's; bound to the tile's first element of each.
  TileSymbols symbols;
};

/// The kernel of LibraryStep::epilogue over rows and columns of a tile. Columns are steps along the
/// last loop, rows any steps. Kernels of calls of different sizes are equal where their bodies are.
/// Adds symbols to the pool.
TileKernel make_tile_kernel(const loops::Kernel& epilogue);

}  // namespace litz::fusion
