// Reductions: one accumulator per lane, folded over the lanes at the end in a fixed order.

#include <bit>
#include <limits>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::codegen {

using loops::ReduceKind;

namespace {

bool is_signed_integer(DType dtype) { return is_integer(dtype) && is_signed(dtype); }

}  // namespace

llvm::Constant* KernelEmitter::identity(ReduceKind kind, DType dtype, llvm::Type* type) {
  const bool is_float = type->getScalarType()->isFloatingPointTy();
  const unsigned bits = type->getScalarType()->getPrimitiveSizeInBits();
  const auto limit = [&](bool highest) -> llvm::Constant* {
    if (is_float) return llvm::ConstantFP::getInfinity(type, !highest);
    if (is_signed_integer(dtype)) {
      return llvm::ConstantInt::get(type, highest ? llvm::APInt::getSignedMaxValue(bits)
                                                  : llvm::APInt::getSignedMinValue(bits));
    }
    return llvm::ConstantInt::get(
        type, highest ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getMinValue(bits));
  };
  switch (kind) {
    case ReduceKind::sum:
    case ReduceKind::any:
    case ReduceKind::bit_xor:
      return llvm::Constant::getNullValue(type);
    case ReduceKind::prod:
      return is_float ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantInt::get(type, 1);
    case ReduceKind::all:
      return llvm::Constant::getAllOnesValue(type);
    case ReduceKind::max:
    case ReduceKind::argmax:
      return limit(false);
    case ReduceKind::min:
    case ReduceKind::argmin:
      return limit(true);
    case ReduceKind::softmax:
      break;
  }
  check(false, "a reduction must start from one value:", loops::name(kind), kernel_.name);
  return nullptr;
}

llvm::Value* KernelEmitter::fold(ReduceKind kind, DType dtype, llvm::Value* a, llvm::Value* b) {
  const bool is_float = a->getType()->isFPOrFPVectorTy();
  switch (kind) {
    case ReduceKind::sum:
      if (dtype == DType::bool_) return b_.CreateOr(a, b);
      return is_float ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
    case ReduceKind::prod:
      return is_float ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
    case ReduceKind::any:
      return b_.CreateOr(a, b);
    case ReduceKind::all:
      return b_.CreateAnd(a, b);
    case ReduceKind::bit_xor:
      return b_.CreateXor(a, b);
    case ReduceKind::max:
    case ReduceKind::min: {
      const loops::ScalarOp op =
          kind == ReduceKind::max ? loops::ScalarOp::max : loops::ScalarOp::min;
      if (dtype == DType::bool_) return emit_bool(op, {a, b});
      return is_float ? emit_real(op, {a, b}) : emit_integer(op, dtype, {a, b});
    }
    case ReduceKind::argmax:
    case ReduceKind::argmin:
    case ReduceKind::softmax:
      break;
  }
  check(false, "a reduction must fold one value:", loops::name(kind), kernel_.name);
  return nullptr;
}

/// Folds halves onto each other in log2(lanes) steps, the same for every run.
llvm::Value* KernelEmitter::fold_lanes(ReduceKind kind, DType dtype, llvm::Value* lanes) {
  auto count = llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements();
  check(std::has_single_bit(count), "lane counts are powers of two:", kernel_.name);
  while (count > 1) {
    count /= 2;
    std::vector<int> low, high;
    for (unsigned i = 0; i < count; ++i) {
      low.push_back(static_cast<int>(i));
      high.push_back(static_cast<int>(i + count));
    }
    llvm::Value* a = b_.CreateShuffleVector(lanes, low);
    llvm::Value* b = b_.CreateShuffleVector(lanes, high);
    lanes = fold(kind, dtype, a, b);
  }
  return b_.CreateExtractElement(lanes, b_.getInt64(0));
}

llvm::Value* KernelEmitter::is_empty(const Instr& instr) {
  llvm::Value* any = b_.getInt1(false);
  for (const loops::LoopVar& var : instr.vars) {
    const auto constant = var.extent.maybe_constant();
    if (constant && *constant > 0) continue;
    any = b_.CreateOr(any, b_.CreateICmpSLE(emit_base(var.extent), b_.getInt64(0)));
  }
  return any;
}

/// The maximum of no elements does not exist, unless the reduction says so.
void KernelEmitter::require_elements(const Instr& instr) {
  if (loops::has_identity(instr.reduce) || instr.flag) return;
  llvm::Value* fails = is_empty(instr);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(fails);
  if (known != nullptr && known->isZero()) return;
  fail_where(fails, {artifact::CheckKind::empty_reduction, std::string(loops::name(instr.reduce))},
             b_.getInt64(0), b_.getInt64(0));
}

void KernelEmitter::emit_reduce(const Instr& instr) {
  if (totals_.contains(instr.results[0])) return load_totals(instr);
  require_elements(instr);
  if (instr.reduce == ReduceKind::softmax) return emit_softmax_reduce(instr);
  if (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin) {
    return emit_arg_reduce(instr);
  }
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const DType result = dtype(instr.results[0]);
  const int own_lanes = loops::lanes_of(instr);
  const Levels levels = lane_levels(instr);
  levels.start(*this, nullptr);
  emit_parts(instr, levels, [&] {
    emit_block(block);
    llvm::Value* term = emit_cast(value(block.yields[0]), yielded, result);
    if (lanes_ > 1) term = spread(term);
    // Only lanes of this loop end early; inactive lanes of an outer one are never stored.
    if (mask_ != nullptr && own_lanes > 1) term = b_.CreateSelect(mask_, term, levels.zero);
    llvm::Value* old = levels.load(*this, 0, nullptr);
    levels.store(*this, 0, nullptr, fold(instr.reduce, result, old, term));
  });
  llvm::Value* total = levels.load(*this, levels.rows.size() - 1, nullptr);
  if (own_lanes > 1) total = fold_lanes(instr.reduce, result, total);
  set(instr.results[0], total);
}

/// The flattened position of the current iteration, of lane 0 if its lanes are the reduction's own.
llvm::Value* KernelEmitter::position_of(const Instr& instr) {
  llvm::Value* position = nullptr;
  for (const loops::LoopVar& var : instr.vars) {
    llvm::Value* index = symbols_.at(var.symbol.symbol());
    if (position != nullptr) {
      index = b_.CreateAdd(b_.CreateMul(position, emit_base(var.extent)), index);
    }
    position = index;
  }
  return position;
}

/// 0, 1, 2... in the current lanes.
llvm::Value* KernelEmitter::lane_numbers(llvm::Type* scalar) const {
  std::vector<llvm::Constant*> numbers;
  numbers.reserve(static_cast<size_t>(lanes_));
  for (int i = 0; i < lanes_; ++i) {
    numbers.push_back(llvm::ConstantInt::get(scalar, static_cast<uint64_t>(i)));
  }
  return llvm::ConstantVector::get(numbers);
}

/// Narrow values (registers of 32 bits or less) get 32-bit positions, so that both have as many
/// lanes. The number of positions must fit.
DType KernelEmitter::position_dtype(const Instr& instr) const {
  const DType yielded = dtype(instr.blocks[0]->yields[0]);
  if (register_type(yielded)->getPrimitiveSizeInBits() > 32) return DType::i64;
  int64_t count = 1;
  for (const loops::LoopVar& var : instr.vars) {
    const auto extent = var.extent.maybe_constant();
    if (!extent || *extent > std::numeric_limits<int32_t>::max()) return DType::i64;
    count *= *extent;
    if (count > std::numeric_limits<int32_t>::max()) return DType::i64;
  }
  return DType::i32;
}

/// True if the later value `a` replaces `b`: ties keep the first, and NaN beats everything except
/// an earlier NaN.
llvm::Value* KernelEmitter::takes_over(const Instr& instr, llvm::Value* a, llvm::Value* b) {
  const bool is_max = instr.reduce == ReduceKind::argmax;
  if (a->getType()->isFPOrFPVectorTy()) {
    llvm::Value* is_better = is_max ? b_.CreateFCmpUGT(a, b) : b_.CreateFCmpULT(a, b);
    return b_.CreateAnd(is_better, b_.CreateFCmpORD(b, b));
  }
  if (is_signed_integer(dtype(instr.blocks[0]->yields[0]))) {
    return is_max ? b_.CreateICmpSGT(a, b) : b_.CreateICmpSLT(a, b);
  }
  return is_max ? b_.CreateICmpUGT(a, b) : b_.CreateICmpULT(a, b);
}

/// The lowest of the lanes' positions whose value is the best of all lanes.
llvm::Value* KernelEmitter::fold_positions(const Instr& instr, llvm::Value* values,
                                           llvm::Value* positions, DType position) {
  const ReduceKind kind = instr.reduce == ReduceKind::argmax ? ReduceKind::max : ReduceKind::min;
  llvm::Value* best = spread(fold_lanes(kind, dtype(instr.blocks[0]->yields[0]), values));
  llvm::Value* is_best = nullptr;
  if (values->getType()->isFPOrFPVectorTy()) {
    llvm::Value* both =
        b_.CreateAnd(b_.CreateFCmpUNO(values, values), b_.CreateFCmpUNO(best, best));
    is_best = b_.CreateOr(b_.CreateFCmpOEQ(values, best), both);
  } else {
    is_best = b_.CreateICmpEQ(values, best);
  }
  llvm::Constant* last = identity(ReduceKind::min, position, positions->getType());
  return fold_lanes(ReduceKind::min, position, b_.CreateSelect(is_best, positions, last));
}

/// Finds the best value with its position, lane by lane. Every lane begins with the least value at
/// its first position. If no value is better, lane 0 has the answer, because a reduction is never
/// empty. Positions in the reduction's own lanes are those of lane 0 until the end.
void KernelEmitter::emit_arg_reduce(const Instr& instr) {
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const DType counted = position_dtype(instr);
  const int own_lanes = loops::lanes_of(instr);
  const int outer_lanes = lanes_;
  lanes_ = std::max(own_lanes, outer_lanes);
  llvm::Type* type = lane_type(yielded);
  llvm::Type* position_type = lane_type(counted);
  lanes_ = outer_lanes;
  llvm::AllocaInst* best = local(type, "best");
  llvm::AllocaInst* position = local(position_type, "position");
  b_.CreateStore(identity(instr.reduce, yielded, type), best);
  b_.CreateStore(llvm::Constant::getNullValue(position_type), position);
  emit_vars(instr, [&] {
    emit_block(block);
    llvm::Value* term = value(block.yields[0]);
    llvm::Value* at = b_.CreateTrunc(position_of(instr), register_type(counted));
    if (lanes_ > 1) {
      term = spread(term);
      at = spread(at);
    }
    llvm::Value* old = b_.CreateLoad(type, best);
    llvm::Value* old_position = b_.CreateLoad(position_type, position);
    llvm::Value* takes = takes_over(instr, term, old);
    if (mask_ != nullptr && own_lanes > 1) takes = b_.CreateAnd(takes, mask_);
    b_.CreateStore(b_.CreateSelect(takes, term, old), best);
    b_.CreateStore(b_.CreateSelect(takes, at, old_position), position);
  });
  llvm::Value* result = b_.CreateLoad(position_type, position);
  if (own_lanes > 1) {
    lanes_ = own_lanes;
    llvm::Value* lanes = b_.CreateAdd(result, lane_numbers(register_type(counted)));
    result = fold_positions(instr, b_.CreateLoad(type, best), lanes, counted);
    lanes_ = outer_lanes;
  }
  set(instr.results[0], b_.CreateSExt(result, widen(b_.getInt64Ty(), result)));
}

}  // namespace litz::codegen
