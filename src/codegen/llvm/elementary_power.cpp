// pow, sqrt and rsqrt.
//
// pow(x, y) is 2^(y log2(x)). f32 computes it in f64 throughout. f64 computes the logarithm as a
// sum of two numbers, with a relative error of 2^-64, because y may multiply its error by a
// thousand.

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <llvm/IR/Constants.h>
#include <optional>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// (2 atanh(s) / s - 2 - 2/3 s^2) / s^4 in s^2; relative error of the logarithm at most 2^-66.3. A
// fit of our own, as in elementary_exponential.cpp.
constexpr std::array kLogTail{0x1.9999999999b30p-2, 0x1.2492492457d34p-2, 0x1.c71c722d6e3bfp-3,
                              0x1.745ce9df45e77p-3, 0x1.3b1eed02929fep-3, 0x1.0f7fce28b74cdp-3,
                              0x1.0e43d485ec92cp-3};

// |x|^y for positive finite |x|, f64 in and out, to f32's precision.
Real rough_power(Real magnitude, Real y) {
  const Real exponent = y * rough_log2(magnitude);
  return rough_exp2(at_most(at_least(exponent, -300.0), 300.0));
}

// C99's annex F: adapts `value`, the power of |x|, to the sign of x and to the limits.
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
  // The result is one whatever the other operand is, even NaN; also for (-1)^infinity.
  const Mask is_one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (abs(y) == kInfinity));
  return select(is_one, 1.0, value);
}

Real pow_f32(Real x, Real y) {
  return with_power_limits(x, y, narrow(rough_power(widen(abs(x)), widen(y))));
}

// log2 of a positive finite number to 2^-64 of itself. As in elementary_logarithm.cpp,
// log(1 + f) = 2 s + s^3 (2/3 + ...), but with every term that matters in two parts.
Pair accurate_log2(Real x) {
  const BinaryParts parts = binary_parts(x, true);
  const Real f = parts.f;
  const Real divisor = f + 2.0;
  const Real divisor_low = f - (divisor - 2.0);
  const Real inverse = 1.0 / divisor;
  const Real s = f * inverse;
  const Real s_low = inverse * fma(-s, divisor_low, fma(-s, divisor, f));
  const Pair square = product(s, s);
  const Real square_low = fma(s + s, s_low, square.low);
  const Pair factor =
      sum_ordered(s.same(0x1.5555555555555p-1), square.high * polynomial(square.high, kLogTail));
  const Real factor_low = factor.low + 0x1.5555555555555p-55;
  const Pair cubic = product(square.high, factor.high);
  const Real cubic_low = fma(square.high, factor_low, fma(square_low, factor.high, cubic.low));
  const Pair rest = product(s, cubic.high);
  const Real rest_low = fma(s, cubic_low, fma(s_low, cubic.high, rest.low));
  const Pair log = sum_ordered(s + s, rest.high);
  const Real log_low = log.low + (rest_low + (s_low + s_low));
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLog2ELow = 0x1.777d0ffda0d24p-56;
  const Pair scaled = product(log.high, s.same(kLog2E));
  const Real scaled_low = fma(log.high, kLog2ELow, fma(log_low, kLog2E, scaled.low));
  const Pair total = sum_ordered(parts.n, scaled.high);
  return sum_ordered(total.high, total.low + scaled_low);
}

Real pow_f64(Real x, Real y) {
  const Pair log = accurate_log2(abs(x));
  // Beyond these bounds any x except 1 overflows. The clamp keeps infinities out of the products.
  const Real near = at_most(at_least(y, -0x1p70), 0x1p70);
  const Pair exponent = product(near, log.high);
  const Real low = fma(near, log.low, exponent.low);
  const Mask is_far = abs(exponent.high) > 1100.0;
  const Real high = at_most(at_least(exponent.high, -1100.0), 1100.0);
  return with_power_limits(x, y, exp2_sum(high, select(is_far, 0.0, low)));
}

// Accurate 1 / sqrt(x): y = 1 / sqrt(x), rounded twice, plus half of the error 1 - x y^2.
Real rsqrt_of(Real x) {
  const Real y = 1.0 / sqrt(x);
  const Pair root = product(x, y);
  const Real lack = fma(-root.low, y, fma(-root.high, y, 1.0));
  const Real better = fma(y * 0.5, lack, y);
  return select((x > 0.0) & (x < kInfinity), better, y);
}

std::optional<double> constant_of(Real x) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(x.value);
  if (constant != nullptr && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (number == nullptr) return std::nullopt;
  bool is_lossy = false;
  llvm::APFloat value = number->getValueAPF();
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &is_lossy);
  return value.convertToDouble();
}

// f32 to an integer power from -4 to 4, in f64, where the rounding of products has no effect.
Real small_power(Real x, int power) {
  const Real base = widen(x);
  Real result = base;
  for (int i = 1; i < std::abs(power); ++i) result = result * base;
  if (power < 0) result = 1.0 / result;
  return narrow(result);
}

// Powers that programs write as constants, without a logarithm; empty for others.
std::optional<Real> constant_power(Real x, double y) {
  if (y == 1) return x;
  if (y == 2) return x * x;
  if (y == -1) return 1.0 / x;
  const bool is_exact_enough = !x.is_f64() && std::abs(y) <= 4 && y == std::trunc(y) && y != 0;
  if (is_exact_enough) return small_power(x, static_cast<int>(y));
  if (std::abs(y) != 0.5) return std::nullopt;
  // Unlike the root, the power of -0 is positive and that of -infinity a limit.
  const Real positive = x + 0.0;
  const Real root = y > 0 ? sqrt(positive) : rsqrt_of(positive);
  return select(x == -kInfinity, x.same(y > 0 ? kInfinity : 0), root);
}

Real pow_of(Real x, Real y) {
  if (const std::optional<double> constant = constant_of(y)) {
    if (const std::optional<Real> power = constant_power(x, *constant)) return *power;
  }
  return x.is_f64() ? pow_f64(x, y) : pow_f32(x, y);
}

}  // namespace

Formula power_formula(ScalarOp op, bool) {
  if (op == ScalarOp::sqrt) return [](Operands x) { return sqrt(x[0]); };
  if (op == ScalarOp::rsqrt) return [](Operands x) { return rsqrt_of(x[0]); };
  if (op == ScalarOp::pow) return [](Operands x) { return pow_of(x[0], x[1]); };
  return nullptr;
}

}  // namespace litz::codegen
