// erf, erfc and erfinv of f32.
//
// erf is done in pieces (elementary_pieces.cpp). erfc and erfinv are evaluated in f64. Polynomials
// are fits of our own, as in elementary_exponential.cpp.

#include <array>
#include <limits>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// e^(x^2) erfc(x) in t = (x - 4) / (x + 4), 0 <= x <= 10.1; relative error at most 2^-32.7.
constexpr std::array kScaledErfc{
    0x1.18932bf006e97p-3, -0x1.09492276a986fp-2,  0x1.bff01ad900fefp-3,   -0x1.50666576935e9p-3,
    0x1.be500c3363802p-4, -0x1.027d9af224718p-4,  0x1.0069b667874a7p-5,   -0x1.a4c673f9ecf3fp-7,
    0x1.09b9a03b90b91p-8, -0x1.ab4f0b9ab6fdcp-11, -0x1.4740df9f3d8cfp-16, 0x1.d0125b2a929d7p-14,
    0x1.86a7722c4a701p-19};
// erfinv(x) / x in w - 2.5 and in sqrt(w) - 3, w = -log(1 - x^2), below and from w = 5;
// relative errors at most 2^-28.7 and 2^-29.5.
constexpr std::array kErfinv{0x1.805c5d074bcb7p+0,   0x1.f91e8b0a0e283p-3,  -0x1.11c4207b7f56cp-8,
                             -0x1.4866460124274p-10, 0x1.c9c5994049b75p-13, -0x1.4cfcbcd339d0cp-18,
                             -0x1.ccfbcc8858f13p-19, 0x1.f43ec7e886713p-22, 0x1.35cc28bf4df1fp-26,
                             -0x1.2d6d13f39c776p-27, 0x1.7151274e215f5p-32};
constexpr std::array kErfinvTail{
    0x1.6a9efbd9e5c89p+1,   0x1.006dc9c62c46ep+0,  0x1.358191dc42acep-7,  -0x1.f4deb5a6aafbap-8,
    0x1.74b27cf9ddd93p-8,   -0x1.d3a584c2ccab9p-9, 0x1.8376fd4203ee8p-10, -0x1.ef4f96c81d2bbp-14,
    -0x1.27d01783ee3bbp-12, 0x1.4d7eba48e6361p-13, -0x1.c2ed20f8c3edcp-16};

Real erfc_of(Real narrow_x) {
  const Real x = widen(narrow_x);
  const Real a = at_most(abs(x), 10.1);  // The least denormal is erfc(10.05...).
  const Real t = (a - 4.0) / (a + 4.0);
  const Real tail = polynomial(t, kScaledErfc) * rough_exp2(a * a * -0x1.71547652b82fep+0);
  return narrow(select(x < 0.0, 2.0 - tail, tail));
}

Real erfinv_of(Real narrow_x) {
  const Real x = widen(narrow_x);
  const Real rest = fma(-x, x, 1.0);  // Exact.
  const Real w = rough_log2(rest) * -0x1.62e42fefa39efp-1;
  const Real near = polynomial(w - 2.5, kErfinv);
  const Real far = polynomial(sqrt(w) - 3.0, kErfinvTail);
  const Real value = x * select(w < 5.0, near, far);
  const Real limit = select(abs(x) == 1.0, copysign(x.same(kInfinity), x), kNan);
  return narrow(select(abs(x) < 1.0, value, limit));
}

}  // namespace

Formula error_formula(ScalarOp op, bool is_f64) {
  if (is_f64) return nullptr;
  if (op == ScalarOp::erf) return [](Operands x) { return erf_in_pieces(x[0]); };
  if (op == ScalarOp::erfc) return [](Operands x) { return erfc_of(x[0]); };
  if (op == ScalarOp::erfinv) return [](Operands x) { return erfinv_of(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
