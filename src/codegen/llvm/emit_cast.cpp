// Conversions between dtypes, with the results that types/scalar_cast.h defines.

#include <cmath>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/kernel_emitter.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

bool is_narrow(DType dtype) { return is_half(dtype) || is_float8(dtype); }

bool is_real(DType dtype) { return is_narrow(dtype) || dtype == DType::f32 || dtype == DType::f64; }

}  // namespace

/// A float as the nearest value of a format that lives in a float; other dtypes are left alone.
llvm::Value* KernelEmitter::round_to_narrow(llvm::Value* value, DType to) {
  if (is_half(to)) return round_to_half(value, to);
  return is_float8(to) ? from_float8(to, to_float8(to, value)) : value;
}

/// A float as the nearest value of the half format, ties to even, still in a float.
llvm::Value* KernelEmitter::round_to_half(llvm::Value* value, DType to) {
  if (to == DType::f16) {
    llvm::Value* narrow = b_.CreateFPTrunc(value, widen(b_.getHalfTy(), value));
    return b_.CreateFPExt(narrow, value->getType());
  }
  llvm::Type* word = widen(b_.getInt32Ty(), value);
  const auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(word, bits); };
  llvm::Value* bits = b_.CreateBitCast(value, word);
  llvm::Value* is_odd = b_.CreateAnd(b_.CreateLShr(bits, 16), constant(1));
  llvm::Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(is_odd, constant(0x7fff)));
  rounded = b_.CreateAnd(rounded, constant(0xffff0000));
  llvm::Value* is_nan = b_.CreateFCmpUNO(value, value);
  rounded = b_.CreateSelect(is_nan, constant(0x7fc00000), rounded);
  return b_.CreateBitCast(rounded, value->getType());
}

/// Truncates to a signed integer of `bits`. Values that do not fit, and NaN, give the smallest.
llvm::Value* KernelEmitter::truncate(llvm::Value* value, unsigned bits) {
  llvm::Type* type = value->getType();
  llvm::Type* target = widen(b_.getIntNTy(bits), value);
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  llvm::Value* high = b_.CreateFCmpOLT(value, llvm::ConstantFP::get(type, limit));
  const bool is_wider = type->getScalarSizeInBits() > bits;
  llvm::Value* low = is_wider ? b_.CreateFCmpOGT(value, llvm::ConstantFP::get(type, -limit - 1))
                              : b_.CreateFCmpOGE(value, llvm::ConstantFP::get(type, -limit));
  llvm::Value* fits = b_.CreateAnd(high, low);
  llvm::Value* safe = b_.CreateSelect(fits, value, llvm::Constant::getNullValue(type));
  llvm::Constant* smallest = llvm::ConstantInt::get(target, llvm::APInt::getSignedMinValue(bits));
  return b_.CreateSelect(fits, b_.CreateFPToSI(safe, target), smallest);
}

llvm::Value* KernelEmitter::float_to_integer(llvm::Value* value, DType to) {
  llvm::Type* type = value->getType();
  llvm::Type* target = widen(register_type(to), value);
  switch (to) {
    case DType::u64: {
      llvm::Constant* top = llvm::ConstantFP::get(type, 0x1p63);
      llvm::Value* is_high = b_.CreateFCmpUGE(value, top);
      llvm::Value* low = truncate(value, 64);
      llvm::Value* high = truncate(b_.CreateFSub(value, top), 64);
      llvm::Value* flipped =
          b_.CreateXor(high, llvm::ConstantInt::get(target, llvm::APInt::getSignedMinValue(64)));
      return b_.CreateSelect(is_high, flipped, low);
    }
    case DType::i64:
    case DType::u8:
    case DType::u32:
      return b_.CreateTruncOrBitCast(truncate(value, 64), target);
    default:
      return b_.CreateTruncOrBitCast(truncate(value, 32), target);
  }
}

llvm::Value* KernelEmitter::emit_cast(llvm::Value* value, DType from, DType to) {
  if (from == to) {
    // Arithmetic on halves is done in float, so the value may still need rounding.
    return value;
  }
  const bool from_real = is_real(from);
  if (to == DType::bool_) {
    llvm::Constant* zero = llvm::Constant::getNullValue(value->getType());
    return from_real ? b_.CreateFCmpUNE(value, zero) : b_.CreateICmpNE(value, zero);
  }
  llvm::Type* target = widen(register_type(to), value);
  if (from_real && is_real(to)) {
    if (from == DType::f64 && to != DType::f64) {
      value = b_.CreateFPTrunc(value, widen(b_.getFloatTy(), value));
    }
    if (is_narrow(to)) return round_to_narrow(value, to);
    return to == DType::f64 ? b_.CreateFPExt(value, target) : value;
  }
  if (from_real) return float_to_integer(value, to);
  const bool is_unsigned = from == DType::bool_ || !is_signed(from);
  if (is_real(to)) {
    llvm::Type* real = to == DType::f64 ? target : widen(b_.getFloatTy(), value);
    value = is_unsigned ? b_.CreateUIToFP(value, real) : b_.CreateSIToFP(value, real);
    return round_to_narrow(value, to);
  }
  return b_.CreateIntCast(value, target, !is_unsigned);
}

llvm::Value* KernelEmitter::emit_bitcast(llvm::Value* value, DType from, DType to) {
  llvm::Value* bits = b_.CreateBitCast(to_memory(from, value), widen(memory_type(to), value));
  return from_memory(to, bits);
}

}  // namespace litz::codegen
