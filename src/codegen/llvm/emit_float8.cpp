// Converts between the bits of 8-bit floating formats in memory and floats with the same values.
// The results are those that types/float_formats.h defines.

#include <bit>
#include <limits>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"
#include "types/float_formats.h"

namespace litz::codegen {
namespace {

/// Fields of a format with a sign.
struct Format {
  int mantissa_bits = 0;
  int bias = 0;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fn:
      return {3, 7};
    case DType::f8e4m3fnuz:
      return {3, 8};
    case DType::f8e5m2:
      return {2, 15};
    default:
      return {2, 16};
  }
}

constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kNaN = 0x7fc00000;

/// The encoding of numbers that are too large.
uint32_t overflow_of(DType dtype) {
  const float infinity = std::numeric_limits<float>::infinity();
  return dtype == DType::f8e4m3fn ? to_float8_e4m3fn(infinity).bits : to_float8_e5m2(infinity).bits;
}

uint32_t power_of_two(int exponent) { return static_cast<uint32_t>(127 + exponent) << 23; }

}  // namespace

/// `bits` of i8 as floats.
llvm::Value* KernelEmitter::from_float8(DType dtype, llvm::Value* bits) {
  llvm::Type* word = widen(b_.getInt32Ty(), bits);
  llvm::Type* real = widen(b_.getFloatTy(), bits);
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(word, value); };
  llvm::Value* all = b_.CreateZExt(bits, word);
  if (dtype == DType::f8e8m0fnu) {
    llvm::Value* value = b_.CreateShl(all, 23);
    value = b_.CreateSelect(b_.CreateICmpEQ(all, number(0)), number(0x00400000), value);
    value = b_.CreateSelect(b_.CreateICmpEQ(all, number(0xff)), number(kNaN), value);
    return b_.CreateBitCast(value, real);
  }
  const auto [mantissa_bits, bias] = format_of(dtype);
  llvm::Value* sign = b_.CreateShl(b_.CreateAnd(all, number(0x80)), 24);
  llvm::Value* magnitude = b_.CreateAnd(all, number(0x7f));
  llvm::Value* normal =
      b_.CreateAdd(b_.CreateShl(magnitude, static_cast<uint64_t>(23 - mantissa_bits)),
                   number(static_cast<uint32_t>(127 - bias) << 23));
  // Subnormal numbers are multiples of the smallest.
  llvm::Constant* smallest = llvm::ConstantFP::get(
      real, static_cast<double>(std::bit_cast<float>(power_of_two(1 - bias - mantissa_bits))));
  llvm::Value* subnormal =
      b_.CreateBitCast(b_.CreateFMul(b_.CreateUIToFP(magnitude, real), smallest), word);
  llvm::Value* is_subnormal = b_.CreateICmpULT(magnitude, number(1U << mantissa_bits));
  llvm::Value* value = b_.CreateSelect(is_subnormal, subnormal, normal);
  if (dtype == DType::f8e4m3fn) {
    value = b_.CreateSelect(b_.CreateICmpEQ(magnitude, number(0x7f)), number(kNaN), value);
  } else if (dtype == DType::f8e5m2) {
    value = b_.CreateSelect(b_.CreateICmpEQ(magnitude, number(0x7c)), number(kInfinity), value);
    value = b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7c)), number(kNaN), value);
  }
  value = b_.CreateOr(value, sign);
  if (dtype == DType::f8e4m3fnuz || dtype == DType::f8e5m2fnuz) {
    value = b_.CreateSelect(b_.CreateICmpEQ(all, number(0x80)), number(kNaN), value);
  }
  return b_.CreateBitCast(value, real);
}

/// Floats rounded to the format, ties to even, as i8.
llvm::Value* KernelEmitter::to_float8(DType dtype, llvm::Value* value) {
  llvm::Type* word = widen(b_.getInt32Ty(), value);
  llvm::Type* byte = widen(b_.getInt8Ty(), value);
  const auto number = [&](uint32_t constant) { return llvm::ConstantInt::get(word, constant); };
  const auto where = [&](llvm::Value* condition, uint32_t result, llvm::Value* other) {
    return b_.CreateSelect(condition, number(result), other);
  };
  llvm::Value* bits = b_.CreateBitCast(value, word);
  llvm::Value* magnitude = b_.CreateAnd(bits, number(0x7fffffff));
  if (dtype == DType::f8e8m0fnu) {
    llvm::Value* exponent = b_.CreateLShr(magnitude, 23);
    llvm::Value* mantissa = b_.CreateAnd(magnitude, number(0x7fffff));
    // Halfway rounds up for normal numbers.
    llvm::Value* half = where(b_.CreateICmpEQ(exponent, number(0)), 0x400000, number(0x3fffff));
    llvm::Value* rounds_up = b_.CreateZExt(b_.CreateICmpUGT(mantissa, half), word);
    llvm::Value* is_special = b_.CreateICmpEQ(exponent, number(0xff));
    return b_.CreateTrunc(where(is_special, 0xff, b_.CreateAdd(exponent, rounds_up)), byte);
  }
  llvm::Value* result = round_to_fields(dtype, value, magnitude);
  llvm::Value* sign = b_.CreateAnd(b_.CreateLShr(bits, 24), number(0x80));
  if (dtype == DType::f8e4m3fn || dtype == DType::f8e5m2) {
    const uint32_t overflow = overflow_of(dtype);
    result = where(b_.CreateICmpUGT(result, number(overflow)), overflow, result);
    result = where(b_.CreateICmpUGT(magnitude, number(kInfinity)), 0x7f, result);
    return b_.CreateTrunc(b_.CreateOr(result, sign), byte);
  }
  // NaN has the encoding of negative zero.
  llvm::Value* is_zero = b_.CreateICmpEQ(result, number(0));
  llvm::Value* is_finite = b_.CreateICmpULE(result, number(0x7f));
  result = b_.CreateSelect(is_zero, result, b_.CreateOr(result, sign));
  result = b_.CreateSelect(is_finite, result, number(0x80));
  return b_.CreateTrunc(result, byte);
}

/// Exponent and mantissa of the rounded magnitude, as if exponents were unbounded.
llvm::Value* KernelEmitter::round_to_fields(DType dtype, llvm::Value* value,
                                            llvm::Value* magnitude) {
  const auto [mantissa_bits, bias] = format_of(dtype);
  const int dropped = 23 - mantissa_bits;
  llvm::Type* word = magnitude->getType();
  const auto number = [&](uint32_t constant) { return llvm::ConstantInt::get(word, constant); };
  // The sum has the unit in the last place of the smallest subnormal number, so it is rounded to
  // it.
  const uint32_t aligner = power_of_two(1 - bias + dropped);
  llvm::Value* aligned = b_.CreateFAdd(
      b_.CreateBitCast(magnitude, value->getType()),
      llvm::ConstantFP::get(value->getType(), static_cast<double>(std::bit_cast<float>(aligner))));
  llvm::Value* subnormal = b_.CreateSub(b_.CreateBitCast(aligned, word), number(aligner));
  const auto shift = static_cast<uint64_t>(dropped);
  llvm::Value* is_odd = b_.CreateAnd(b_.CreateLShr(magnitude, shift), number(1));
  llvm::Value* normal = b_.CreateSub(magnitude, number(static_cast<uint32_t>(127 - bias) << 23));
  normal = b_.CreateAdd(normal, number((1U << (dropped - 1)) - 1));
  normal = b_.CreateLShr(b_.CreateAdd(normal, is_odd), shift);
  return b_.CreateSelect(b_.CreateICmpULT(magnitude, number(power_of_two(1 - bias))), subnormal,
                         normal);
}

}  // namespace litz::codegen
