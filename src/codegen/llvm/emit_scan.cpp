// Loops that carry values, with one row of memory in each lane.
//
// The loop goes in steps of as many iterations as there are lanes. What it loads along the rows is
// read as lines, one a row, and transposed to vectors, one an iteration, on the stack; what it stores
// goes the other way. Lanes without a row read the first one, and write nothing.

#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::InstrKind;

void KernelEmitter::emit_scan(const Instr& scan, const Body& iteration) {
  const loops::LoopVar& var = scan.vars[0];
  const SymbolId along = var.symbol.symbol();
  for (const Instr& instr : scan.blocks[0]->instrs) {
    if (!is_square(instr)) continue;
    const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
    llvm::Type* line = vector_of(memory_type(dtype));
    tiles_[&instr] = local(llvm::ArrayType::get(line, static_cast<uint64_t>(lanes_)), "square");
  }
  const auto square = [&](llvm::Value* first, llvm::Value* count, llvm::Value* columns) {
    symbols_[along] = first;
    read_squares(scan, columns);
    counted_loop(integer(0), count, 1, "column", [&](llvm::Value* column) {
      tile_row_ = column;
      symbols_[along] = b_.CreateAdd(first, column);
      iteration();
    });
    symbols_[along] = first;
    write_squares(scan, columns);
  };
  llvm::Value* end = emit_base(var.extent);
  llvm::Value* rest = b_.CreateAnd(end, integer(lanes_ - 1));
  llvm::Value* whole = b_.CreateSub(end, rest);
  counted_loop(integer(0), whole, lanes_, "square",
               [&](llvm::Value* first) { square(first, integer(lanes_), nullptr); });
  guarded(b_.CreateICmpNE(rest, integer(0)), [&] {
    llvm::Type* narrow = b_.getInt32Ty();
    llvm::Value* limit =
        b_.CreateVectorSplat(static_cast<unsigned>(lanes_), b_.CreateTrunc(rest, narrow));
    square(whole, rest, b_.CreateICmpULT(lane_numbers(narrow), limit, "columns"));
  });
  tiles_.clear();
}

bool KernelEmitter::is_square(const Instr& instr) const {
  const auto found = schedule_.accesses.find(&instr);
  return found != schedule_.accesses.end() && found->second.is_transposed;
}

/// Where the line of a lane begins, and whether the lane has one: null where all have.
std::pair<llvm::Value*, llvm::Value*> KernelEmitter::line_of(const Instr& access, int lane) {
  llvm::Value* first = symbols_.at(vector_symbol_);
  llvm::Value* row = b_.CreateAdd(first, integer(lane));
  llvm::Value* has_row = mask_ == nullptr ? nullptr : b_.CreateExtractElement(mask_, integer(lane));
  if (has_row != nullptr) row = b_.CreateSelect(has_row, row, first);
  symbols_[vector_symbol_] = row;
  llvm::Value* offset = emit_base(schedule_.accesses.at(&access).offset);
  symbols_[vector_symbol_] = first;
  const auto buffer = static_cast<size_t>(access.buffer);
  llvm::Type* memory = memory_type(kernel_.buffers[buffer].type.dtype);
  return {b_.CreateGEP(memory, buffers_[buffer], offset), has_row};
}

/// `columns`: which elements of a line there are; null for all.
void KernelEmitter::read_squares(const Instr& scan, llvm::Value* columns) {
  for (const Instr& instr : scan.blocks[0]->instrs) {
    if (instr.kind != InstrKind::load || !is_square(instr)) continue;
    llvm::Type* memory = memory_type(kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype);
    llvm::Type* line = vector_of(memory);
    std::vector<llvm::Value*> lines;
    for (int lane = 0; lane < lanes_; ++lane) {
      const Place place{line_of(instr, lane).first, true};
      lines.push_back(load_lanes(place, memory, columns));
    }
    const std::vector<llvm::Value*> turned = transpose(std::move(lines));
    for (size_t row = 0; row < turned.size(); ++row) {
      llvm::Value* at = integer(static_cast<int64_t>(row));
      b_.CreateStore(turned[row], b_.CreateGEP(line, tiles_.at(&instr), at));
    }
  }
}

void KernelEmitter::write_squares(const Instr& scan, llvm::Value* columns) {
  for (const Instr& instr : scan.blocks[0]->instrs) {
    if (instr.kind != InstrKind::store || !is_square(instr)) continue;
    llvm::Type* line =
        vector_of(memory_type(kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype));
    std::vector<llvm::Value*> rows;
    for (int row = 0; row < lanes_; ++row) {
      rows.push_back(b_.CreateLoad(line, b_.CreateGEP(line, tiles_.at(&instr), integer(row))));
    }
    const std::vector<llvm::Value*> turned = transpose(std::move(rows));
    for (int lane = 0; lane < lanes_; ++lane) {
      const auto [pointer, has_row] = line_of(instr, lane);
      llvm::Value* stored = turned[static_cast<size_t>(lane)];
      const Place place{pointer, true};
      if (has_row == nullptr) {
        store_lanes(place, stored, columns);
      } else {
        guarded(has_row, [&] { store_lanes(place, stored, columns); });
      }
    }
  }
}

}  // namespace litz::codegen
