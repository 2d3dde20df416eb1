// pow, sqrt and rsqrt.
//
// pow(x, y) is 2^(y log2(x)). For f32 all of it is done in f64, once. For f64 the logarithm is a
// sum of two numbers, good to 2^-64 of itself, because y may multiply its error by a thousand.

#include <array>
#include <limits>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// |x|^y for positive finite |x|, f64 in and out, to f32's precision.
Real rough_power(Real magnitude, Real y) {
  const Real exponent = y * rough_log2(magnitude);
  return rough_exp2(at_most(at_least(exponent, -300.0), 300.0));
}

// C99's annex F: what `value`, the power of |x|, becomes with the sign of x and at the limits.
Real with_power_limits(Real x, Real y, Real value) {
  const Real magnitude = abs(x);
  const Real zero = x.same(0.0);
  const Mask is_infinite = magnitude == kInfinity;
  const Mask is_zero = magnitude == 0.0;
  const Mask is_limit_large = (is_infinite & (y > 0.0)) | (is_zero & (y < 0.0));
  value = select(is_infinite | is_zero, select(is_limit_large, kInfinity, zero), value);
  value = select(is_nan(x) | is_nan(y), kNan, value);
  const Mask is_whole = trunc(y) == y;  // Infinities are even.
  const Real half = y * 0.5;
  const Mask is_odd = is_whole & ~(trunc(half) == half);
  value = select(is_odd, copysign(value, x), value);
  value = select(~is_whole & (x < 0.0) & ~is_infinite, kNan, value);
  // One whatever the other is, NaN too; and (-1)^infinity.
  const Mask is_one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (abs(y) == kInfinity));
  return select(is_one, 1.0, value);
}

Real pow_f32(Real x, Real y) {
  return with_power_limits(x, y, narrow(rough_power(widen(abs(x)), widen(y))));
}

// Accurately 1 / sqrt(x): y = 1 / sqrt(x) rounded twice, and half of what x y^2 lacks of 1.
Real rsqrt_of(Real x) {
  const Real y = 1.0 / sqrt(x);
  const Pair root = product(x, y);
  const Real lack = fma(-root.low, y, fma(-root.high, y, 1.0));
  const Real better = fma(y * 0.5, lack, y);
  return select((x > 0.0) & (x < kInfinity), better, y);
}

}  // namespace

Formula power_formula(ScalarOp op, bool is_f64) {
  if (op == ScalarOp::sqrt) return [](Operands x) { return sqrt(x[0]); };
  if (op == ScalarOp::rsqrt) return [](Operands x) { return rsqrt_of(x[0]); };
  if (op == ScalarOp::pow && !is_f64) return [](Operands x) { return pow_f32(x[0], x[1]); };
  return nullptr;
}

}  // namespace litz::codegen
