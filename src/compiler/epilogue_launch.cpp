#include "compiler/epilogue_launch.h"

namespace litz::compiler {

artifact::EpilogueLaunch epilogue_launch(const lowering::KernelStep& epilogue,
                                         const fusion::TileSymbols& symbols,
                                         const artifact::KernelCode& code) {
  artifact::EpilogueLaunch launch;
  for (const loops::Buffer& buffer : epilogue.kernel.buffers) {
    artifact::TensorSlot tensor;
    tensor.type = buffer.type;
    launch.buffers.push_back(std::move(tensor));
  }
  for (const SymbolId symbol : code.scalars) {
    launch.scalars.push_back(epilogue.kernel.pool->symbol_expr(symbol));
  }
  launch.rows = symbols.rows;
  launch.columns = symbols.columns;
  launch.row_strides = symbols.row_strides;
  return launch;
}

}  // namespace litz::compiler
