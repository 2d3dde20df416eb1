// sin, cos and tan of f32, evaluated in f64: x = n pi/2 + r with |r| <= pi/4.
//
// x 2/pi modulo 4 comes from the 96 bits of 2/pi that matter at x's exponent (Payne and Hanek), in
// 64-bit integers. The steps are the same for all x, so vectors need no branch.

#include <array>
#include <limits>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2; relative errors 2^-37.5, 2^-33.
// Fits of our own, as in elementary_exponential.cpp.
constexpr std::array kSin{-0x1.5555554c6e594p-3, 0x1.11110867ca46fp-7, -0x1.a00f7cffdc74dp-13,
                          0x1.6cd16a5209d16p-19};
constexpr std::array kCos{0x1.55554a0ddb891p-5, -0x1.6c0c3174810eep-10, 0x1.99eaf6b9c7bf3p-16};

// 2/pi after 26 zero bits, first word first.
constexpr std::array<uint64_t, 4> kTwoOverPi{0x00000028be60db93, 0x91054a7f09d5f47d,
                                             0x4d377036d8a5664f, 0x10e4107f9458eaf7};

struct Reduced {
  Real r;         // f64.
  Bits quadrant;  // n modulo 4, in the low two bits of i64.
};

// Exact, except for the rounding of the whole 64-bit integer.
Real signed_to_f64(Bits a) {
  const Bits low = a & a.same(0xffffffff);
  const Bits high = shift_right_zeros(a, 32) ^ a.same(0x80000000);
  // The halves become mantissa bits of 2^52 and of 2^84.
  const Real low_part = real(low | a.same(0x4330000000000000)) - 0x1p52;
  const Real high_part = real(high | a.same(0x4530000000000000)) - (0x1p84 + 0x1p63);
  return high_part + low_part;
}

// For finite magnitudes from 1/2 on, as bits of f32: x = m 2^(k - 24) with m < 2^25.
Reduced reduce_large(Bits x) {
  const Bits mantissa = (x & x.same(0x7fffff)) | x.same(0x800000);
  const Bits exponent = shift_right_zeros(x, 23);
  const Mask is_below_one = less_signed(exponent, x.same(127));
  const Bits m = widen(select(is_below_one, mantissa, mantissa << 1));
  const Bits k = widen(select(is_below_one, x.same(0), exponent - x.same(127)));
  // The bits from number k on; those before are multiples of 4 in the product.
  const Mask is_second = ~((k & k.same(64)) == k.same(0));
  std::array<Bits, 3> words{m, m, m};
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = select(is_second, m.same(kTwoOverPi[i + 1]), m.same(kTwoOverPi[i]));
  }
  const Bits left = k & k.same(63);
  const Bits right = k.same(63) - left;
  const Bits first = words[0] << left | shift_right_zeros(shift_right_zeros(words[1], 1), right);
  const Bits second = words[1] << left | shift_right_zeros(shift_right_zeros(words[2], 1), right);
  // Two whole bits, then 62 of the fraction.
  const Bits turns = m * first + shift_right_zeros(m * shift_right_zeros(second, 32), 32);
  const Bits quadrant = shift_right_zeros(turns + m.same(uint64_t{1} << 61), 62);
  const Bits fraction = turns - (quadrant << 62);
  return {signed_to_f64(fraction) * 0x1.921fb54442d18p-62, quadrant};
}

Reduced reduce(Real magnitude) {
  const Reduced large = reduce_large(bits(magnitude));
  const Real wide = widen(magnitude);
  const Mask is_small = wide < 0.75;
  const Real r = select(is_small, wide, large.r);
  const Real finite = select(wide < std::numeric_limits<double>::infinity(), r,
                             std::numeric_limits<double>::quiet_NaN());
  return {finite, select(is_small, large.quadrant.same(0), large.quadrant)};
}

Real small_sin(Real r) {
  const Real square = r * r;
  return fma(square * r, polynomial(square, kSin), r);
}

Real small_cos(Real r) {
  const Real square = r * r;
  return fma(square * square, polynomial(square, kCos), fma(square, -0.5, 1.0));
}

Mask is_odd(Bits quadrant) { return ~((quadrant & quadrant.same(1)) == quadrant.same(0)); }

// sin(r + quadrant pi/2)
Real shifted_sin(Reduced x) {
  const Real value = select(is_odd(x.quadrant), small_cos(x.r), small_sin(x.r));
  const Bits sign = (x.quadrant & x.quadrant.same(2)) << 62;
  return narrow(real(bits(value) ^ sign));
}

// Odd functions of the magnitude: a zero keeps its sign.
Real with_sign(Real magnitude_value, Real x) {
  return real(bits(magnitude_value) ^ (bits(x) & bits(x).same(0x80000000)));
}

Real sin_of(Real x) { return with_sign(shifted_sin(reduce(abs(x))), x); }

Real cos_of(Real x) {
  Reduced reduced = reduce(abs(x));
  reduced.quadrant = reduced.quadrant + reduced.quadrant.same(1);
  return shifted_sin(reduced);
}

Real tan_of(Real x) {
  const Reduced reduced = reduce(abs(x));
  const Real sin = small_sin(reduced.r);
  const Real cos = small_cos(reduced.r);
  const Mask swap = is_odd(reduced.quadrant);
  const Real value = select(swap, -cos, sin) / select(swap, sin, cos);
  return with_sign(narrow(value), x);
}

}  // namespace

Formula trigonometric_formula(ScalarOp op, bool is_f64) {
  if (is_f64) return trigonometric_f64_formula(op);
  if (op == ScalarOp::sin) return [](Operands x) { return sin_of(x[0]); };
  if (op == ScalarOp::cos) return [](Operands x) { return cos_of(x[0]); };
  if (op == ScalarOp::tan) return [](Operands x) { return tan_of(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
