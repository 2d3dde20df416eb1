// Reductions along columns, a block of columns at a time.
//
//   for blocks of columns:
//     total[...] = 0
//     for i: for j in the block: total[j] += x[i, j]
//     for j in the block: what is made of total[j]
//
// The totals lie on the stack. What precedes a reduction is computed again where it is needed.

#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::InstrKind;
using loops::ReduceKind;

namespace {

// Of one row of totals: long pieces of memory, yet little of the first cache.
constexpr int64_t kTotalBytes = 16384;

}  // namespace

void KernelEmitter::emit_column_blocks(const Instr& loop, llvm::Value* begin, llvm::Value* end,
                                       const Body& body) {
  const Block& block = *loop.blocks[0];
  const int64_t columns = std::max<int64_t>(kTotalBytes / 4, lanes_);
  counted_loop(begin, end, columns, "block", [&](llvm::Value* left) {
    llvm::Value* right =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(left, integer(columns)), end);
    const auto each_vector = [&](const std::function<void(llvm::Value*)>& visit) {
      counted_loop(left, right, lanes_, "v", [&](llvm::Value* column) {
        symbols_[vector_symbol_] = column;
        visit(b_.CreateSub(column, left));
      });
    };
    for (const Instr& instr : block.instrs) {
      if (instr.kind != InstrKind::reduce) continue;
      llvm::Type* element = register_type(dtype(instr.results[0]));
      totals_[&instr] = {
          local(llvm::ArrayType::get(element, static_cast<uint64_t>(columns)), "totals"), left};
      emit_totals(instr, block, each_vector);
    }
    counted_loop(left, right, lanes_, "v", [&](llvm::Value* column) {
      symbols_[vector_symbol_] = column;
      body();
    });
    totals_.clear();
  });
}

/// Fills the totals of one reduction; those of earlier ones are there.
void KernelEmitter::emit_totals(
    const Instr& reduce, const Block& block,
    const std::function<void(const std::function<void(llvm::Value*)>&)>& each_vector) {
  const DType result = dtype(reduce.results[0]);
  const DType yielded = dtype(reduce.blocks[0]->yields[0]);
  llvm::Type* type = lane_type(result);
  llvm::Value* totals = totals_.at(&reduce).first;
  const llvm::Align align(static_cast<uint64_t>(item_size(result)));
  const auto at = [&](llvm::Value* index) {
    return b_.CreateGEP(type->getScalarType(), totals, index);
  };
  if (reduce.reduce == ReduceKind::max || reduce.reduce == ReduceKind::min) {
    require_elements(reduce);
  }
  llvm::Constant* start = identity(reduce.reduce, result, type);
  each_vector([&](llvm::Value* index) { b_.CreateAlignedStore(start, at(index), align); });
  emit_vars(reduce, 0, [&] {
    each_vector([&](llvm::Value* index) {
      for (const Instr& instr : block.instrs) {
        if (&instr == &reduce) break;
        emit_instr(instr);
      }
      emit_block(*reduce.blocks[0]);
      llvm::Value* term = spread(emit_cast(value(reduce.blocks[0]->yields[0]), yielded, result));
      llvm::Value* old = b_.CreateAlignedLoad(type, at(index), align);
      b_.CreateAlignedStore(fold(reduce.reduce, result, old, term), at(index), align);
    });
  });
}

/// The totals of the current columns.
void KernelEmitter::load_totals(const Instr& reduce) {
  const auto& [totals, left] = totals_.at(&reduce);
  llvm::Type* type = lane_type(dtype(reduce.results[0]));
  const llvm::Align align(static_cast<uint64_t>(item_size(dtype(reduce.results[0]))));
  llvm::Value* index = b_.CreateSub(symbols_.at(vector_symbol_), left);
  set(reduce.results[0],
      b_.CreateAlignedLoad(type, b_.CreateGEP(type->getScalarType(), totals, index), align));
}

}  // namespace litz::codegen
