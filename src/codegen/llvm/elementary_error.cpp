// erf, erfc and erfinv of f32.
//
// erf is f32 arithmetic: one polynomial whose coefficients are looked up by where x lies. erfc and
// erfinv are evaluated in f64. Polynomials are fits of our own, as in elementary_exponential.cpp.

#include <array>
#include <limits>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// erf on eight pieces of [0, 3.925], of which piece k has |1.91 x - k| <= 1/2:
// erf(x) = kErfAt[k] + t (c_0 + ... + c_5 t^5) with t = x - kErfMiddle[k], c_i = kErfPieces[i][k],
// but x in place of the first piece's kErfAt, so that its error is relative to x. Middles are those
// numbers of f32 near k / 1.91 whose erf is within 2^-31 of a number of f32. Relative errors at most
// 2^-27.9, 2^-25.7, 2^-25.5, 2^-26.9, 2^-28.2, 2^-30.1, 2^-31.4 and 2^-34.7.
using PieceTable = std::array<double, 8>;
constexpr PieceTable kErfMiddle{0.0,           0x1.0c108ep-1, 0x1.0c0feap+0, 0x1.9217cep+0,
                                0x1.0c0fbep+1, 0x1.4f13fcp+1, 0x1.921cacp+1, 0x1.d3a88ap+1};
constexpr PieceTable kErfAt{0.0,           0x1.14f8e8p-1, 0x1.b90342p-1, 0x1.f28488p-1,
                            0x1.fe6efap-1, 0x1.ffe3fap-1, 0x1.fffed6p-1, 0x1.fffff8p-1};
constexpr std::array kErfPieces{
    PieceTable{0x1.06eba8p-3, 0x1.b736eep-1, 0x1.81fc40p-2, 0x1.881a52p-4, 0x1.cc70c6p-7,
               0x1.387ea8p-10, 0x1.e9f1d6p-15, 0x1.e35a86p-20},
    PieceTable{-0x1.626882p-21, -0x1.cbe9d6p-2, -0x1.942c32p-2, -0x1.33ef1ap-3, -0x1.e2226ap-6,
               -0x1.9903f2p-9, -0x1.80c1b8p-13, -0x1.b93406p-18},
    PieceTable{-0x1.811d1cp-2, -0x1.089de4p-3, 0x1.32db6ap-3, 0x1.0123bcp-3, 0x1.2a4594p-5,
               0x1.4ab068p-8, 0x1.7d635cp-12, 0x1.00d09ep-16},
    PieceTable{-0x1.71c2c4p-11, 0x1.77cda4p-3, 0x1.b3646ap-5, -0x1.8cfaeap-5, -0x1.cff36ep-6,
               -0x1.6cece4p-8, -0x1.0bea04p-11, -0x1.b4435ap-16},
    PieceTable{0x1.e4e8a4p-4, 0x1.2dba42p-10, -0x1.0ce3ccp-4, -0x1.027bfep-7, 0x1.9a7624p-7,
               0x1.200de0p-8, 0x1.27b2d8p-11, 0x1.32d180p-15},
    PieceTable{-0x1.45603ap-6, -0x1.88c74ap-5, 0x1.104814p-7, 0x1.0eb48cp-6, -0x1.3125e4p-10,
               -0x1.29faf2p-9, -0x1.cc0568p-12, -0x1.2064b8p-15}};
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

Real erf_of(Real x) {
  const Real a = at_most(abs(x), 3.925);  // From there on erf is nearest to 1.
  const Whole piece = round_to_whole(a, 1.91);
  const Real t = a - pick(kErfMiddle, piece);  // Exact.
  Real slope = pick(kErfPieces.back(), piece);
  for (size_t i = kErfPieces.size() - 1; i-- > 0;)
    slope = fma(slope, t, pick(kErfPieces[i], piece));
  const Real at = select(is_zero(piece), a, pick(kErfAt, piece));
  return copysign(fma(t, slope, at), x);
}

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
  if (op == ScalarOp::erf) return [](Operands x) { return erf_of(x[0]); };
  if (op == ScalarOp::erfc) return [](Operands x) { return erfc_of(x[0]); };
  if (op == ScalarOp::erfinv) return [](Operands x) { return erfinv_of(x[0]); };
  return nullptr;
}

}  // namespace litz::codegen
