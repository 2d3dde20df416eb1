// Loads, stores and index checks.

#include <array>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"
#include "support/check.h"

namespace litz::codegen {

using loops::StoreMode;

llvm::Type* KernelEmitter::memory_type(DType dtype) const {
  llvm::LLVMContext& context = module_.getContext();
  if (dtype == DType::f32) return llvm::Type::getFloatTy(context);
  if (dtype == DType::f64) return llvm::Type::getDoubleTy(context);
  if (dtype == DType::f16) return llvm::Type::getHalfTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(item_size(dtype)) * 8);
}

llvm::Type* KernelEmitter::register_type(DType dtype) const {
  llvm::LLVMContext& context = module_.getContext();
  if (dtype == DType::bool_) return llvm::Type::getInt1Ty(context);
  if (is_half(dtype) || is_float8(dtype)) return llvm::Type::getFloatTy(context);
  return memory_type(dtype);
}

llvm::Value* KernelEmitter::from_memory(DType dtype, llvm::Value* bits) {
  if (is_float8(dtype)) return from_float8(dtype, bits);
  switch (dtype) {
    case DType::bool_:
      return b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    case DType::f16:
      return b_.CreateFPExt(bits, widen(b_.getFloatTy(), bits));
    case DType::bf16: {
      llvm::Value* word = b_.CreateZExt(bits, widen(b_.getInt32Ty(), bits));
      return b_.CreateBitCast(b_.CreateShl(word, 16), widen(b_.getFloatTy(), bits));
    }
    default:
      return bits;
  }
}

/// A half in registers is exact already, so it is only truncated.
llvm::Value* KernelEmitter::to_memory(DType dtype, llvm::Value* value) {
  if (is_float8(dtype)) return to_float8(dtype, value);
  switch (dtype) {
    case DType::bool_:
      return b_.CreateZExt(value, widen(b_.getInt8Ty(), value));
    case DType::f16:
      return b_.CreateFPTrunc(value, widen(b_.getHalfTy(), value));
    case DType::bf16: {
      llvm::Value* word = b_.CreateBitCast(value, widen(b_.getInt32Ty(), value));
      return b_.CreateTrunc(b_.CreateLShr(word, 16), widen(b_.getInt16Ty(), value));
    }
    default:
      return value;
  }
}

KernelEmitter::Place KernelEmitter::place(const Instr& instr) {
  llvm::Type* element = memory_type(kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype);
  llvm::Value* base = buffers_[static_cast<size_t>(instr.buffer)];
  const auto at = [&](llvm::Value* offset) { return b_.CreateGEP(element, base, offset); };
  const auto computed = [&](size_t i) { return value(std::get<loops::ValueId>(instr.indices[i])); };
  const size_t count = instr.indices.size();

  bool varies = false;
  for (size_t i = 1; i < count; ++i) varies |= computed(i)->getType()->isVectorTy();
  Place place;
  if (lanes_ > 1 && !varies && loops::steps_by_one(loops::offset_of(instr), vector_symbol_)) {
    place.contiguous = true;
    llvm::Value* offset = emit_base(loops::offset_of(instr));
    for (size_t i = 1; i < count; ++i) {
      offset = b_.CreateAdd(offset, b_.CreateMul(computed(i), emit_base(instr.strides[i])));
    }
    place.pointer = at(offset);
    return place;
  }
  llvm::Value* offset = emit_expr(loops::offset_of(instr)).value;
  for (size_t i = 1; i < count; ++i) {
    std::array<llvm::Value*, 2> factors{computed(i), emit_base(instr.strides[i])};
    unify(factors);
    std::array<llvm::Value*, 2> terms{offset, b_.CreateMul(factors[0], factors[1])};
    unify(terms);
    offset = b_.CreateAdd(terms[0], terms[1]);
  }
  place.pointer = at(offset);
  return place;
}

/// The active lanes: those of the loop's mask for which the predicate holds. Null if all are.
llvm::Value* KernelEmitter::active(llvm::Value* predicate) {
  if (predicate == nullptr) return mask_;
  if (mask_ == nullptr) return lanes_ > 1 ? spread(predicate) : predicate;
  return b_.CreateAnd(mask_, spread(predicate));
}

llvm::Value* KernelEmitter::load_lanes(const Place& place, llvm::Type* memory, llvm::Value* mask) {
  const llvm::Align align(memory->getPrimitiveSizeInBits() / 8);
  llvm::Type* type = vector_of(memory);
  if (place.contiguous) {
    if (mask == nullptr) return b_.CreateAlignedLoad(type, place.pointer, align);
    return b_.CreateMaskedLoad(type, place.pointer, align, mask,
                               llvm::Constant::getNullValue(type));
  }
  llvm::Value* pointers = spread(place.pointer);
  return b_.CreateMaskedGather(type, pointers, align, mask, llvm::Constant::getNullValue(type));
}

void KernelEmitter::store_lanes(const Place& place, llvm::Value* value, llvm::Value* mask) {
  const llvm::Align align(value->getType()->getScalarSizeInBits() / 8);
  if (place.contiguous) {
    if (mask == nullptr) {
      b_.CreateAlignedStore(value, place.pointer, align);
    } else {
      b_.CreateMaskedStore(value, place.pointer, align, mask);
    }
    return;
  }
  if (mask == nullptr) mask = llvm::Constant::getAllOnesValue(vector_of(b_.getInt1Ty()));
  b_.CreateMaskedScatter(value, spread(place.pointer), align, mask);
}

/// Prefetches the lines of a vector's elements into the second cache; any address is allowed.
void KernelEmitter::fetch_ahead(llvm::Value* pointer, llvm::Type* memory) {
  constexpr int64_t kLine = 64;
  const auto bytes = static_cast<int64_t>(memory->getPrimitiveSizeInBits() / 8) * lanes_;
  for (int64_t at = 0; at < bytes; at += kLine) {
    llvm::Value* line = b_.CreateGEP(b_.getInt8Ty(), pointer, integer(at));
    // Arguments: a read, used once more from the second cache, of data.
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {line, b_.getInt32(0), b_.getInt32(2), b_.getInt32(1)});
  }
}

void KernelEmitter::emit_load(const Instr& instr) {
  const DType from = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
  llvm::Type* memory = memory_type(from);
  if (const auto tile = tiles_.find(&instr); tile != tiles_.end()) {
    llvm::Type* line = vector_of(memory);
    llvm::Value* at = b_.CreateGEP(line, tile->second, tile_row_);
    return set(instr.results[0], from_memory(from, b_.CreateLoad(line, at)));
  }
  llvm::Value* predicate = instr.predicate == loops::kNoValue ? nullptr : value(instr.predicate);
  const Place where = place(instr);
  if (where.contiguous && instr.marks.ahead != 0) {
    fetch_ahead(b_.CreateGEP(memory, where.pointer, integer(instr.marks.ahead)), memory);
  }
  const bool is_one = !where.contiguous && !where.pointer->getType()->isVectorTy();
  const bool predicate_varies = predicate != nullptr && predicate->getType()->isVectorTy();

  if (is_one && !predicate_varies) {
    if (predicate == nullptr) {
      return set(instr.results[0], from_memory(from, b_.CreateLoad(memory, where.pointer)));
    }
    llvm::AllocaInst* result = local(memory, "loaded");
    b_.CreateStore(llvm::Constant::getNullValue(memory), result);
    guarded(predicate, [&] { b_.CreateStore(b_.CreateLoad(memory, where.pointer), result); });
    std::array<llvm::Value*, 2> choices{from_memory(from, b_.CreateLoad(memory, result)),
                                        value(instr.other)};
    unify(choices);
    return set(instr.results[0], b_.CreateSelect(predicate, choices[0], choices[1]));
  }
  llvm::Value* loaded = from_memory(from, load_lanes(where, memory, active(predicate)));
  if (predicate != nullptr) {
    loaded = b_.CreateSelect(spread(predicate), loaded, spread(value(instr.other)));
  }
  set(instr.results[0], loaded);
}

void KernelEmitter::emit_store(const Instr& instr) {
  const DType to = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
  llvm::Value* predicate = instr.predicate == loops::kNoValue ? nullptr : value(instr.predicate);
  llvm::Value* stored = value(instr.operands[0]);
  if (const auto tile = tiles_.find(&instr); tile != tiles_.end()) {
    llvm::Value* line = to_memory(to, spread(stored));
    b_.CreateStore(line, b_.CreateGEP(line->getType(), tile->second, tile_row_));
    return;
  }
  const Place where = place(instr);
  const bool in_lanes = lanes_ > 1;
  // Halves are combined in float and rounded each time.
  const auto rounded = [&](llvm::Value* sum) { return round_to_narrow(sum, to); };
  const auto combined = [&](llvm::Value* old) -> llvm::Value* {
    std::array<llvm::Value*, 2> operands{from_memory(to, old), stored};
    unify(operands);
    switch (instr.mode) {
      case StoreMode::assign:
        return operands[1];
      case StoreMode::add:
        return rounded(fold(loops::ReduceKind::sum, to, operands[0], operands[1]));
      case StoreMode::mul:
        return rounded(fold(loops::ReduceKind::prod, to, operands[0], operands[1]));
      case StoreMode::min:
        return fold(loops::ReduceKind::min, to, operands[0], operands[1]);
      case StoreMode::max:
        return fold(loops::ReduceKind::max, to, operands[0], operands[1]);
    }
    return nullptr;
  };
  if (in_lanes) {
    llvm::Value* mask = active(predicate);
    stored = spread(stored);
    if (instr.mode != StoreMode::assign) {
      check(where.contiguous, "lanes that combine must not meet:", kernel_.name);
      stored = combined(load_lanes(where, memory_type(to), mask));
    }
    if (!where.contiguous && !where.pointer->getType()->isVectorTy()) {
      check(false, "lanes must not store to one element:", kernel_.name);
    }
    if (streams_ && mask == nullptr && instr.marks.is_streamed) {
      llvm::StoreInst* streamed = b_.CreateAlignedStore(to_memory(to, stored), where.pointer,
                                                        llvm::Align(streamed_alignment(instr)));
      llvm::Metadata* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
      streamed->setMetadata(llvm::LLVMContext::MD_nontemporal,
                            llvm::MDNode::get(module_.getContext(), {one}));
      return;
    }
    return store_lanes(where, to_memory(to, stored), mask);
  }
  const auto store = [&] {
    if (instr.mode != StoreMode::assign) {
      stored = combined(b_.CreateLoad(memory_type(to), where.pointer));
    }
    b_.CreateStore(to_memory(to, stored), where.pointer);
  };
  if (predicate == nullptr) return store();
  guarded(predicate, store);
}

/// Returns from the function if a lane fails; reports the first that does.
void KernelEmitter::fail_where(llvm::Value* failing, artifact::KernelCheck check,
                               llvm::Value* value, llvm::Value* extent) {
  llvm::LLVMContext& context = module_.getContext();
  int64_t number = -1;
  for (size_t i = 0; i < checks_.size(); ++i) {
    if (checks_[i] == check) number = static_cast<int64_t>(i);
  }
  if (number < 0) {
    number = static_cast<int64_t>(checks_.size());
    checks_.push_back(std::move(check));
  }
  llvm::Value* any = failing;
  if (failing->getType()->isVectorTy()) {
    if (mask_ != nullptr) failing = b_.CreateAnd(failing, mask_);
    any = b_.CreateOrReduce(failing);
  }
  auto* fail = llvm::BasicBlock::Create(context, "fail", function_);
  auto* fine = llvm::BasicBlock::Create(context, "fine", function_);
  b_.CreateCondBr(any, fail, fine);
  b_.SetInsertPoint(fail);
  if (failing->getType()->isVectorTy()) {
    llvm::Value* bits = b_.CreateBitCast(failing, b_.getIntNTy(static_cast<unsigned>(lanes_)));
    llvm::Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getInt1(true));
    lane = b_.CreateZExtOrTrunc(lane, b_.getInt64Ty());
    if (value->getType()->isVectorTy()) value = b_.CreateExtractElement(value, lane);
  }
  const auto field = [&](unsigned index) {
    return b_.CreateConstGEP1_64(b_.getInt64Ty(), failure_, index);
  };
  b_.CreateStore(integer(number), field(0));
  b_.CreateStore(value, field(1));
  b_.CreateStore(extent, field(2));
  b_.CreateRet(b_.getInt32(1));
  fine->moveAfter(fail);
  b_.SetInsertPoint(fine);
}

void KernelEmitter::emit_bound_index(const Instr& instr) {
  llvm::Value* index = value(instr.operands[0]);
  llvm::Value* extent = emit_base(instr.expr);
  const bool wraps = instr.flag;
  const auto like_index = [&](llvm::Value* scalar) {
    return index->getType()->isVectorTy() ? spread(scalar) : scalar;
  };
  llvm::Value* limit = like_index(extent);
  llvm::Value* zero = llvm::Constant::getNullValue(index->getType());
  llvm::Value* wrapped = index;
  if (wraps) {
    wrapped = b_.CreateSelect(b_.CreateICmpSLT(index, zero), b_.CreateAdd(index, limit), index);
  }
  // One unsigned comparison checks both bounds.
  const auto kind = wraps ? artifact::CheckKind::wrapping_index : artifact::CheckKind::index;
  fail_where(b_.CreateICmpUGE(wrapped, limit), {kind, instr.text}, index, extent);
  if (mask_ != nullptr && wrapped->getType()->isVectorTy()) {
    wrapped = b_.CreateSelect(mask_, wrapped, zero);
  }
  set(instr.results[0], wrapped);
}

void KernelEmitter::emit_check(const Instr& instr) {
  llvm::Value* fails = b_.CreateNot(value(instr.operands[0]));
  fail_where(fails, {artifact::CheckKind::assertion, instr.text}, integer(0), integer(0));
}

}  // namespace litz::codegen
