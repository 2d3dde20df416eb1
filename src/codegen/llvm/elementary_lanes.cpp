// Each operator is one builder call; the longer functions are at the end.

#include "codegen/llvm/elementary_lanes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace litz::codegen {
namespace {

llvm::Type* integer_type(llvm::Type* type) {
  return type->getWithNewType(
      llvm::Type::getIntNTy(type->getContext(), type->getScalarSizeInBits()));
}

Real intrinsic(llvm::Intrinsic::ID id, Real a) {
  return {a.builder, a.builder->CreateUnaryIntrinsic(id, a.value)};
}

}  // namespace

Bits Bits::same(uint64_t constant) const {
  return {builder, llvm::ConstantInt::get(value->getType(), constant)};
}

Real Real::same(double constant) const {
  return {builder, llvm::ConstantFP::get(value->getType(), constant)};
}

Mask operator&(Mask a, Mask b) { return {a.builder, a.builder->CreateAnd(a.value, b.value)}; }

Mask operator|(Mask a, Mask b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }

Mask operator^(Mask a, Mask b) { return {a.builder, a.builder->CreateXor(a.value, b.value)}; }

Mask operator~(Mask a) { return {a.builder, a.builder->CreateNot(a.value)}; }

Bits operator+(Bits a, Bits b) { return {a.builder, a.builder->CreateAdd(a.value, b.value)}; }

Bits operator-(Bits a, Bits b) { return {a.builder, a.builder->CreateSub(a.value, b.value)}; }

Bits operator*(Bits a, Bits b) { return {a.builder, a.builder->CreateMul(a.value, b.value)}; }

Bits operator&(Bits a, Bits b) { return {a.builder, a.builder->CreateAnd(a.value, b.value)}; }

Bits operator|(Bits a, Bits b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }

Bits operator^(Bits a, Bits b) { return {a.builder, a.builder->CreateXor(a.value, b.value)}; }

Bits operator<<(Bits a, Bits count) {
  return {a.builder, a.builder->CreateShl(a.value, count.value)};
}

Bits operator<<(Bits a, int count) { return a << a.same(static_cast<uint64_t>(count)); }

Bits operator>>(Bits a, int count) {
  return {a.builder, a.builder->CreateAShr(a.value, a.same(static_cast<uint64_t>(count)).value)};
}

Bits shift_right_zeros(Bits a, Bits count) {
  return {a.builder, a.builder->CreateLShr(a.value, count.value)};
}

Bits shift_right_zeros(Bits a, int count) {
  return shift_right_zeros(a, a.same(static_cast<uint64_t>(count)));
}

Mask operator==(Bits a, Bits b) { return {a.builder, a.builder->CreateICmpEQ(a.value, b.value)}; }

Mask less_unsigned(Bits a, Bits b) {
  return {a.builder, a.builder->CreateICmpULT(a.value, b.value)};
}

Mask less_signed(Bits a, Bits b) { return {a.builder, a.builder->CreateICmpSLT(a.value, b.value)}; }

Bits select(Mask condition, Bits yes, Bits no) {
  return {yes.builder, yes.builder->CreateSelect(condition.value, yes.value, no.value)};
}

Real operator+(Real a, Real b) { return {a.builder, a.builder->CreateFAdd(a.value, b.value)}; }

Real operator-(Real a, Real b) { return {a.builder, a.builder->CreateFSub(a.value, b.value)}; }

Real operator*(Real a, Real b) { return {a.builder, a.builder->CreateFMul(a.value, b.value)}; }

Real operator/(Real a, Real b) { return {a.builder, a.builder->CreateFDiv(a.value, b.value)}; }

Real operator+(Real a, double b) { return a + a.same(b); }

Real operator-(Real a, double b) { return a - a.same(b); }

Real operator*(Real a, double b) { return a * a.same(b); }

Real operator-(double a, Real b) { return b.same(a) - b; }

Real operator/(double a, Real b) { return b.same(a) / b; }

Real operator-(Real a) { return {a.builder, a.builder->CreateFNeg(a.value)}; }

Mask operator<(Real a, Real b) { return {a.builder, a.builder->CreateFCmpOLT(a.value, b.value)}; }

Mask operator<=(Real a, Real b) { return {a.builder, a.builder->CreateFCmpOLE(a.value, b.value)}; }

Mask operator==(Real a, Real b) { return {a.builder, a.builder->CreateFCmpOEQ(a.value, b.value)}; }

Mask operator<(Real a, double b) { return a < a.same(b); }

Mask operator<=(Real a, double b) { return a <= a.same(b); }

Mask operator>(Real a, double b) { return a.same(b) < a; }

Mask operator>=(Real a, double b) { return a.same(b) <= a; }

Mask operator==(Real a, double b) { return a == a.same(b); }

Mask is_nan(Real a) { return {a.builder, a.builder->CreateFCmpUNO(a.value, a.value)}; }

Real fma(Real a, Real b, Real c) {
  return {a.builder, a.builder->CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()},
                                                {a.value, b.value, c.value})};
}

Real fma(Real a, double b, Real c) { return fma(a, a.same(b), c); }

Real fma(Real a, Real b, double c) { return fma(a, b, a.same(c)); }

Real fma(Real a, double b, double c) { return fma(a, a.same(b), a.same(c)); }

Real abs(Real a) { return intrinsic(llvm::Intrinsic::fabs, a); }

Real sqrt(Real a) { return intrinsic(llvm::Intrinsic::sqrt, a); }

Real trunc(Real a) { return intrinsic(llvm::Intrinsic::trunc, a); }

Real copysign(Real magnitude, Real sign) {
  return {sign.builder, sign.builder->CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                                            magnitude.value, sign.value)};
}

Real select(Mask condition, Real yes, Real no) {
  return {yes.builder, yes.builder->CreateSelect(condition.value, yes.value, no.value)};
}

Real select(Mask condition, double yes, Real no) { return select(condition, no.same(yes), no); }

Real select(Mask condition, Real yes, double no) { return select(condition, yes, yes.same(no)); }

Real at_least(Real x, double bound) { return select(x < bound, bound, x); }

Real at_most(Real x, double bound) { return select(x > bound, bound, x); }

Bits bits(Real a) {
  return {a.builder, a.builder->CreateBitCast(a.value, integer_type(a.value->getType()))};
}

Real real(Bits a) {
  llvm::Type* type = a.value->getType();
  llvm::Type* element =
      type->getScalarSizeInBits() == 64 ? a.builder->getDoubleTy() : a.builder->getFloatTy();
  return {a.builder, a.builder->CreateBitCast(a.value, type->getWithNewType(element))};
}

Real convert(Bits a) {
  llvm::Type* type = a.value->getType();
  llvm::Type* element =
      type->getScalarSizeInBits() == 64 ? a.builder->getDoubleTy() : a.builder->getFloatTy();
  return {a.builder, a.builder->CreateSIToFP(a.value, type->getWithNewType(element))};
}

Real widen(Real a) {
  llvm::Type* type = a.value->getType()->getWithNewType(a.builder->getDoubleTy());
  return {a.builder, a.builder->CreateFPExt(a.value, type)};
}

Real narrow(Real a) {
  llvm::Type* type = a.value->getType()->getWithNewType(a.builder->getFloatTy());
  return {a.builder, a.builder->CreateFPTrunc(a.value, type)};
}

Bits widen(Bits a) {
  llvm::Type* type = a.value->getType()->getWithNewType(a.builder->getInt64Ty());
  return {a.builder, a.builder->CreateZExt(a.value, type)};
}

Bits narrow(Bits a) {
  llvm::Type* type = a.value->getType()->getWithNewType(a.builder->getInt32Ty());
  return {a.builder, a.builder->CreateTrunc(a.value, type)};
}

Real polynomial(Real x, std::span<const double> coefficients) {
  Real result = x.same(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) result = fma(result, x, coefficients[i]);
  return result;
}

namespace {

Real integer_magic(Real like) {
  return like.same(like.is_f64() ? 0x1.8p52 + 2046 : 0x1.8p23 + 254);
}

Whole whole(Real shifted) { return {shifted - integer_magic(shifted), shifted}; }

}  // namespace

Whole round_to_whole(Real x) { return whole(x + integer_magic(x)); }

Whole round_to_whole(Real x, Real factor) { return whole(fma(x, factor, integer_magic(x))); }

Whole round_to_whole(Real x, double factor) { return round_to_whole(x, x.same(factor)); }

Mask is_zero(Whole n) { return n.shifted == integer_magic(n.shifted); }

Pair sum_ordered(Real a, Real b) {
  const Real high = a + b;
  return {high, b - (high - a)};
}

Pair sum(Real a, Real b) {
  const Real high = a + b;
  const Real b_part = high - a;
  return {high, (a - (high - b_part)) + (b - b_part)};
}

Pair product(Real a, Real b) {
  const Real high = a * b;
  return {high, fma(a, b, -high)};
}

}  // namespace litz::codegen
