// An epilogue for a tile of any size and place, which library calls run on results that they have
// just written.

#pragma once

#include "lowering/plan.h"

namespace litz::fusion {

/// The scalars of a tile kernel.
struct TileSymbols {
  Expr rows;
  Expr columns;
  std::vector<Expr> row_strides;  ///< By buffer, in elements.
};

struct TileKernel {
  loops::Kernel kernel;  ///< Has the epilogue's buffers, each bound to the tile's first element.
  TileSymbols symbols;
};

/// Makes the kernel of LibraryStep::epilogue over rows and columns of a tile. Columns are steps
/// along the last loop, rows any steps. If the bodies are equal, kernels for calls of different
/// sizes are equal too. Adds symbols to the pool.
TileKernel make_tile_kernel(const loops::Kernel& epilogue);

}  // namespace litz::fusion
