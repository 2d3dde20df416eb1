// log and its family: x = 2^n (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
//
// f32 takes log(1 + f) as a polynomial in f; f64 as the series of 2 atanh(s), s = f / (2 + f),
// arranged around f - f^2 / 2 so that the division's error is small against the result. The
// polynomials are fits of our own, as in elementary_exponential.cpp.

#include <array>
#include <limits>
#include <span>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// (log(1 + f) - f + f^2 / 2) / f^3. Relative error of the logarithm at most 2^-27.3.
constexpr std::array kLogF32{0x1.555554p-2, -0x1.000228p-2, 0x1.99a026p-3, -0x1.547214p-3,
                             0x1.22d81p-3,  -0x1.0d855ap-3, 0x1.056742p-3, -0x1.38cea6p-4};
// (log_b(1 + f) - f log_b(e)) / f^2. Relative error of the logarithm at most 2^-27.7.
constexpr std::array kLog2F32{-0x1.71547p-1,  0x1.ec7092p-2,  -0x1.715afp-2,
                              0x1.277fe2p-2,  -0x1.eaa8a8p-3, 0x1.a2b46p-3,
                              -0x1.87989ap-3, 0x1.7f83cp-3,   -0x1.c69436p-4};
constexpr std::array kLog10F32{-0x1.bcb7aap-3, 0x1.287a7p-3,   -0x1.bcbf3cp-4,
                               0x1.63d056p-4,  -0x1.276df4p-4, 0x1.f8594cp-5,
                               -0x1.d7542cp-5, 0x1.cc6dbap-5,  -0x1.1059ap-5};
// (2 atanh(s) / s - 2) / s^2 in s^2. Relative error of the logarithm at most 2^-59.5.
constexpr std::array kLogF64{0x1.5555555555592p-1, 0x1.999999997ff45p-2, 0x1.24924941dedb2p-2,
                             0x1.c71c5215c9717p-3, 0x1.74663cc69299fp-3, 0x1.39a1e885386b8p-3,
                             0x1.2f03e78c983d9p-3};

// log2(1 + f) / f; relative error of the logarithm at most 2^-38.5.
constexpr std::array kRoughLog2{0x1.71547652b58f8p+0,  -0x1.71547651b70cfp-1, 0x1.ec709de350239p-2,
                                -0x1.7154788925cb4p-2, 0x1.2776b6c5d24efp-2,  -0x1.ec6f2d6215034p-3,
                                0x1.a61b7f7c1c8a7p-3,  -0x1.7188e560b5cd4p-3, 0x1.481f9a478fe0ap-3,
                                -0x1.23d5666b234ccp-3, 0x1.0ace109a18692p-3,  -0x1.13bd692ccb9adp-3,
                                0x1.0f641eee4fc41p-3,  -0x1.1d99d484fb671p-4};

// Returns `value` for positive finite x, else the limits.
Real with_limits(Real x, Real value) {
  const Real positive = select(x < kInfinity, value, x);
  return select(x < 0.0, kNan, select(x == 0.0, -kInfinity, positive));
}

// log(1 + f) is f - (half_square - rest), |half_square| <= |f| / 4.
struct Tail {
  Real half_square;
  Real rest;
};

Tail log_tail(Real f) {
  const Real s = f / (f + 2.0);
  const Real square = s * s;
  const Real half_square = f * f * 0.5;
  const Real series = square * polynomial(square, kLogF64);
  return {half_square, s * (half_square + series)};
}

// n ln(2) + log(1 + f) + more, the last so small that it may join the lowest terms.
Real log_sum(BinaryParts x, Real more) {
  if (x.n.is_f64()) {
    const Tail tail = log_tail(x.f);
    const Real rest = fma(x.n, 0x1.9ef35793c7673p-41, tail.rest) + more;
    return fma(x.n, 0x1.62e42fefa2p-1, x.f - (tail.half_square - rest));
  }
  const Real square = x.f * x.f;
  const Real low = fma(x.n, 0x1.7f7d1cp-20, more);
  const Real cubic = fma(square, x.f * polynomial(x.f, kLogF32), low);
  return fma(x.n, 0x1.62e4p-1, x.f + fma(square, -0.5, cubic));
}

Real log_of(Real x) { return with_limits(x, log_sum(binary_parts(x, true), x.same(-0.0))); }

// A base's constants: log_b(2) as a sum whose high part times n is exact, log_b(e) as a sum.
struct Base {
  double two_high;
  double two_low;
  double e_high;
  double e_low;
};

Real log_to_base(Real x, const Base& base, std::span<const double> f32_polynomial) {
  const BinaryParts parts = binary_parts(x, true);
  const Real n = parts.n;
  const Real f = parts.f;
  if (!x.is_f64()) {
    const Real rest = f * fma(f, polynomial(f, f32_polynomial), base.e_low);
    const Real small = fma(n, base.two_low, fma(f, base.e_high, rest));
    return with_limits(x, fma(n, base.two_high, small));
  }
  const Tail tail = log_tail(f);
  const Pair log = sum_ordered(f, -tail.half_square);
  const Real log_low = log.low + tail.rest;
  const Pair scaled = product(log.high, x.same(base.e_high));
  const Real low = fma(log_low, base.e_high, fma(log.high, base.e_low, scaled.low));
  const Pair total = sum_ordered(n * base.two_high, scaled.high);
  return with_limits(x, total.high + (total.low + fma(n, base.two_low, low)));
}

Real log2_of(Real x) {
  const Base base = x.is_f64() ? Base{1, 0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}
                               : Base{1, 0, 0x1.715476p+0, 0x1.4ae0cp-26};
  return log_to_base(x, base, kLog2F32);
}

Real log10_of(Real x) {
  const Base base = x.is_f64()
                        ? Base{0x1.34413509f7p-2, 0x1.3fde623e2566bp-43, 0x1.bcb7b1526e50ep-2,
                               0x1.95355baaafad3p-57}
                        : Base{0x1.344p-2, 0x1.3509f79fef312p-18, 0x1.bcb7b2p-2, -0x1.5b235ep-27};
  return log_to_base(x, base, kLog10F32);
}

Real log1p_of(Real x) {
  const Real u = x + 1.0;
  const BinaryParts parts = binary_parts(u, false);
  const Real f = parts.f;
  // The rounding error of u = 1 + x, over u, is also the error of the logarithm. 1 / (1 + f) is
  // roughly 1 - f + f^2. Half of it is multiplied by 2^(1 - n), because 2^-n may be denormal.
  const Real lost = select(u > 2.0, 1.0 - (u - x), x - (u - 1.0));
  const Real unit = power_of_two(round_to_whole(1.0 - parts.n));
  const Real more = lost * 0.5 * unit * fma(f, f - 1.0, 1.0);
  const Real result = with_limits(u, log_sum(parts, more));
  return select(abs(x) < (x.is_f64() ? 0x1p-54 : 0x1p-25), x, result);
}

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// From here on log1p(a) equals log(a), and asinh(a) and acosh(a) equal log(2 a).
constexpr double kHuge = 0x1p60;

Real asinh_of(Real x) {
  const Real a = abs(x);
  const Mask is_huge = a > kHuge;
  const Real root = sqrt(fma(a, a, 1.0));
  const Real above_one = select(is_huge, a, a + a * a / (root + 1.0));
  return copysign(log1p_of(above_one) + select(is_huge, kLn2, a.same(0.0)), x);
}

Real acosh_of(Real x) {
  const Mask is_huge = x > kHuge;
  const Real t = x - 1.0;
  const Real above_one = select(is_huge, x, t + sqrt(fma(t, t, t + t)));
  const Real value = log1p_of(above_one) + select(is_huge, kLn2, x.same(0.0));
  return select(x < 1.0, kNan, value);
}

Real atanh_of(Real x) {
  const Real a = abs(x);
  return copysign(log1p_of((a + a) / (1.0 - a)) * 0.5, x);
}

}  // namespace

BinaryParts binary_parts(Real x, bool may_be_denormal) {
  const bool is_f64 = x.is_f64();
  const int mantissa_bits = is_f64 ? 52 : 23;
  const double anchor = is_f64 ? 0x1p52 : 0x1p23;
  Real normal = x;
  Real anchor_and_bias = x.same(anchor + (is_f64 ? 1023 : 127));
  if (may_be_denormal) {
    const Mask is_denormal = x < (is_f64 ? 0x1p-1022 : 0x1p-126);
    normal = select(is_denormal, x * anchor, x);
    anchor_and_bias = select(is_denormal, anchor_and_bias + mantissa_bits, anchor_and_bias);
  }
  const Bits b = bits(normal);
  const Bits root_half = b.same(is_f64 ? 0x3fe6a09e667f3bcdU : 0x3f3504f3U);
  const Bits one = b.same(is_f64 ? 0x3ff0000000000000U : 0x3f800000U);
  const Bits mantissa = b.same((uint64_t{1} << mantissa_bits) - 1);
  // The exponent field of `shifted` is n + bias: it turns over at sqrt(1/2), not at 1.
  const Bits shifted = b + (one - root_half);
  const Real f = real((shifted & mantissa) + root_half) - 1.0;
  // A small integer under the exponent of 2^mantissa_bits reads as that power plus the integer.
  const Real field = real(shift_right_zeros(shifted, mantissa_bits) | bits(x.same(anchor)));
  return {field - anchor_and_bias, f};
}

Real rough_log2(Real x) {
  const BinaryParts parts = binary_parts(x, false);
  return fma(parts.f, polynomial(parts.f, kRoughLog2), parts.n);
}

Formula logarithm_formula(ScalarOp op, bool) {
  if (op == ScalarOp::log) return [](Operands x) { return log_of(x[0]); };
  if (op == ScalarOp::log2) return [](Operands x) { return log2_of(x[0]); };
  if (op == ScalarOp::log10) return [](Operands x) { return log10_of(x[0]); };
  if (op == ScalarOp::log1p) return [](Operands x) { return log1p_of(x[0]); };
  if (op == ScalarOp::asinh) return [](Operands x) { return in_f64<asinh_of>(x[0]); };
  if (op == ScalarOp::acosh) return [](Operands x) { return in_f64<acosh_of>(x[0]); };
  if (op == ScalarOp::atanh) return [](Operands x) { return in_f64<atanh_of>(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
