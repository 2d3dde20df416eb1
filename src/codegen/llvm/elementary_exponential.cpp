// exp and its family: e^x = 2^n e^r with whole n and |r| <= ln(2) / 2 (Cody and Waite's reduction).
//
// e^r is 1 + p, p a polynomial; coefficients are minimax fits of our own, found in 260-bit
// arithmetic by reweighted least squares, rounded one by one and refitted. n is applied last, in
// two factors, so that denormal results are rounded once.

#include <array>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

// (e^r - 1 - r) / r^2. Relative error of e^r at most 2^-28.2 (f32) and 2^-57.9 (f64).
constexpr std::array kExpF32{0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558b2p-5, 0x1.1239a4p-7,
                             0x1.6a4b56p-10};
constexpr std::array kExpF64{0x1.000000000000ap-1,  0x1.5555555555505p-3,  0x1.55555555506dep-5,
                             0x1.111111112553dp-7,  0x1.6c16c1846e13fp-10, 0x1.a01a013620275p-13,
                             0x1.a019997468ee2p-16, 0x1.71df0ce3428b3p-19, 0x1.28adede32e35bp-22,
                             0x1.ada4162b811c7p-26};
// As above, but the error is relative to e^r - 1: at most 2^-31.1 and 2^-61.6.
constexpr std::array kExpm1F32{0x1.0p-1,      0x1.555554p-3,  0x1.5554f8p-5,
                               0x1.1112d6p-7, 0x1.6d3a4ep-10, 0x1.9e77dcp-13};
constexpr std::array kExpm1F64{0x1.0p-1,
                               0x1.5555555555559p-3,
                               0x1.5555555555558p-5,
                               0x1.111111110f70fp-7,
                               0x1.6c16c16c17307p-10,
                               0x1.a01a01af9eb49p-13,
                               0x1.a01a019aa0bb4p-16,
                               0x1.71ddf9265c10fp-19,
                               0x1.27e50053b2186p-22,
                               0x1.af5d3a17282dcp-26,
                               0x1.1f2e20073f225p-29};
// (2^r - 1) / r for |r| <= 1/2. Relative error of 2^r at most 2^-28.3 and 2^-59.7.
constexpr std::array kExp2F32{0x1.62e43p-1, 0x1.ebfbdcp-3,  0x1.c6af7ap-5,
                              0x1.3b2ddp-7, 0x1.5f0976p-10, 0x1.417708p-13};
constexpr std::array kExp2F64{0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a1d4p-5,
                              0x1.3b2ab6fba5199p-7,  0x1.5d87fe787432dp-10, 0x1.430912f7590f9p-13,
                              0x1.ffcbfd4a2aa39p-17, 0x1.62c0271bbd452p-20, 0x1.b5232f7c258c0p-24,
                              0x1.e4bbcdfeaef89p-28, 0x1.ec763e0192493p-32, 0x1.e085929b2a098p-36};
// 2^r for |r| <= 1/2; relative error at most 2^-34.5.
constexpr std::array kRoughExp2{0x1.ffffffffab6d6p-1,  0x1.62e42ff116da6p-1, 0x1.ebfbe0a531121p-3,
                                0x1.c6b08aaea6b82p-5,  0x1.3b29dbf160657p-7, 0x1.5d8a709d09236p-10,
                                0x1.446a5ad41057ep-13, 0x1.fe17eaa91b4c6p-17};

struct Reduced {
  Whole n;
  Real r;
  Real r_low;  // The rounding error of r.
};

Reduced reduce(Real x) {
  const bool is_f64 = x.is_f64();
  // The high part of ln 2 has so few bits that n times it is exact; the low part is the rest.
  const double high = is_f64 ? 0x1.62e42fefa2p-1 : 0x1.62e4p-1;
  const double low = is_f64 ? 0x1.9ef35793c7673p-41 : 0x1.7f7d1cp-20;
  const Whole n = round_to_whole(x, 0x1.71547652b82fep+0);
  const Real nearly = fma(n.value, -high, x);
  const Real r = fma(n.value, -low, nearly);
  return {n, r, fma(n.value, -low, nearly - r)};
}

// e^r - 1, its error relative to e^r.
Real small_exp(Real r) {
  const Real p = r.is_f64() ? polynomial(r, kExpF64) : polynomial(r, kExpF32);
  return fma(r * r, p, r);
}

Real exp_of(Real x) {
  // Beyond these bounds the result is zero or infinity anyway.
  const Real near =
      x.is_f64() ? at_most(at_least(x, -746.0), 710.0) : at_most(at_least(x, -104.0), 89.0);
  const Reduced reduced = reduce(near);
  const Real r = reduced.r;
  if (x.is_f64()) return scale(small_exp(r) + 1.0, reduced.n);
  // This takes one instruction less than small_exp.
  return scale(fma(fma(polynomial(r, kExpF32), r, 1.0), r, 1.0), reduced.n);
}

Real exp2_of(Real x) {
  const Real near =
      x.is_f64() ? at_most(at_least(x, -1076.0), 1025.0) : at_most(at_least(x, -151.0), 129.0);
  const Whole n = round_to_whole(near);
  const Real r = near - n.value;
  const Real p = x.is_f64() ? polynomial(r, kExp2F64) : polynomial(r, kExp2F32);
  return scale(fma(r, p, 1.0), n);
}

// (e^x - 1) / 2^k as a sum, for x so small that 2^(n - k) does not overflow. The terms of
// 2^n e^r - 1 are added one by one, because they cancel if n is 1 or -1.
Pair scaled_expm1(Real x, int k) {
  const Reduced reduced = reduce(x);
  const Real r = reduced.r;
  const Real p = x.is_f64() ? polynomial(r, kExpm1F64) : polynomial(r, kExpm1F32);
  const Real excess = fma(r * r, p, reduced.r_low);  // e^r - 1 - r
  const Real s = power_of_two(reduced.n, -k);
  const Real lower = s - 1.0 / (1 << k);
  const Real high = fma(s, r, lower);
  return sum_ordered(high, fma(s, excess, fma(s, r, lower - high)));
}

Real expm1_of(Real x) {
  const Real near =
      x.is_f64() ? at_most(at_least(x, -40.0), 710.0) : at_most(at_least(x, -20.0), 89.0);
  const Pair half = scaled_expm1(near, 1);
  // For tiny x the result is x itself: halving would lose a denormal's last bit and a zero's sign.
  return select(abs(x) < (x.is_f64() ? 0x1p-54 : 0x1p-25), x, half.high * 2.0);
}

// (e + e / (e + 1)) / 2 with e = e^|x| - 1, computed from e / 4, which does not overflow.
Real sinh_of(Real x) {
  const Real a = abs(x);
  const Pair quarter = scaled_expm1(at_most(a, 710.5), 2);
  const Real quotient = quarter.high / fma(quarter.high, 4.0, 1.0);
  const Real value = (quarter.high + (quarter.low + quotient)) * 2.0;
  return copysign(select(a < 0x1p-28, a, value), x);
}

Real cosh_of(Real x) {
  const Reduced reduced = reduce(at_most(abs(x), 711.0));
  const Real half = scale(small_exp(reduced.r) + 1.0, reduced.n, -1);
  return half + 0.25 / half;
}

// e / (e + 2) with e = e^2a - 1, and the error of the quotient q of their high parts.
Real tanh_of(Real x) {
  if (!x.is_f64()) return tanh_in_pieces(x);
  const Real a = at_most(abs(x), 22.0);
  const Pair e = scaled_expm1(a + a, 0);
  const Pair divisor = sum(e.high, e.high.same(2.0));
  const Real inverse = 1.0 / divisor.high;
  const Real q = e.high * inverse;
  const Real low = fma(-q, divisor.low + e.low, e.low);
  const Real lack = fma(-q, divisor.high, e.high) + low;
  return copysign(select(a < 0x1p-28, a, fma(lack, inverse, q)), x);
}

}  // namespace

Real exp2_sum(Real high, Real low) {
  const Whole n = round_to_whole(high);
  const Real r = (high - n.value) + low;
  return scale(fma(r, polynomial(r, kExp2F64), 1.0), n);
}

Real rough_exp2(Real x) {
  const Whole n = round_to_whole(x);
  return polynomial(x - n.value, kRoughExp2) * power_of_two(n);
}

Formula exponential_formula(ScalarOp op, bool) {
  if (op == ScalarOp::exp) return [](Operands x) { return exp_of(x[0]); };
  if (op == ScalarOp::exp2) return [](Operands x) { return exp2_of(x[0]); };
  if (op == ScalarOp::expm1) return [](Operands x) { return expm1_of(x[0]); };
  if (op == ScalarOp::sinh) return [](Operands x) { return in_f64<sinh_of>(x[0]); };
  if (op == ScalarOp::cosh) return [](Operands x) { return in_f64<cosh_of>(x[0]); };
  if (op == ScalarOp::tanh) return [](Operands x) { return tanh_of(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
