// Formulas over LLVM values: elementary*.cpp write `fma(r, p, one)` instead of builder calls.
//
// Real, Bits and Mask are values of the same shape (a scalar, or a vector of some width): floating
// point, integers with as many bits, and conditions. They carry the builder, so operators can emit.
// No operation reassociates, contracts or assumes the absence of NaN.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <llvm/IR/IRBuilder.h>
#include <span>

namespace litz::codegen {

/// A module flag: the target scales by powers of two in one instruction (AVX-512).
inline constexpr const char* kScaleFlag = "litz.scales";

struct Mask {
  llvm::IRBuilderBase* builder;
  llvm::Value* value;
};

struct Bits {
  llvm::IRBuilderBase* builder;
  llvm::Value* value;

  Bits same(uint64_t constant) const;
};

struct Real {
  llvm::IRBuilderBase* builder;
  llvm::Value* value;

  bool is_f64() const { return value->getType()->getScalarType()->isDoubleTy(); }

  /// The constant in every lane, rounded to the type.
  Real same(double constant) const;
};

Mask operator&(Mask a, Mask b);
Mask operator|(Mask a, Mask b);
Mask operator^(Mask a, Mask b);
Mask operator~(Mask a);

Bits operator+(Bits a, Bits b);
Bits operator-(Bits a, Bits b);
Bits operator*(Bits a, Bits b);
Bits operator&(Bits a, Bits b);
Bits operator|(Bits a, Bits b);
Bits operator^(Bits a, Bits b);
Bits operator<<(Bits a, int count);
Bits operator<<(Bits a, Bits count);
/// Arithmetic.
Bits operator>>(Bits a, int count);
Bits shift_right_zeros(Bits a, int count);
Bits shift_right_zeros(Bits a, Bits count);
Mask operator==(Bits a, Bits b);
Mask less_unsigned(Bits a, Bits b);
Mask less_signed(Bits a, Bits b);
Bits select(Mask condition, Bits yes, Bits no);

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
Real operator+(Real a, double b);
Real operator-(Real a, double b);
Real operator*(Real a, double b);
Real operator-(double a, Real b);
Real operator/(double a, Real b);
Real operator-(Real a);
// Ordered comparisons: false for NaN.
Mask operator<(Real a, Real b);
Mask operator<=(Real a, Real b);
Mask operator==(Real a, Real b);
Mask operator<(Real a, double b);
Mask operator<=(Real a, double b);
Mask operator>(Real a, double b);
Mask operator>=(Real a, double b);
Mask operator==(Real a, double b);
Mask is_nan(Real a);

Real fma(Real a, Real b, Real c);
Real fma(Real a, double b, Real c);
Real fma(Real a, Real b, double c);
Real fma(Real a, double b, double c);
Real abs(Real a);
Real sqrt(Real a);
Real trunc(Real a);
Real copysign(Real magnitude, Real sign);
Real select(Mask condition, Real yes, Real no);
Real select(Mask condition, double yes, Real no);
Real select(Mask condition, Real yes, double no);
/// min and max that return x if it is NaN.
Real at_least(Real x, double bound);
Real at_most(Real x, double bound);

Bits bits(Real a);
Real real(Bits a);
/// Converts an integer's value to a real.
Real convert(Bits a);
/// Converts f32 to f64 and back (rounded); the shape does not change.
Real widen(Real a);
Real narrow(Real a);
/// Zero-extends i32 to i64; takes the low half of i64.
Bits widen(Bits a);
Bits narrow(Bits a);

/// c[0] + c[1] x + ... by Horner's rule, each step fused.
Real polynomial(Real x, std::span<const double> coefficients);

/// A whole number n well below 2^22 (f32) or 2^51 (f64) in magnitude, and its sum with 1.5 * 2^23 +
/// 254 or 1.5 * 2^52 + 2046. The low bits of this sum are those of n plus twice the exponent bias,
/// so halves of it are biased exponents.
struct Whole {
  Real value;
  Real shifted;
};

/// The nearest whole number to x, and to x * factor; ties to even.
Whole round_to_whole(Real x);
Whole round_to_whole(Real x, Real factor);
Whole round_to_whole(Real x, double factor);

Mask is_zero(Whole n);

/// 2^(n + more), which must be normal.
Real power_of_two(Whole n, int more = 0);
/// x * 2^(n + more) rounded once, for n within +-250 (f32) or +-2040 (f64).
Real scale(Real x, Whole n, int more = 0);

/// f32: entry n of the table for a whole n >= 0; only its low three bits are used.
Real pick(std::span<const double, 8> table, Whole n);

/// A real as an unevaluated sum of two. The second is at most half a unit of the first's last
/// place.
struct Pair {
  Real high;
  Real low;
};

/// a + b exactly, given |a| >= |b| or a == 0.
Pair sum_ordered(Real a, Real b);
/// a + b exactly.
Pair sum(Real a, Real b);
/// a * b exactly.
Pair product(Real a, Real b);

}  // namespace litz::codegen
