// Reductions: an accumulator a lane, folded over the lanes at the end in a fixed order.

#include <bit>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"
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
  }
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
      break;
  }
  check(false, "positions are folded with their values:", kernel_.name);
  return nullptr;
}

/// Halves are folded onto each other: log2(lanes) steps, the same for every run.
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

/// The largest of nothing does not exist.
void KernelEmitter::require_elements(const Instr& instr) {
  llvm::Value* is_empty = b_.getInt1(false);
  for (const loops::LoopVar& var : instr.vars) {
    const auto constant = var.extent.maybe_constant();
    if (constant && *constant > 0) continue;
    is_empty = b_.CreateOr(is_empty, b_.CreateICmpSLE(emit_base(var.extent), b_.getInt64(0)));
  }
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(is_empty);
  if (known != nullptr && known->isZero()) return;
  fail_where(is_empty,
             {artifact::CheckKind::empty_reduction, std::string(loops::name(instr.reduce))},
             b_.getInt64(0), b_.getInt64(0));
}

void KernelEmitter::emit_reduce(const Instr& instr) {
  if (totals_.contains(&instr)) return load_totals(instr);
  const bool has_identity = instr.reduce != ReduceKind::max && instr.reduce != ReduceKind::min &&
                            instr.reduce != ReduceKind::argmax &&
                            instr.reduce != ReduceKind::argmin;
  if (!has_identity) require_elements(instr);
  if (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin) {
    return emit_arg_reduce(instr);
  }
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const DType result = dtype(instr.results[0]);
  const int own_lanes = schedule_.lanes_of(instr);
  const int outer_lanes = lanes_;
  lanes_ = std::max(own_lanes, outer_lanes);
  llvm::Type* type = lane_type(result);
  llvm::Constant* start = identity(instr.reduce, result, type);
  llvm::AllocaInst* accumulator = local(type, "sum");
  lanes_ = outer_lanes;
  b_.CreateStore(start, accumulator);
  emit_vars(instr, 0, [&] {
    emit_block(block);
    llvm::Value* term = emit_cast(value(block.yields[0]), yielded, result);
    if (lanes_ > 1) term = spread(term);
    // Only lanes of this loop end early; inactive lanes of an outer one are never stored.
    if (mask_ != nullptr && own_lanes > 1) term = b_.CreateSelect(mask_, term, start);
    llvm::Value* old = b_.CreateLoad(type, accumulator);
    b_.CreateStore(fold(instr.reduce, result, old, term), accumulator);
  });
  llvm::Value* total = b_.CreateLoad(type, accumulator);
  if (own_lanes > 1) total = fold_lanes(instr.reduce, result, total);
  set(instr.results[0], total);
}

/// The flattened position of the current iteration.
llvm::Value* KernelEmitter::position_of(const Instr& instr) {
  llvm::Value* position = nullptr;
  for (const loops::LoopVar& var : instr.vars) {
    llvm::Value* index = emit_symbol(var.symbol.symbol()).value;
    if (position != nullptr) {
      std::array<llvm::Value*, 2> scaled{position, emit_base(var.extent)};
      unify(scaled);
      std::array<llvm::Value*, 2> added{b_.CreateMul(scaled[0], scaled[1]), index};
      unify(added);
      index = b_.CreateAdd(added[0], added[1]);
    }
    position = index;
  }
  return position;
}

/// The best value with its position. A later position wins only when it is better, so ties keep the
/// first; NaN beats everything but an earlier NaN.
void KernelEmitter::emit_arg_reduce(const Instr& instr) {
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const int own_lanes = schedule_.lanes_of(instr);
  const int outer_lanes = lanes_;
  const bool is_max = instr.reduce == ReduceKind::argmax;
  lanes_ = std::max(own_lanes, outer_lanes);
  llvm::Type* type = lane_type(yielded);
  llvm::Type* position_type = lane_type(DType::i64);
  lanes_ = outer_lanes;
  llvm::AllocaInst* best = local(type, "best");
  llvm::AllocaInst* position = local(position_type, "position");
  b_.CreateStore(identity(instr.reduce, yielded, type), best);
  // No position yet: anything replaces it.
  b_.CreateStore(llvm::Constant::getAllOnesValue(position_type), position);
  const auto is_better = [&](llvm::Value* a, llvm::Value* b) {
    if (a->getType()->isFPOrFPVectorTy()) {
      llvm::Value* greater = is_max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b);
      llvm::Value* is_first_nan = b_.CreateAnd(b_.CreateFCmpUNO(a, a), b_.CreateFCmpORD(b, b));
      return b_.CreateOr(greater, is_first_nan);
    }
    if (is_signed_integer(yielded)) return is_max ? b_.CreateICmpSGT(a, b) : b_.CreateICmpSLT(a, b);
    return is_max ? b_.CreateICmpUGT(a, b) : b_.CreateICmpULT(a, b);
  };
  emit_vars(instr, 0, [&] {
    emit_block(block);
    llvm::Value* term = value(block.yields[0]);
    llvm::Value* at = position_of(instr);
    if (lanes_ > 1) {
      term = spread(term);
      at = spread(at);
    }
    llvm::Value* old = b_.CreateLoad(type, best);
    llvm::Value* old_position = b_.CreateLoad(position_type, position);
    llvm::Value* takes =
        b_.CreateOr(is_better(term, old),
                    b_.CreateICmpSLT(old_position, llvm::Constant::getNullValue(position_type)));
    if (mask_ != nullptr && own_lanes > 1) takes = b_.CreateAnd(takes, mask_);
    b_.CreateStore(b_.CreateSelect(takes, term, old), best);
    b_.CreateStore(b_.CreateSelect(takes, at, old_position), position);
  });
  llvm::Value* result = b_.CreateLoad(position_type, position);
  if (own_lanes > 1) {
    llvm::Value* values = b_.CreateLoad(type, best);
    llvm::Value* best_value = b_.CreateExtractElement(values, b_.getInt64(0));
    llvm::Value* best_position = b_.CreateExtractElement(result, b_.getInt64(0));
    for (int lane = 1; lane < own_lanes; ++lane) {
      llvm::Value* v = b_.CreateExtractElement(values, integer(lane));
      llvm::Value* p = b_.CreateExtractElement(result, integer(lane));
      llvm::Value* is_valid = b_.CreateICmpSGE(p, b_.getInt64(0));
      llvm::Value* has_none = b_.CreateICmpSLT(best_position, b_.getInt64(0));
      llvm::Value* is_tied =
          b_.CreateNot(b_.CreateOr(is_better(v, best_value), is_better(best_value, v)));
      llvm::Value* is_earlier = b_.CreateAnd(is_tied, b_.CreateICmpSLT(p, best_position));
      llvm::Value* wins = b_.CreateAnd(
          is_valid, b_.CreateOr(has_none, b_.CreateOr(is_better(v, best_value), is_earlier)));
      best_value = b_.CreateSelect(wins, v, best_value);
      best_position = b_.CreateSelect(wins, p, best_position);
    }
    result = best_position;
  }
  set(instr.results[0], result);
}

}  // namespace litz::codegen
