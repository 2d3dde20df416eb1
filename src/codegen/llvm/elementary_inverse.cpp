// asin, acos, atan and atan2, each a polynomial on a short interval after one reduction, and hypot.
// Written for f64; f32 goes through it. Polynomials are fits of our own, as in
// elementary_exponential.cpp.

#include <array>
#include <limits>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;

// (asin(x) / x - 1) / x^2 in x^2 <= 1/4; relative error of asin at most 2^-59.8.
constexpr std::array kAsin{0x1.5555555555577p-3, 0x1.333333332e11fp-4, 0x1.6db6db721411dp-5,
                           0x1.f1c71a941511cp-6, 0x1.6e8bdefe4dd47p-6, 0x1.1c49ede8b5222p-6,
                           0x1.ca1fcfbcaa1d8p-7, 0x1.758332ed4859dp-7, 0x1.614ace431c25bp-7,
                           0x1.e50dcb868131fp-9, 0x1.63e7a373b2a3ep-6, -0x1.586e457a62fc7p-6,
                           0x1.0b6bed19bfbbcp-5};
// (atan(x) / x - 1) / x^2 in x^2, |x| <= tan(pi/8); relative error of atan at most 2^-59.4.
constexpr std::array kAtan{-0x1.555555555553dp-2, 0x1.9999999995862p-3,  -0x1.24924922acfa2p-3,
                           0x1.c71c70e5d7a2fp-4,  -0x1.745cf8d49ad9ap-4, 0x1.3b111879abcf3p-4,
                           -0x1.10ebb026705fdp-4, 0x1.df0ec9775a4eap-5,  -0x1.9cd046c981436p-5,
                           0x1.37cefcf0a5d0dp-5,  -0x1.255afd035f4c0p-6};

// asin(|x|) is root + excess, or pi/2 minus twice that when |x| > 1/2.
struct Asin {
  Mask is_large;
  Real root;
  Real excess;
};

Asin reduced_asin(Real x) {
  const Real a = abs(x);
  const Mask is_large = a > 0.5;
  const Real square = select(is_large, (1.0 - a) * 0.5, a * a);
  const Real root = select(is_large, sqrt(square), a);
  return {is_large, root, root * (square * polynomial(square, kAsin))};
}

// pi/2 - (value + excess) with the constant's low part.
Real from_half_pi(Real value, Real excess) {
  const Pair difference = sum_ordered(value.same(kHalfPi), -value);
  return difference.high + (difference.low + (kHalfPiLow - excess));
}

Real asin_of(Real x) {
  const Asin part = reduced_asin(x);
  const Real large = from_half_pi(part.root * 2.0, part.excess * 2.0);
  return copysign(select(part.is_large, large, part.root + part.excess), x);
}

Real acos_of(Real x) {
  const Asin part = reduced_asin(x);
  const Real root = copysign(part.root, x);
  const Real excess = copysign(part.excess, x);
  const Real near_zero = from_half_pi(root, excess);
  const Real twice = (part.root + part.excess) * 2.0;
  const Real near_minus_one = kHalfPi * 2 - (twice - kHalfPiLow * 2);
  const Real large = select(x < 0.0, near_minus_one, twice);
  return select(part.is_large, large, near_zero);
}

// atan(a / b), or pi minus that, for a and b not negative.
Real quadrant_atan(Real a, Real b, Mask from_pi) {
  constexpr double kTanEighth = 0x1.a827999fcef32p-2;        // tan(pi/8)
  constexpr double kTanThreeEighths = 0x1.3504f333f9de6p+1;  // tan(3 pi/8)
  const Mask is_steep = b * kTanThreeEighths < a;
  const Mask is_middle = b * kTanEighth < a;
  const Real numerator = select(is_steep, -b, select(is_middle, a - b, a));
  const Real denominator = select(is_steep, a, select(is_middle, a + b, b));
  const Real quotient = select(a + b == 0.0, 0.0, numerator / denominator);
  const Real t = select(from_pi, -quotient, quotient);
  // The angle to which t is added, in two parts.
  const auto offset = [&](double quarter, double half, double none) {
    return select(is_steep, half, select(is_middle, quarter, a.same(none)));
  };
  const Real high = select(from_pi, offset(kHalfPi * 1.5, kHalfPi, kHalfPi * 2),
                           offset(kHalfPi / 2, kHalfPi, 0.0));
  const Real low = select(from_pi, offset(0x1.a79394c9e8a0ap-54, kHalfPiLow, kHalfPiLow * 2),
                          offset(kHalfPiLow / 2, kHalfPiLow, 0.0));
  const Real square = t * t;
  const Pair total = sum_ordered(high, t);
  const Real excess = t * (square * polynomial(square, kAtan));
  return total.high + (total.low + (excess + low));
}

Real atan_of(Real x) {
  const Real a = abs(x);
  const Mask never = {x.builder, llvm::ConstantInt::getFalse((a < 0.0).value->getType())};
  return copysign(quadrant_atan(a, x.same(1.0), never), x);
}

Real atan2_of(Real y, Real x) {
  const Bits sign = bits(x) & bits(x).same(uint64_t{1} << 63);
  const Mask from_pi = ~(sign == sign.same(0));
  Real a = abs(y);
  Real b = abs(x);
  const Mask both_infinite = (a == kInfinity) & (b == kInfinity);
  const Mask is_huge = (a > 0x1p1000) | (b > 0x1p1000);
  const Real unit = select(is_huge, 0x1p-100, a.same(1.0));  // Keeps a + b from overflow.
  a = select(both_infinite, 1.0, a * unit);
  b = select(both_infinite, 1.0, b * unit);
  return copysign(quadrant_atan(a, b, from_pi), y);
}

Real hypot_of(Real x, Real y) {
  const Real a = abs(x);
  const Real b = abs(y);
  const Real larger = select(a < b, b, a);
  const Real smaller = select(a < b, a, b);
  // Scale away from magnitudes whose squares overflow or are denormal.
  const Mask is_huge = larger > 0x1p500;
  const Mask is_tiny = larger < 0x1p-400;
  const Real unit = select(is_huge, 0x1p-600, select(is_tiny, 0x1p600, a.same(1.0)));
  const Real inverse = select(is_huge, 0x1p600, select(is_tiny, 0x1p-600, a.same(1.0)));
  const Real p = larger * unit;
  const Real q = smaller * unit;
  const Real root = sqrt(fma(p, p, q * q)) * inverse;
  const Real value = select(is_nan(x) | is_nan(y), std::numeric_limits<double>::quiet_NaN(), root);
  return select((a == kInfinity) | (b == kInfinity), kInfinity, value);
}

}  // namespace

Formula inverse_formula(ScalarOp op, bool) {
  if (op == ScalarOp::asin) return [](Operands x) { return in_f64<asin_of>(x[0]); };
  if (op == ScalarOp::acos) return [](Operands x) { return in_f64<acos_of>(x[0]); };
  if (op == ScalarOp::atan) return [](Operands x) { return in_f64<atan_of>(x[0]); };
  if (op == ScalarOp::atan2) return [](Operands x) { return in_f64<atan2_of>(x[0], x[1]); };
  if (op == ScalarOp::hypot) return [](Operands x) { return in_f64<hypot_of>(x[0], x[1]); };
  return nullptr;
}

}  // namespace litz::codegen
