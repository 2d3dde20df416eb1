// The formulas of elementary.h, one family per file.

#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "codegen/llvm/elementary_lanes.h"
#include "loops/scalar_op.h"

namespace litz::codegen {

using Operands = llvm::ArrayRef<Real>;
using Formula = Real (*)(Operands);

// Each returns null for an op of another family and for an op that has no formula in the type.
Formula exponential_formula(loops::ScalarOp op, bool is_f64);
Formula logarithm_formula(loops::ScalarOp op, bool is_f64);
Formula power_formula(loops::ScalarOp op, bool is_f64);
Formula trigonometric_formula(loops::ScalarOp op, bool is_f64);
Formula trigonometric_f64_formula(loops::ScalarOp op);
Formula inverse_formula(loops::ScalarOp op, bool is_f64);
Formula error_formula(loops::ScalarOp op, bool is_f64);
Formula rounding_formula(loops::ScalarOp op, bool is_f64);

/// x = 2^n (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
struct BinaryParts {
  Real n;
  Real f;
};

/// For positive finite x; only normal x unless `may_be_denormal`.
BinaryParts binary_parts(Real x, bool may_be_denormal);

/// 2^(high + low) in f64, |high| <= 1100 and |low| small against 1, rounded about once.
Real exp2_sum(Real high, Real low);

// For f32.
Real erf_in_pieces(Real x);
Real tanh_in_pieces(Real x);

// In f64 with f32's precision: the relative error is at most 2^-33.
/// For |x| <= 1000; NaN gives NaN.
Real rough_exp2(Real x);
/// For positive normal finite x.
Real rough_log2(Real x);

/// A formula for f64 that also serves f32.
template <Real (*F)(Real)>
Real in_f64(Real x) {
  return x.is_f64() ? F(x) : narrow(F(widen(x)));
}

template <Real (*F)(Real, Real)>
Real in_f64(Real x, Real y) {
  return x.is_f64() ? F(x, y) : narrow(F(widen(x), widen(y)));
}

}  // namespace litz::codegen
