// sin, cos and tan of f64: x = n pi/2 + r with |r| <= pi/4, r in two parts.
//
// The method is that of f32 (elementary_trigonometric.cpp). It needs 192 bits of 2/pi at x's
// exponent, from 1216. They are selected by the bits of the exponent, one level of selections per
// bit, which is cheaper than a gather from a table. The product is computed in 32-bit digits.

#include <array>
#include <limits>
#include <vector>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2; relative errors 2^-57.9, 2^-63.9.
// Fits of our own, as in elementary_exponential.cpp.
constexpr std::array kSin{-0x1.5555555555548p-3, 0x1.111111110f749p-7,   -0x1.a01a019beeb96p-13,
                          0x1.71de355b9a996p-19, -0x1.ae5e5184b7ffap-26, 0x1.5d8d4d5358f10p-33};
constexpr std::array kCos{0x1.555555555554bp-5,   -0x1.6c16c16c15013p-10, 0x1.a01a019c8ecd0p-16,
                          -0x1.27e4f7f13ac68p-22, 0x1.1ee9db8701d8cp-29,  -0x1.8fa65957a556fp-37};

// 2/pi after 55 zero bits, first word first.
constexpr std::array<uint64_t, 19> kTwoOverPi{
    0x0000000000000145, 0xf306dc9c882a53f8, 0x4eafa3ea69bb81b6, 0xc52b3278872083fc,
    0xa2c757bd778ac36e, 0x48dc74849ba5c00c, 0x925dd413a32439fc, 0x3bd63962534e7dd1,
    0x046bea5d768909d3, 0x38e04d68befc8273, 0x23ac7306a673e939, 0x08bf177bf250763f,
    0xf12fffbc0b301fde, 0x5e2316b414da3eda, 0x6cfd9e4f96136e9e, 0x8c7ecd3cbfd45aea,
    0x4f758fd7cbe2f67a, 0x0e73ef14a525d4d7, 0xf6bf623f1aba10ac};

struct Reduced {
  Real high;
  Real low;
  Bits quadrant;  // n modulo 4, in the low two bits.
};

Bits low_half(Bits a) { return a & a.same(0xffffffff); }

Bits high_half(Bits a) { return shift_right_zeros(a, 32); }

// Four words of 2/pi from number `index` < 16 on.
std::vector<Bits> words_from(Bits index) {
  std::vector<Bits> words;
  for (const uint64_t word : kTwoOverPi) words.push_back(index.same(word));
  for (const size_t step : {8, 4, 2, 1}) {
    const Mask is_unset = (index & index.same(step)) == index.same(0);
    std::vector<Bits> chosen;
    // The words that later levels can still select: step - 1 beyond the four.
    for (size_t i = 0; i < 4 + step - 1; ++i) {
      chosen.push_back(select(is_unset, words[i], words[i + step]));
    }
    words = std::move(chosen);
  }
  return words;
}

// 192 bits of 2/pi from number k on, as six digits, the first the most significant.
std::array<Bits, 6> digits_from(Bits k) {
  const std::vector<Bits> words = words_from(shift_right_zeros(k, 6));
  const Bits left = k & k.same(63);
  const Bits right = k.same(63) - left;
  std::array<Bits, 6> digits{k, k, k, k, k, k};
  for (size_t i = 0; i < 3; ++i) {
    const Bits spilled = shift_right_zeros(shift_right_zeros(words[i + 1], 1), right);
    const Bits word = words[i] << left | spilled;
    digits[2 * i] = high_half(word);
    digits[2 * i + 1] = low_half(word);
  }
  return digits;
}

// The digit as a real, at the scale of its place.
Real digit_value(Bits digit, double unit) {
  const Real anchor = real(digit).same(0x1p52);
  return (real(digit | bits(anchor)) - anchor) * unit;
}

// The sum of m times the digits, modulo 4: digits 0 to 3 of the product.
std::array<Bits, 4> product_digits(Bits m, const std::array<Bits, 6>& digits) {
  const Bits m_low = low_half(m);
  const Bits m_high = high_half(m);
  std::array<Bits, 4> sums{m, m, m, m};
  Bits carry = high_half(m_low * digits[4]) + high_half(m_high * digits[5]);
  for (size_t place = 4; place-- > 0;) {
    // m_high times a digit is one place higher; terms above place 0 are multiples of 4.
    const Bits straight = m_low * digits[place];
    const Bits raised = m_high * digits[place + 1];
    const Bits sum = low_half(straight) + low_half(raised) + carry;
    sums[place] = low_half(sum);
    carry = high_half(straight) + high_half(raised) + high_half(sum);
  }
  return sums;
}

// For finite magnitudes from 1/2 on: x = m 2^(k - 53) with m < 2^54.
Reduced reduce_large(Bits x) {
  const Bits mantissa = (x & x.same((uint64_t{1} << 52) - 1)) | x.same(uint64_t{1} << 52);
  const Bits exponent = shift_right_zeros(x, 52);
  const Mask is_below_one = less_signed(exponent, x.same(1023));
  const Bits m = select(is_below_one, mantissa, mantissa << 1);
  const Bits k = select(is_below_one, x.same(0), exponent - x.same(1023)) & x.same(1023);
  const std::array<Bits, 4> turns = product_digits(m, digits_from(k));
  // The first digit has two whole bits; the nearest integer is a quadrant.
  const Bits quadrant = shift_right_zeros(turns[0] + x.same(uint64_t{1} << 29), 30);
  // The rest is signed: biased by 2^31, its value is a plain digit's less 2^31.
  const Bits biased = turns[0] + x.same(uint64_t{1} << 31) - (quadrant << 30);
  const Real first = digit_value(biased, 0x1p-30) - 2.0;
  const Pair upper = sum_ordered(first, digit_value(turns[1], 0x1p-62));
  const Real lower = digit_value(turns[2], 0x1p-94) + digit_value(turns[3], 0x1p-126);
  const Pair fraction = sum_ordered(upper.high, upper.low + lower);
  const Real half_pi = first.same(0x1.921fb54442d18p+0);
  const Pair r = product(fraction.high, half_pi);
  const Real r_low = fma(fraction.high, 0x1.1a62633145c07p-54, fma(fraction.low, half_pi, r.low));
  return {r.high, r_low, quadrant};
}

Reduced reduce(Real magnitude) {
  const Reduced large = reduce_large(bits(magnitude));
  const Mask is_small = magnitude < 0.75;
  const Real high = select(is_small, magnitude, large.high);
  const Real finite = select(magnitude < std::numeric_limits<double>::infinity(), high,
                             std::numeric_limits<double>::quiet_NaN());
  return {finite, select(is_small, 0.0, large.low),
          select(is_small, large.quadrant.same(0), large.quadrant)};
}

// sin(high + low) = r + r^3 S(r^2) + low cos(r).
Pair small_sin(const Reduced& x) {
  const Real r = x.high;
  const Real square = r * r;
  const Real slope = fma(square, -0.5, 1.0);
  return {r, fma(square * r, polynomial(square, kSin), x.low * slope)};
}

// cos(high + low) = 1 - r^2 / 2 + r^4 C(r^2) - low sin(r).
Pair small_cos(const Reduced& x) {
  const Real r = x.high;
  const Pair square = product(r, r);
  const Pair parabola = sum_ordered(r.same(1.0), square.high * -0.5);
  const Real quartic = square.high * square.high * polynomial(square.high, kCos);
  const Real low = fma(-x.low, r, fma(square.low, -0.5, parabola.low));
  return {parabola.high, quartic + low};
}

Pair select(Mask condition, Pair yes, Pair no) {
  return {select(condition, yes.high, no.high), select(condition, yes.low, no.low)};
}

Mask is_odd(Bits quadrant) { return ~((quadrant & quadrant.same(1)) == quadrant.same(0)); }

// sin(r + quadrant pi/2)
Real shifted_sin(const Reduced& x) {
  const Pair value = select(is_odd(x.quadrant), small_cos(x), small_sin(x));
  const Bits sign = (x.quadrant & x.quadrant.same(2)) << 62;
  return real(bits(value.high + value.low) ^ sign);
}

// Odd functions of the magnitude: a zero keeps its sign.
Real with_sign(Real value, Real x) {
  return real(bits(value) ^ (bits(x) & bits(x).same(uint64_t{1} << 63)));
}

Real sin_of(Real x) { return with_sign(shifted_sin(reduce(abs(x))), x); }

Real cos_of(Real x) {
  Reduced reduced = reduce(abs(x));
  reduced.quadrant = reduced.quadrant + reduced.quadrant.same(1);
  return shifted_sin(reduced);
}

// The quotient of two sums, plus the error of the quotient of their high parts.
Real tan_of(Real x) {
  const Reduced reduced = reduce(abs(x));
  const Pair sin = small_sin(reduced);
  const Pair cos = small_cos(reduced);
  const Mask swap = is_odd(reduced.quadrant);
  const Pair above = select(swap, {-cos.high, -cos.low}, sin);
  const Pair below = select(swap, sin, cos);
  const Pair numerator = sum_ordered(above.high, above.low);
  const Pair denominator = sum_ordered(below.high, below.low);
  const Real inverse = 1.0 / denominator.high;
  const Real quotient = numerator.high * inverse;
  const Real lack = fma(-quotient, denominator.high, numerator.high) +
                    fma(-quotient, denominator.low, numerator.low);
  const Real value = fma(lack, inverse, quotient);
  return with_sign(select(abs(x) < 0x1p-28, abs(x), value), x);
}

}  // namespace

Formula trigonometric_f64_formula(ScalarOp op) {
  if (op == ScalarOp::sin) return [](Operands x) { return sin_of(x[0]); };
  if (op == ScalarOp::cos) return [](Operands x) { return cos_of(x[0]); };
  if (op == ScalarOp::tan) return [](Operands x) { return tan_of(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
