#include "fusion/tile_kernel.h"

#include <string>
#include <utility>

#include "fusion/kernel_edit.h"
#include "loops/clone.h"
#include "loops/instrs.h"
#include "support/check.h"

namespace litz::fusion {
namespace {

// Kernels share these symbols, and so their code. A symbol of the program with such a name is a
// different one.
Expr tile_symbol(ExprPool& pool, std::string name, Interval range) {
  while (const auto known = pool.find_symbol(name)) {
    const SymbolInfo& info = pool.symbol(known->symbol());
    if (info.kind == SymbolKind::size && info.range == range) return *known;
    name += "_";
  }
  SymbolInfo info;
  info.name = std::move(name);
  info.kind = SymbolKind::size;
  info.range = range;
  return pool.add_symbol(std::move(info));
}

}  // namespace

TileKernel make_tile_kernel(const loops::Kernel& epilogue) {
  ExprPool& pool = *epilogue.pool;
  TileKernel result{loops::clone(epilogue), {}};
  TileSymbols& symbols = result.symbols;
  const Interval sizes{1, int64_t{1} << 40};
  const Interval strides{0, int64_t{1} << 40};
  symbols.rows = tile_symbol(pool, "tile_rows", sizes);
  symbols.columns = tile_symbol(pool, "tile_columns", sizes);
  check(result.kernel.body.instrs.size() == 1 &&
            result.kernel.body.instrs[0].kind == loops::InstrKind::loop,
        "an epilogue must be one nest of loops:", epilogue.name);
  for (size_t i = 0; i < result.kernel.buffers.size(); ++i) {
    TensorType& type = result.kernel.buffers[i].type;
    symbols.row_strides.push_back(tile_symbol(pool, "tile_stride_" + std::to_string(i), strides));
    type.strides = {symbols.row_strides.back(), type.strides.back()};
    type.sizes = {symbols.rows, symbols.columns};
  }
  loops::Instr& loop = result.kernel.body.instrs[0];
  loop.vars = {make_loop_var(pool, "i0", symbols.rows), make_loop_var(pool, "i1", symbols.columns)};
  edit_each_instr(result.kernel.body, [&](loops::Instr& instr) {
    if (instr.buffer < 0) return;
    instr.indices = {loops::Index(loop.vars[0].symbol), loops::Index(loop.vars[1].symbol)};
  });
  return result;
}

}  // namespace litz::fusion
