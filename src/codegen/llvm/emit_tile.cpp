// Loads across the lanes, transposed in registers.
//
// A vector loop along j that loads x[j * stride + i] would gather one element per cache line.
// Instead, a square of lanes x lanes elements is read along i, in whole lines, and transposed:
//
//   lines x[j0 + 0 .. j0 + 7][i0 .. i0 + 7]   =>   vectors along j, one for each i
//
// The square is stored on the stack (in registers if code is short) for the rows i0 .. i0 + 7 of
// the loop. Blocks of kTileRows rows and kTileColumns columns are processed together, so lines that
// contain several squares stay in the cache.

#include <algorithm>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/elementary.h"
#include "codegen/llvm/kernel_emitter.h"
#include "support/check.h"

namespace litz::codegen {

using loops::InstrKind;
using loops::LoopVar;

namespace {

/// True if the block's code may be unrolled over the rows of a square, which then stays in
/// registers. The limit bounds code size. With larger blocks and prefetches, unrolling brought
/// transpose + add of 8192 x 8192 on one thread from 78 to 103 % of a copy (AVX-512).
bool is_short(const loops::Block& block) {
  constexpr size_t kMostInstrs = 10;
  return block.instrs.size() <= kMostInstrs &&
         std::ranges::none_of(block.instrs, [](const loops::Instr& instr) {
           return instr.kind == InstrKind::op && is_elementary(instr.op);
         });
}

}  // namespace

/// Transposes rows of `lanes` elements in log2(lanes) rounds. Round k swaps blocks of 2^k elements
/// between rows 2^k apart.
std::vector<llvm::Value*> KernelEmitter::transpose(std::vector<llvm::Value*> rows) {
  const size_t lanes = rows.size();
  for (size_t half = 1; half < lanes; half *= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (size_t e = 0; e < lanes; ++e) {
      const bool is_upper = (e & half) != 0;
      low.push_back(static_cast<int>(is_upper ? e - half + lanes : e));
      high.push_back(static_cast<int>(is_upper ? e + lanes : e + half));
    }
    std::vector<llvm::Value*> next(lanes);
    for (size_t r = 0; r < lanes; ++r) {
      if ((r & half) != 0) continue;
      next[r] = b_.CreateShuffleVector(rows[r], rows[r + half], low);
      next[r + half] = b_.CreateShuffleVector(rows[r], rows[r + half], high);
    }
    rows = std::move(next);
  }
  return rows;
}

/// The square at the current row whose lanes begin at `column`.
void KernelEmitter::load_tile(const Instr& load, llvm::Value* column) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(load.buffer)].type.dtype;
  llvm::Type* memory = memory_type(dtype);
  llvm::Type* line = vector_of(memory);
  llvm::Value* base = buffers_[static_cast<size_t>(load.buffer)];
  const llvm::Align align(static_cast<uint64_t>(item_size(dtype)));
  std::vector<llvm::Value*> lines;
  for (int lane = 0; lane < lanes_; ++lane) {
    symbols_[vector_symbol_] = b_.CreateAdd(column, integer(lane));
    llvm::Value* offset = emit_base(loops::offset_of(load));
    lines.push_back(b_.CreateAlignedLoad(line, b_.CreateGEP(memory, base, offset), align));
  }
  symbols_[vector_symbol_] = column;
  const std::vector<llvm::Value*> turned = transpose(std::move(lines));
  llvm::Value* tile = tiles_.at(&load);
  for (size_t r = 0; r < turned.size(); ++r) {
    b_.CreateStore(turned[r], b_.CreateGEP(line, tile, integer(static_cast<int64_t>(r))));
  }
}

/// Prefetches the lines that loads of a square read. Each is on another page, where the hardware
/// prefetcher does not help.
void KernelEmitter::fetch_square(const Instr& loop, llvm::Value* row, llvm::Value* column) {
  const SymbolId row_symbol = loop.vars[loop.vars.size() - 2].symbol.symbol();
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (instr.kind != InstrKind::load) continue;
    const bool is_transposed = instr.marks.is_transposed;
    const bool is_along_rows =
        !loops::has_computed_index(instr) &&
        loops::steps_by_one(loops::offset_of(instr), loops::lane_symbol(loop));
    if (!is_transposed && !is_along_rows) continue;
    llvm::Type* memory = memory_type(kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype);
    for (int line = 0; line < lanes_; ++line) {
      llvm::Value* further = integer(line);
      symbols_[row_symbol] = is_transposed ? row : b_.CreateAdd(row, further);
      symbols_[vector_symbol_] = is_transposed ? b_.CreateAdd(column, further) : column;
      llvm::Value* base = buffers_[static_cast<size_t>(instr.buffer)];
      fetch_ahead(b_.CreateGEP(memory, base, emit_base(loops::offset_of(instr))), memory);
    }
  }
}

void KernelEmitter::emit_tile(const Instr& loop, llvm::Value* row, llvm::Value* column,
                              llvm::Value* next_row, llvm::Value* next_column, const Body& body) {
  fetch_square(loop, next_row, next_column);
  const LoopVar& rows = loop.vars[loop.vars.size() - 2];
  const SymbolId row_symbol = rows.symbol.symbol();
  symbols_[row_symbol] = row;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (instr.kind != InstrKind::load || !instr.marks.is_transposed) continue;
    const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
    llvm::Type* square =
        llvm::ArrayType::get(vector_of(memory_type(dtype)), static_cast<uint64_t>(lanes_));
    tiles_[&instr] = local(square, "tile");
    load_tile(instr, column);
  }
  const auto run_row = [&](llvm::Value* index) {
    tile_row_ = index;
    symbols_[row_symbol] = b_.CreateAdd(row, index);
    body();
  };
  if (is_short(*loop.blocks[0])) {
    // Unrolled, so that the square stays in registers.
    for (int index = 0; index < lanes_; ++index) run_row(integer(index));
  } else {
    counted_loop(b_.getInt64(0), integer(lanes_), 1, "tile_row", run_row);
  }
  tiles_.clear();
}

/// A span of columns in a block of rows: squares where a whole one fits, lanes gathered for the
/// rest.
void KernelEmitter::emit_tiled(const Instr& loop, llvm::Value* row_block, llvm::Value* span,
                               const Body& body) {
  const LoopVar& rows = loop.vars[loop.vars.size() - 2];
  const LoopVar& columns = loop.vars.back();
  const int lanes = loops::lanes_of(loop);
  const auto least = [&](llvm::Value* a, llvm::Value* b) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  };
  llvm::Value* begin = b_.CreateMul(row_block, integer(schedule::kTileRows));
  llvm::Value* end =
      least(b_.CreateAdd(begin, integer(schedule::kTileRows)), emit_base(rows.extent));
  llvm::Value* first = b_.CreateMul(span, integer(schedule::kTileSpan));
  llvm::Value* last =
      least(b_.CreateAdd(first, integer(schedule::kTileSpan)), emit_base(columns.extent));
  const auto whole = [&](llvm::Value* from, llvm::Value* to) {
    return b_.CreateSub(to, b_.CreateAnd(b_.CreateSub(to, from), integer(lanes - 1)));
  };
  llvm::Value* whole_rows = whole(begin, end);
  llvm::Value* whole_columns = whole(first, last);
  const auto squares = [&] {
    counted_loop(first, whole_columns, schedule::kTileColumns, "columns", [&](auto* left) {
      llvm::Value* right =
          least(b_.CreateAdd(left, integer(schedule::kTileColumns)), whole_columns);
      counted_loop(begin, whole_rows, lanes, "rows", [&](llvm::Value* row) {
        counted_loop(left, right, lanes, "square", [&](llvm::Value* column) {
          // The next square is below, or in the next block of columns.
          llvm::Value* below = b_.CreateAdd(row, integer(lanes));
          llvm::Value* beside = b_.CreateAdd(column, integer(lanes));
          llvm::Value* is_beside = b_.CreateICmpSLT(beside, right);
          llvm::Value* is_below = b_.CreateICmpSLT(below, whole_rows);
          const auto next = [&](llvm::Value* here, llvm::Value* under, llvm::Value* further) {
            return b_.CreateSelect(is_beside, here, b_.CreateSelect(is_below, under, further));
          };
          llvm::Value* next_row = next(row, below, begin);
          llvm::Value* next_column = next(beside, left, right);
          emit_tile(loop, row, column, next_row, next_column, body);
        });
      });
    });
  };
  lanes_ = lanes;
  vector_symbol_ = columns.symbol.symbol();
  symbols_[rows.symbol.symbol()] = begin;
  symbols_[vector_symbol_] = first;
  with_streams(loop, squares);
  lanes_ = 1;
  const auto plain_rows = [&](llvm::Value* from, llvm::Value* to, llvm::Value* left) {
    counted_loop(from, to, 1, "row", [&](llvm::Value* row) {
      symbols_[rows.symbol.symbol()] = row;
      vector_loop(loop, left, last, body);
    });
  };
  guarded(b_.CreateICmpSLT(whole_columns, last),
          [&] { plain_rows(begin, whole_rows, whole_columns); });
  plain_rows(whole_rows, end, first);
}

}  // namespace litz::codegen
