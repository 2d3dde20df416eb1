// Squared deviations from the mean of columns, in the pass that computes the mean.
//
//   for 64 rows: d = x - mean;  s += d;  q += d * d
//   then: n rows were before;  e = s / 64
//         squares += q - s * e + e * e * n * 64 / (n + 64)
//         mean += e * 64 / (n + 64);  s = q = 0
//
// Within a part the deviations are small, so q - s * e cancels little. Parts are combined with the
// formulas of Chan, Golub and LeVeque. The first mean is the first row.

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

bool KernelEmitter::is_deviations(const Instr& instr) {
  return instr.marks.mean_of != loops::kNoValue;
}

std::vector<KernelEmitter::Deviations> KernelEmitter::new_deviations(
    const std::vector<const Instr*>& pass, const Block& block, int64_t columns) {
  std::vector<Deviations> made;
  for (const Instr& reduce : block.instrs) {
    if (!is_deviations(reduce)) continue;
    for (size_t i = 0; i < pass.size(); ++i) {
      if (reduce.marks.mean_of != pass[i]->results[0]) continue;
      const DType number = dtype(reduce.results[0]);
      llvm::Type* row = llvm::ArrayType::get(register_type(number), static_cast<uint64_t>(columns));
      Deviations own;
      own.reduce = &reduce;
      own.sum = i;
      own.mean = local(row, "mean");
      own.shifted = local(row, "shifted");
      own.shifted_squares = local(row, "shifted_squares");
      own.squares = local(row, "squares");
      own.rows = local(b_.getInt64Ty(), "rows");
      own.align = llvm::Align(static_cast<uint64_t>(item_size(number)));
      b_.CreateStore(integer(0), own.rows);
      made.push_back(own);
    }
  }
  return made;
}

llvm::Value* KernelEmitter::column(llvm::AllocaInst* row, llvm::Value* index) {
  return b_.CreateGEP(row->getAllocatedType()->getArrayElementType(), row, index);
}

void KernelEmitter::start_deviations(const Deviations& own, llvm::Value* term, llvm::Value* index) {
  llvm::Constant* zero = llvm::Constant::getNullValue(term->getType());
  b_.CreateAlignedStore(term, column(own.mean, index), own.align);
  for (llvm::AllocaInst* row : {own.shifted, own.shifted_squares, own.squares}) {
    b_.CreateAlignedStore(zero, column(row, index), own.align);
  }
}

void KernelEmitter::add_deviation(const Deviations& own, llvm::Value* term, llvm::Value* index) {
  llvm::Type* type = term->getType();
  const auto load = [&](llvm::AllocaInst* row) {
    return b_.CreateAlignedLoad(type, column(row, index), own.align);
  };
  llvm::Value* shift = b_.CreateFSub(term, load(own.mean));
  b_.CreateAlignedStore(b_.CreateFAdd(load(own.shifted), shift), column(own.shifted, index),
                        own.align);
  llvm::Value* squares = emit_real(loops::ScalarOp::fma, {shift, shift, load(own.shifted_squares)});
  b_.CreateAlignedStore(squares, column(own.shifted_squares, index), own.align);
}

/// Combines a part of `count` rows with the earlier ones.
void KernelEmitter::end_deviations(const Deviations& own, llvm::Value* count,
                                   const EachVector& each_vector) {
  llvm::Type* scalar = own.mean->getAllocatedType()->getArrayElementType();
  llvm::Value* before = b_.CreateLoad(b_.getInt64Ty(), own.rows);
  llvm::Value* rows = b_.CreateAdd(before, count);
  const auto real = [&](llvm::Value* number) { return b_.CreateSIToFP(number, scalar); };
  llvm::Value* part = b_.CreateFDiv(real(count), real(rows));
  llvm::Value* weight = b_.CreateFMul(real(before), part);
  llvm::Value* inverse = b_.CreateFDiv(llvm::ConstantFP::get(scalar, 1), real(count));
  each_vector([&](llvm::Value* index) {
    llvm::Type* type = vector_of(scalar);
    const auto load = [&](llvm::AllocaInst* row) {
      return b_.CreateAlignedLoad(type, column(row, index), own.align);
    };
    const auto store = [&](llvm::AllocaInst* row, llvm::Value* value) {
      b_.CreateAlignedStore(value, column(row, index), own.align);
    };
    llvm::Value* shifted = load(own.shifted);
    llvm::Value* squares = load(own.shifted_squares);
    llvm::Value* step = b_.CreateFMul(shifted, spread(inverse));
    llvm::Value* within = b_.CreateFSub(squares, b_.CreateFMul(shifted, step));
    // Infinite squares stay infinite; infinite terms would give NaN.
    llvm::Constant* infinity = llvm::ConstantFP::getInfinity(type);
    llvm::Value* overflows = b_.CreateAnd(
        b_.CreateFCmpOEQ(squares, infinity),
        b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, shifted), infinity));
    within = b_.CreateSelect(overflows, squares, within);
    llvm::Value* between = b_.CreateFMul(b_.CreateFMul(step, step), spread(weight));
    store(own.squares, b_.CreateFAdd(load(own.squares), b_.CreateFAdd(within, between)));
    store(own.mean, b_.CreateFAdd(load(own.mean), b_.CreateFMul(step, spread(part))));
    store(own.shifted, llvm::Constant::getNullValue(type));
    store(own.shifted_squares, llvm::Constant::getNullValue(type));
  });
  b_.CreateStore(rows, own.rows);
}

}  // namespace litz::codegen
