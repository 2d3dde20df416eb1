// Loops that carry values, with one row of memory in each lane.
//
// Each step of the loop handles several squares, as wide as there are lanes. Elements loaded along
// the rows are copied to the stack, a piece of each row after another, and transposed there to one
// vector per iteration. Stores go the other way. The distances between rows usually make them
// compete for the same lines of the first cache, so a line must be used up before the next row is
// touched.

#include <algorithm>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::InstrKind;

void KernelEmitter::emit_scan(const Instr& scan, const Body& iteration) {
  const loops::LoopVar& var = scan.vars[0];
  const SymbolId along = var.symbol.symbol();
  const std::vector<Squares> all = new_squares(scan);
  llvm::Value* end = emit_base(var.extent);
  llvm::Value* rows = integer(lanes_);
  if (mask_ != nullptr) {
    llvm::Type* counts = vector_of(b_.getInt32Ty());
    rows = b_.CreateZExt(b_.CreateAddReduce(b_.CreateZExt(mask_, counts)), b_.getInt64Ty());
  }
  counted_loop(integer(0), end, all[0].columns, "piece", [&](llvm::Value* first) {
    llvm::Value* left = b_.CreateSub(end, first);
    llvm::Value* count =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, integer(all[0].columns));
    symbols_[along] = first;
    for (const Squares& squares : all) {
      if (squares.access->kind != InstrKind::load) continue;
      copy_rows(squares, rows, count);
      transpose_squares(squares);
    }
    counted_loop(integer(0), count, 1, "column", [&](llvm::Value* column) {
      tile_row_ = column;
      symbols_[along] = b_.CreateAdd(first, column);
      iteration();
    });
    symbols_[along] = first;
    for (const Squares& squares : all) {
      if (squares.access->kind != InstrKind::store) continue;
      transpose_squares(squares);
      copy_rows(squares, rows, count);
    }
  });
  tiles_.clear();
}

/// Allocates the squares for accesses of the loop that are transposed; these become its tiles.
std::vector<KernelEmitter::Squares> KernelEmitter::new_squares(const Instr& scan) {
  constexpr int64_t kRowBytes = 256;
  std::vector<Squares> all;
  int64_t columns = lanes_;
  int64_t item = 1;
  for (const Instr& instr : scan.blocks[0]->instrs) {
    if (!instr.marks.is_transposed) continue;
    const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
    all.push_back({&instr, memory_type(dtype), 0, nullptr});
    item = std::max(item, item_size(dtype));
  }
  while (2 * columns * item <= kRowBytes) columns *= 2;
  for (Squares& squares : all) {
    squares.columns = columns;
    llvm::Type* line = vector_of(squares.memory);
    const auto lines = static_cast<uint64_t>(columns);
    squares.rows = local(llvm::ArrayType::get(line, lines), "rows");
    tiles_[squares.access] = local(llvm::ArrayType::get(line, lines), "square");
  }
  return all;
}

/// Copies a piece of each row between memory and the stack, whole vectors first.
void KernelEmitter::copy_rows(const Squares& squares, llvm::Value* rows, llvm::Value* count) {
  llvm::Value* first = symbols_.at(vector_symbol_);
  llvm::Value* whole = b_.CreateSub(count, b_.CreateAnd(count, integer(lanes_ - 1)));
  const auto buffer = static_cast<size_t>(squares.access->buffer);
  const bool reads = squares.access->kind == InstrKind::load;
  const llvm::Align align(squares.memory->getPrimitiveSizeInBits() / 8);
  counted_loop(integer(0), rows, 1, "row", [&](llvm::Value* row) {
    symbols_[vector_symbol_] = b_.CreateAdd(first, row);
    llvm::Value* offset = emit_base(loops::offset_of(*squares.access));
    llvm::Value* memory = b_.CreateGEP(squares.memory, buffers_[buffer], offset);
    llvm::Value* own =
        b_.CreateGEP(squares.memory, squares.rows, b_.CreateMul(row, integer(squares.columns)));
    const auto copy = [&](llvm::Type* type, llvm::Value* column) {
      llvm::Value* there = b_.CreateGEP(squares.memory, memory, column);
      llvm::Value* here = b_.CreateGEP(squares.memory, own, column);
      llvm::Value* piece = b_.CreateAlignedLoad(type, reads ? there : here, align);
      b_.CreateAlignedStore(piece, reads ? here : there, align);
    };
    counted_loop(integer(0), whole, lanes_, "vector",
                 [&](llvm::Value* column) { copy(vector_of(squares.memory), column); });
    counted_loop(whole, count, 1, "element",
                 [&](llvm::Value* column) { copy(squares.memory, column); });
  });
  symbols_[vector_symbol_] = first;
}

/// Transposes rows on the stack to vectors of the iterations, or back.
void KernelEmitter::transpose_squares(const Squares& squares) {
  llvm::Type* line = vector_of(squares.memory);
  const bool reads = squares.access->kind == InstrKind::load;
  const llvm::Align align(squares.memory->getPrimitiveSizeInBits() / 8);
  counted_loop(integer(0), integer(squares.columns), lanes_, "square", [&](llvm::Value* column) {
    const auto row_at = [&](int row) {
      llvm::Value* at = b_.CreateAdd(column, integer(row * squares.columns));
      return b_.CreateGEP(squares.memory, squares.rows, at);
    };
    const auto column_at = [&](int number) {
      return b_.CreateGEP(line, tiles_.at(squares.access), b_.CreateAdd(column, integer(number)));
    };
    std::vector<llvm::Value*> lines;
    for (int i = 0; i < lanes_; ++i) {
      lines.push_back(b_.CreateAlignedLoad(line, reads ? row_at(i) : column_at(i), align));
    }
    const std::vector<llvm::Value*> turned = transpose(std::move(lines));
    for (int i = 0; i < lanes_; ++i) {
      b_.CreateAlignedStore(turned[static_cast<size_t>(i)], reads ? column_at(i) : row_at(i),
                            align);
    }
  });
}

}  // namespace litz::codegen
