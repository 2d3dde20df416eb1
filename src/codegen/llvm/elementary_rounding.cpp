// Rounding to whole numbers, and other functions that are an instruction or a few.

#include <limits>
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

template <llvm::Intrinsic::ID kId>
Real intrinsic(Operands x) {
  return {x[0].builder, x[0].builder->CreateUnaryIntrinsic(kId, x[0].value)};
}

// Neighbours of a number other than zero have neighbouring bits, sign and magnitude apart.
Real nextafter_of(Real x, Real y) {
  const Bits b = bits(x);
  const Mask is_outwards = ~((x < y) ^ (x > 0.0));
  const Bits step = select(is_outwards, b.same(1), b.same(~uint64_t{0}));
  const Real least = real(b.same(1));
  const Real next = select(x == 0.0, copysign(least, y), real(b + step));
  const Real nan = x.same(std::numeric_limits<double>::quiet_NaN());
  return select(is_nan(x) | is_nan(y), nan, select(x == y, y, next));
}

}  // namespace

Formula rounding_formula(ScalarOp op, bool) {
  if (op == ScalarOp::floor) return intrinsic<llvm::Intrinsic::floor>;
  if (op == ScalarOp::ceil) return intrinsic<llvm::Intrinsic::ceil>;
  if (op == ScalarOp::trunc) return intrinsic<llvm::Intrinsic::trunc>;
  if (op == ScalarOp::round_even) return intrinsic<llvm::Intrinsic::roundeven>;
  if (op == ScalarOp::copysign) return [](Operands x) { return copysign(x[0], x[1]); };
  if (op == ScalarOp::nextafter) return [](Operands x) { return nextafter_of(x[0], x[1]); };
  if (op == ScalarOp::fma) return [](Operands x) { return fma(x[0], x[1], x[2]); };
  return nullptr;
}

}  // namespace litz::codegen
