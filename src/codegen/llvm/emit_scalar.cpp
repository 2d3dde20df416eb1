// Scalar operations on registers, with one value or one per lane.

#include <array>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <numbers>

#include "codegen/llvm/elementary.h"
#include "codegen/llvm/kernel_emitter.h"
#include "support/check.h"

namespace litz::codegen {

using loops::ScalarOp;

namespace {

/// True for a compile-time constant that is equal in all lanes and is not NaN.
bool is_number(llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant != nullptr && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  const auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return real != nullptr && !real->isNaN();
}

}  // namespace

void KernelEmitter::emit_constant(const Instr& instr) {
  const DType to = dtype(instr.results[0]);
  llvm::Type* type = register_type(to);
  if (const auto* whole = std::get_if<int64_t>(&instr.literal)) {
    if (type->isFloatingPointTy()) {
      return set(instr.results[0], llvm::ConstantFP::get(type, static_cast<double>(*whole)));
    }
    const unsigned bits = type->getPrimitiveSizeInBits();
    const llvm::APInt word(64, static_cast<uint64_t>(*whole));
    return set(instr.results[0], llvm::ConstantInt::get(type, word.trunc(bits)));
  }
  if (const auto* z = std::get_if<std::complex<double>>(&instr.literal)) {
    llvm::Type* part = b_.getDoubleTy();
    return set(instr.results[0], pair(llvm::ConstantFP::get(part, z->real()),
                                      llvm::ConstantFP::get(part, z->imag())));
  }
  const double real = std::get<double>(instr.literal);
  llvm::Value* wide = llvm::ConstantFP::get(b_.getDoubleTy(), real);
  set(instr.results[0], to == DType::f64 ? wide : emit_cast(wide, DType::f64, to));
}

void KernelEmitter::emit_op(const Instr& instr) {
  llvm::SmallVector<llvm::Value*, 3> operands;
  for (const loops::ValueId id : instr.operands) operands.push_back(value(id));
  const DType from = dtype(instr.operands.back());
  const DType to = dtype(instr.results[0]);
  const auto result = [&](llvm::Value* made) { set(instr.results[0], made); };
  if (instr.op == ScalarOp::cast) return result(emit_cast(operands[0], from, to));
  if (instr.op == ScalarOp::bitcast) return result(emit_bitcast(operands[0], from, to));
  if (instr.op == ScalarOp::select) {
    std::array<llvm::Value*, 2> choices{operands[1], operands[2]};
    // One condition for all lanes may choose between vectors.
    if (operands[0]->getType()->isVectorTy()) {
      for (llvm::Value*& choice : choices) choice = spread(choice);
    } else {
      unify(choices);
    }
    return result(b_.CreateSelect(operands[0], choices[0], choices[1]));
  }
  if (is_complex(from) || is_complex(to)) return result(emit_complex(instr.op, operands));
  if (instr.op == ScalarOp::philox) return result(emit_philox(instr, operands[0], operands[1]));
  unify(operands);
  if (from == DType::bool_) return result(emit_bool(instr.op, operands));
  if (is_integer(from)) return result(emit_integer(instr.op, from, operands));
  result(emit_real(instr.op, operands));
}

llvm::Value* KernelEmitter::emit_bool(ScalarOp op, llvm::ArrayRef<llvm::Value*> v) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::max:
    case ScalarOp::fmax:
    case ScalarOp::bit_or:
      return b_.CreateOr(v[0], v[1]);
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::fmin:
    case ScalarOp::bit_and:
      return b_.CreateAnd(v[0], v[1]);
    case ScalarOp::bit_xor:
    case ScalarOp::ne:
      return b_.CreateXor(v[0], v[1]);
    case ScalarOp::eq:
      return b_.CreateNot(b_.CreateXor(v[0], v[1]));
    case ScalarOp::bit_not:
      return b_.CreateNot(v[0]);
    case ScalarOp::lt:
      return b_.CreateAnd(b_.CreateNot(v[0]), v[1]);
    case ScalarOp::le:
      return b_.CreateOr(b_.CreateNot(v[0]), v[1]);
    default:
      check(false, "this operation is not for bool:", loops::name(op));
      return nullptr;
  }
}

llvm::Value* KernelEmitter::emit_real(ScalarOp op, llvm::ArrayRef<llvm::Value*> v) {
  llvm::Type* type = v[0]->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  const auto is_nan = [&](llvm::Value* a) { return b_.CreateFCmpUNO(a, a); };
  const auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, v[0]); };
  // This is one instruction on x86, whose second operand wins if either is NaN.
  const auto least = [&](llvm::Value* a, llvm::Value* b) {
    return b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
  };
  const auto greatest = [&](llvm::Value* a, llvm::Value* b) {
    return b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
  };
  switch (op) {
    case ScalarOp::add:
      return b_.CreateFAdd(v[0], v[1]);
    case ScalarOp::sub:
      return b_.CreateFSub(v[0], v[1]);
    case ScalarOp::mul:
      return b_.CreateFMul(v[0], v[1]);
    case ScalarOp::div:
      return b_.CreateFDiv(v[0], v[1]);
    case ScalarOp::neg:
      return b_.CreateFNeg(v[0]);
    case ScalarOp::abs:
      return unary(llvm::Intrinsic::fabs);
    case ScalarOp::sign: {
      llvm::Value* above = b_.CreateUIToFP(b_.CreateFCmpOGT(v[0], zero), type);
      llvm::Value* below = b_.CreateUIToFP(b_.CreateFCmpOLT(v[0], zero), type);
      return b_.CreateFSub(above, below);
    }
    // Next to a number one comparison decides; NaN passes or fails it correctly.
    case ScalarOp::min:
      if (is_number(v[0])) return least(v[0], v[1]);
      if (is_number(v[1])) return b_.CreateSelect(b_.CreateFCmpULT(v[0], v[1]), v[0], v[1]);
      return b_.CreateSelect(is_nan(v[0]), v[0], least(v[0], v[1]));
    case ScalarOp::max:
      if (is_number(v[0])) return greatest(v[0], v[1]);
      if (is_number(v[1])) return b_.CreateSelect(b_.CreateFCmpUGT(v[0], v[1]), v[0], v[1]);
      return b_.CreateSelect(is_nan(v[0]), v[0], greatest(v[0], v[1]));
    case ScalarOp::fmin:
      return b_.CreateSelect(is_nan(v[1]), v[0], least(v[0], v[1]));
    case ScalarOp::fmax:
      return b_.CreateSelect(is_nan(v[1]), v[0], greatest(v[0], v[1]));
    case ScalarOp::fma:
      return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {v[0], v[1], v[2]});
    case ScalarOp::copysign:
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v[0], v[1]);
    case ScalarOp::eq:
      return b_.CreateFCmpOEQ(v[0], v[1]);
    case ScalarOp::ne:
      return b_.CreateFCmpUNE(v[0], v[1]);
    case ScalarOp::lt:
      return b_.CreateFCmpOLT(v[0], v[1]);
    case ScalarOp::le:
      return b_.CreateFCmpOLE(v[0], v[1]);
    case ScalarOp::is_nan:
      return is_nan(v[0]);
    case ScalarOp::is_inf:
      return b_.CreateFCmpOEQ(unary(llvm::Intrinsic::fabs), llvm::ConstantFP::getInfinity(type));
    case ScalarOp::signbit: {
      llvm::Type* word = widen(b_.getIntNTy(type->getScalarSizeInBits()), v[0]);
      return b_.CreateICmpSLT(b_.CreateBitCast(v[0], word), llvm::Constant::getNullValue(word));
    }
    case ScalarOp::floor:
      return unary(llvm::Intrinsic::floor);
    case ScalarOp::ceil:
      return unary(llvm::Intrinsic::ceil);
    case ScalarOp::trunc:
      return unary(llvm::Intrinsic::trunc);
    case ScalarOp::round_even:
      return unary(llvm::Intrinsic::roundeven);
    case ScalarOp::sqrt:
      return unary(llvm::Intrinsic::sqrt);
    case ScalarOp::angle: {
      llvm::Value* turned = b_.CreateSelect(b_.CreateFCmpOLT(v[0], zero),
                                            llvm::ConstantFP::get(type, std::numbers::pi), zero);
      return b_.CreateSelect(is_nan(v[0]), v[0], turned);
    }
    case ScalarOp::nextafter:
      return emit_next_after(v[0], v[1]);
    case ScalarOp::trunc_div:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b_.CreateFDiv(v[0], v[1]));
    case ScalarOp::mod:
    case ScalarOp::floor_div: {
      // Python's: the remainder takes the sign of the divisor, the quotient follows from it.
      llvm::Value* remainder = emit_function(ScalarOp::fmod, v);
      llvm::Value* differs =
          b_.CreateXor(b_.CreateFCmpOLT(v[1], zero), b_.CreateFCmpOLT(remainder, zero));
      llvm::Value* adjusts = b_.CreateAnd(b_.CreateFCmpUNE(remainder, zero), differs);
      if (op == ScalarOp::mod) {
        return b_.CreateSelect(adjusts, b_.CreateFAdd(remainder, v[1]), remainder);
      }
      llvm::Value* exact = b_.CreateFDiv(v[0], v[1]);
      llvm::Value* quotient = b_.CreateFDiv(b_.CreateFSub(v[0], remainder), v[1]);
      llvm::Constant* one = llvm::ConstantFP::get(type, 1.0);
      quotient = b_.CreateSelect(adjusts, b_.CreateFSub(quotient, one), quotient);
      llvm::Value* whole = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
      llvm::Value* rounds_up =
          b_.CreateFCmpOGT(b_.CreateFSub(quotient, whole), llvm::ConstantFP::get(type, 0.5));
      llvm::Value* rounded = b_.CreateSelect(rounds_up, b_.CreateFAdd(whole, one), whole);
      llvm::Value* nothing = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, exact);
      rounded = b_.CreateSelect(b_.CreateFCmpOEQ(quotient, zero), nothing, rounded);
      return b_.CreateSelect(b_.CreateFCmpOEQ(v[1], zero), exact, rounded);
    }
    default:
      return emit_function(op, v);
  }
}

/// Formulas of constants are shorter, so they stay in their place.
llvm::Value* KernelEmitter::emit_function(ScalarOp op, llvm::ArrayRef<llvm::Value*> operands) {
  const bool has_constant = llvm::any_of(
      operands, [](const llvm::Value* operand) { return llvm::isa<llvm::Constant>(operand); });
  const bool calls = calls_functions_ && has_long_formula(op) && !has_constant;
  return calls ? call_elementary(b_, op, operands) : emit_elementary(b_, op, operands);
}

/// The neighbour of a in the direction of b: floats of one sign are ordered as their bits are.
llvm::Value* KernelEmitter::emit_next_after(llvm::Value* a, llvm::Value* b) {
  llvm::Type* type = a->getType();
  llvm::Type* word = widen(b_.getIntNTy(type->getScalarSizeInBits()), a);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::Constant* one = llvm::ConstantInt::get(word, 1);
  llvm::Value* bits = b_.CreateBitCast(a, word);
  llvm::Value* grows = b_.CreateICmpEQ(b_.CreateFCmpOLT(a, b), b_.CreateFCmpOGT(a, zero));
  llvm::Value* moved = b_.CreateSelect(grows, b_.CreateAdd(bits, one), b_.CreateSub(bits, one));
  llvm::Value* least =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b_.CreateBitCast(one, type), b);
  llvm::Value* next =
      b_.CreateSelect(b_.CreateFCmpOEQ(a, zero), least, b_.CreateBitCast(moved, type));
  next = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), b, next);
  return b_.CreateSelect(b_.CreateFCmpUNO(a, b), b_.CreateFAdd(a, b), next);
}

/// Quotients and remainders. A zero divisor is reported. The only quotient that overflows is
/// replaced by a wrapped negation, so no division is by -1.
llvm::Value* KernelEmitter::emit_division(ScalarOp op, DType dtype, llvm::Value* a,
                                          llvm::Value* b) {
  llvm::Type* type = a->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  llvm::Value* is_zero = b_.CreateICmpEQ(b, zero);
  fail_where(is_zero, {artifact::CheckKind::division, ""}, b_.getInt64(0), b_.getInt64(0));
  // Inactive lanes may have any divisor.
  b = b_.CreateSelect(is_zero, one, b);
  const bool wants_quotient = op == ScalarOp::floor_div || op == ScalarOp::trunc_div;
  if (!is_signed(dtype)) return wants_quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
  llvm::Value* is_minus_one = b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type));
  llvm::Value* divisor = b_.CreateSelect(is_minus_one, one, b);
  llvm::Value* quotient = b_.CreateSDiv(a, divisor);
  llvm::Value* remainder = b_.CreateSub(a, b_.CreateMul(quotient, divisor));
  llvm::Value* rounds = b_.CreateAnd(b_.CreateICmpNE(remainder, zero),
                                     b_.CreateICmpSLT(b_.CreateXor(remainder, divisor), zero));
  quotient = b_.CreateSelect(is_minus_one, b_.CreateNeg(a), quotient);
  switch (op) {
    case ScalarOp::trunc_div:
      return quotient;
    case ScalarOp::floor_div:
      return b_.CreateSelect(rounds, b_.CreateSub(quotient, one), quotient);
    case ScalarOp::fmod:
      return remainder;
    default:
      return b_.CreateSelect(rounds, b_.CreateAdd(remainder, b), remainder);
  }
}

/// Computes by squaring, modulo 2^bits. Among negative powers only those of 1 and -1 are not 0.
llvm::Value* KernelEmitter::emit_integer_power(DType dtype, llvm::Value* base,
                                               llvm::Value* exponent) {
  llvm::Type* type = base->getType();
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  const auto is_odd = [&] { return b_.CreateICmpNE(b_.CreateAnd(exponent, one), zero); };
  const unsigned bits = type->getScalarSizeInBits();
  llvm::Value* result = one;
  llvm::Value* square = base;
  const auto* constant = llvm::dyn_cast<llvm::Constant>(exponent);
  if (constant != nullptr && type->isVectorTy()) constant = constant->getSplatValue();
  const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (known != nullptr) {
    llvm::APInt rest = known->getValue();
    if (is_signed(dtype) && rest.isNegative()) rest = llvm::APInt(bits, 0);
    for (; !rest.isZero(); rest = rest.lshr(1)) {
      if (rest[0]) result = b_.CreateMul(result, square);
      if (rest.getActiveBits() > 1) square = b_.CreateMul(square, square);
    }
  } else {
    llvm::AllocaInst* power = local(type, "power");
    llvm::AllocaInst* factor = local(type, "factor");
    llvm::AllocaInst* rest = local(type, "rest");
    b_.CreateStore(one, power);
    b_.CreateStore(base, factor);
    b_.CreateStore(exponent, rest);
    counted_loop(integer(0), integer(bits), 1, "bit", [&](llvm::Value*) {
      llvm::Value* left = b_.CreateLoad(type, rest);
      llvm::Value* own = b_.CreateLoad(type, factor);
      llvm::Value* so_far = b_.CreateLoad(type, power);
      llvm::Value* takes = b_.CreateICmpNE(b_.CreateAnd(left, one), zero);
      b_.CreateStore(b_.CreateSelect(takes, b_.CreateMul(so_far, own), so_far), power);
      b_.CreateStore(b_.CreateMul(own, own), factor);
      b_.CreateStore(b_.CreateLShr(left, one), rest);
    });
    result = b_.CreateLoad(type, power);
  }
  if (!is_signed(dtype)) return result;
  llvm::Constant* minus_one = llvm::Constant::getAllOnesValue(type);
  llvm::Value* of_minus_one = b_.CreateSelect(is_odd(), minus_one, one);
  llvm::Value* inverse = b_.CreateSelect(b_.CreateICmpEQ(base, minus_one), of_minus_one, zero);
  inverse = b_.CreateSelect(b_.CreateICmpEQ(base, one), one, inverse);
  return b_.CreateSelect(b_.CreateICmpSLT(exponent, zero), inverse, result);
}

llvm::Value* KernelEmitter::emit_integer(ScalarOp op, DType dtype, llvm::ArrayRef<llvm::Value*> v) {
  llvm::Type* type = v[0]->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  const bool has_sign = is_signed(dtype);
  const auto binary = [&](llvm::Intrinsic::ID with_sign, llvm::Intrinsic::ID without) {
    return b_.CreateBinaryIntrinsic(has_sign ? with_sign : without, v[0], v[1]);
  };
  const auto is_shift = [&] {
    return b_.CreateICmpULT(v[1], llvm::ConstantInt::get(type, type->getScalarSizeInBits()));
  };
  switch (op) {
    case ScalarOp::add:
      return b_.CreateAdd(v[0], v[1]);
    case ScalarOp::sub:
      return b_.CreateSub(v[0], v[1]);
    case ScalarOp::mul:
      return b_.CreateMul(v[0], v[1]);
    case ScalarOp::fma:
      return b_.CreateAdd(b_.CreateMul(v[0], v[1]), v[2]);
    case ScalarOp::pow:
      return emit_integer_power(dtype, v[0], v[1]);
    case ScalarOp::neg:
      return b_.CreateNeg(v[0]);
    case ScalarOp::abs:
      if (!has_sign) return v[0];
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], b_.getInt1(false));
    case ScalarOp::sign: {
      llvm::Value* above = has_sign ? b_.CreateICmpSGT(v[0], zero) : b_.CreateICmpUGT(v[0], zero);
      llvm::Value* result = b_.CreateZExt(above, type);
      if (!has_sign) return result;
      return b_.CreateSub(result, b_.CreateZExt(b_.CreateICmpSLT(v[0], zero), type));
    }
    case ScalarOp::floor_div:
    case ScalarOp::trunc_div:
    case ScalarOp::mod:
    case ScalarOp::fmod:
      return emit_division(op, dtype, v[0], v[1]);
    case ScalarOp::min:
    case ScalarOp::fmin:
      return binary(llvm::Intrinsic::smin, llvm::Intrinsic::umin);
    case ScalarOp::max:
    case ScalarOp::fmax:
      return binary(llvm::Intrinsic::smax, llvm::Intrinsic::umax);
    case ScalarOp::eq:
      return b_.CreateICmpEQ(v[0], v[1]);
    case ScalarOp::ne:
      return b_.CreateICmpNE(v[0], v[1]);
    case ScalarOp::lt:
      return has_sign ? b_.CreateICmpSLT(v[0], v[1]) : b_.CreateICmpULT(v[0], v[1]);
    case ScalarOp::le:
      return has_sign ? b_.CreateICmpSLE(v[0], v[1]) : b_.CreateICmpULE(v[0], v[1]);
    case ScalarOp::signbit:
      if (!has_sign) return llvm::Constant::getNullValue(widen(b_.getInt1Ty(), v[0]));
      return b_.CreateICmpSLT(v[0], zero);
    case ScalarOp::bit_and:
      return b_.CreateAnd(v[0], v[1]);
    case ScalarOp::bit_or:
      return b_.CreateOr(v[0], v[1]);
    case ScalarOp::bit_xor:
      return b_.CreateXor(v[0], v[1]);
    case ScalarOp::bit_not:
      return b_.CreateNot(v[0]);
    case ScalarOp::shift_left: {
      llvm::Value* valid = is_shift();
      return b_.CreateSelect(valid, b_.CreateShl(v[0], b_.CreateSelect(valid, v[1], zero)), zero);
    }
    case ScalarOp::shift_right: {
      llvm::Value* valid = is_shift();
      llvm::Value* count = b_.CreateSelect(valid, v[1], zero);
      if (!has_sign) return b_.CreateSelect(valid, b_.CreateLShr(v[0], count), zero);
      llvm::Constant* all = llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1);
      return b_.CreateAShr(v[0], b_.CreateSelect(valid, v[1], all));
    }
    default:
      check(false, "this operation is not for integers:", loops::name(op));
      return nullptr;
  }
}

/// support/philox.h: the four words of a block, each in 64 bits.
std::array<llvm::Value*, 4> KernelEmitter::emit_philox_block(llvm::Value* seed,
                                                             llvm::Value* block) {
  llvm::Type* type = seed->getType();
  const auto constant = [&](uint64_t bits) { return llvm::ConstantInt::get(type, bits); };
  llvm::Constant* low_half = constant(0xffffffff);
  const auto low = [&](llvm::Value* word) { return b_.CreateAnd(word, low_half); };
  const auto high = [&](llvm::Value* word) { return b_.CreateLShr(word, 32); };
  std::array<llvm::Value*, 4> c{low(block), high(block), constant(0), constant(0)};
  std::array<llvm::Value*, 2> key{low(seed), high(seed)};
  for (int round = 0; round < 10; ++round) {
    llvm::Value* even = b_.CreateMul(constant(0xD2511F53), c[0]);
    llvm::Value* odd = b_.CreateMul(constant(0xCD9E8D57), c[2]);
    c = {b_.CreateXor(b_.CreateXor(high(odd), c[1]), key[0]), low(odd),
         b_.CreateXor(b_.CreateXor(high(even), c[3]), key[1]), low(even)};
    key = {low(b_.CreateAdd(key[0], constant(0x9E3779B9))),
           low(b_.CreateAdd(key[1], constant(0xBB67AE85)))};
  }
  return c;
}

/// The draws of a block: its words, or its numbers.
llvm::SmallVector<llvm::Value*, 4> KernelEmitter::emit_draws(DType dtype, llvm::Value* seed,
                                                             llvm::Value* block) {
  const std::array<llvm::Value*, 4> words = emit_philox_block(seed, block);
  llvm::SmallVector<llvm::Value*, 4> draws;
  if (dtype == DType::i32) {
    llvm::Type* narrow = words[0]->getType()->getWithNewBitWidth(32);
    for (llvm::Value* word : words) draws.push_back(b_.CreateTrunc(word, narrow));
    return draws;
  }
  for (const size_t low : {0, 2}) {
    draws.push_back(b_.CreateOr(words[low], b_.CreateShl(words[low + 1], 32)));
  }
  return draws;
}

/// Lanes with arbitrary draws: each computes its own block.
llvm::Value* KernelEmitter::emit_philox(DType dtype, llvm::Value* seed, llvm::Value* n) {
  const unsigned bits = dtype == DType::i32 ? 2 : 1;
  const auto draws = emit_draws(dtype, seed, b_.CreateAShr(n, bits));
  llvm::Value* drawn = draws[0];
  for (unsigned place = 1; place < draws.size(); ++place) {
    llvm::Constant* mask = llvm::ConstantInt::get(n->getType(), draws.size() - 1);
    llvm::Constant* own = llvm::ConstantInt::get(n->getType(), place);
    drawn = b_.CreateSelect(b_.CreateICmpEQ(b_.CreateAnd(n, mask), own), draws[place], drawn);
  }
  return drawn;
}

/// Lanes that draw neighbours share blocks, each of which is computed once; where the first lane
/// draws the first of a block, which a test at run time tells.
llvm::Value* KernelEmitter::emit_philox_row(DType dtype, llvm::Value* seed, llvm::Value* n,
                                            Expr numbers) {
  const unsigned per_block = dtype == DType::i32 ? 4 : 2;
  const auto lanes = static_cast<unsigned>(lanes_);
  const unsigned blocks = lanes / per_block;
  llvm::Value* first = emit_base(numbers);
  llvm::Value* place = b_.CreateAnd(first, b_.getInt64(per_block - 1));
  llvm::Value* starts_block = b_.CreateICmpEQ(place, b_.getInt64(0));
  llvm::AllocaInst* drawn = local(vector_of(register_type(dtype)), "drawn");
  guarded(starts_block, [&] {
    llvm::SmallVector<llvm::Constant*> steps;
    for (unsigned i = 0; i < blocks; ++i) steps.push_back(b_.getInt64(i));
    llvm::Value* base = b_.CreateAShr(first, per_block == 4 ? 2 : 1);
    llvm::Value* counters =
        b_.CreateAdd(b_.CreateVectorSplat(blocks, base), llvm::ConstantVector::get(steps));
    auto draws = emit_draws(dtype, b_.CreateVectorSplat(blocks, seed), counters);
    // Joins vectors pairwise; then the element at (place, block) moves to its lane.
    for (unsigned width = blocks; draws.size() > 1; width *= 2) {
      llvm::SmallVector<int> all;
      for (unsigned i = 0; i < 2 * width; ++i) all.push_back(static_cast<int>(i));
      for (size_t i = 0; i < draws.size() / 2; ++i) {
        draws[i] = b_.CreateShuffleVector(draws[2 * i], draws[2 * i + 1], all);
      }
      draws.resize(draws.size() / 2);
    }
    llvm::SmallVector<int> order;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      order.push_back(static_cast<int>(lane % per_block * blocks + lane / per_block));
    }
    b_.CreateStore(b_.CreateShuffleVector(draws[0], order), drawn);
  });
  guarded(b_.CreateNot(starts_block),
          [&] { b_.CreateStore(emit_philox(dtype, spread(seed), n), drawn); });
  return b_.CreateLoad(drawn->getAllocatedType(), drawn);
}

llvm::Value* KernelEmitter::emit_philox(const Instr& instr, llvm::Value* seed, llvm::Value* n) {
  const DType dtype = this->dtype(instr.results[0]);
  const auto numbers = index_exprs_.find(instr.operands[1]);
  const bool is_row = lanes_ >= (dtype == DType::i32 ? 4 : 2) && !seed->getType()->isVectorTy() &&
                      numbers != index_exprs_.end() &&
                      loops::steps_by_one(numbers->second, vector_symbol_);
  if (is_row) return emit_philox_row(dtype, seed, spread(n), numbers->second);
  std::array<llvm::Value*, 2> operands{seed, n};
  unify(operands);
  return emit_philox(dtype, operands[0], operands[1]);
}

}  // namespace litz::codegen
