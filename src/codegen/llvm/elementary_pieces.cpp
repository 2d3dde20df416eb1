// erf and tanh of f32. Both are odd functions that soon round to one, so each is a single
// polynomial whose coefficients come from a table indexed by the range of x.
//
// Piece k of eight has |rate |x| - k| <= 1/2. There f(x) = at + t (c_0 + c_1 t + ...), where t is
// |x| minus a middle near k / rate. The first piece has |x| in place of `at`, so that its error is
// relative to x. Middles are f32 numbers at which f is within 2^-31 of an f32 number, `at`.
// Coefficients are fits of our own, as in elementary_exponential.cpp.

#include <array>

#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {
namespace {

using PieceTable = std::array<double, 8>;

struct Pieces {
  double top;  ///< From here on f rounds to 1.
  double rate;
  PieceTable middles;
  PieceTable at;
};

constexpr Pieces kErf{3.925,
                      1.91,
                      {0.0, 0x1.0c108ep-1, 0x1.0c0feap+0, 0x1.9217cep+0, 0x1.0c0fbep+1,
                       0x1.4f13fcp+1, 0x1.921cacp+1, 0x1.d3a88ap+1},
                      {0.0, 0x1.14f8e8p-1, 0x1.b90342p-1, 0x1.f28488p-1, 0x1.fe6efap-1,
                       0x1.ffe3fap-1, 0x1.fffed6p-1, 0x1.fffff8p-1}};
// Relative errors at most 2^-27.9, 2^-25.7, 2^-25.5, 2^-26.9, 2^-28.2, 2^-30.1, 2^-31.4, 2^-34.7.
constexpr std::array kErfSlopes{
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

constexpr Pieces kTanh{9.02,
                       0.831,
                       {0.0, 0x1.340ff2p+0, 0x1.341058p+1, 0x1.ce17fep+1, 0x1.341010p+2,
                        0x1.8121bep+2, 0x1.ce069cp+2, 0x1.0a2b24p+3},
                       {0.0, 0x1.ab5b10p-1, 0x1.f7c0b0p-1, 0x1.ff4058p-1, 0x1.ffeeb8p-1,
                        0x1.fffe72p-1, 0x1.ffffdcp-1, 0x1.fffffcp-1}};
// Relative errors at most 2^-30.1, 2^-26.4, 2^-31.6 and, from the fourth on, 2^-37.4.
constexpr std::array kTanhSlopes{
    PieceTable{-0x1.c68328p-31, 0x1.369718p-2, 0x1.05c9dap-5, 0x1.7f0844p-9, 0x1.147b5ep-12,
               0x1.8dff62p-16, 0x1.1ffffep-19, 0x1.fffffap-23},
    PieceTable{0x1.e6b580p-23, -0x1.033e10p-2, -0x1.01925ep-5, -0x1.7e78e4p-9, -0x1.147206p-12,
               -0x1.8dfe2ap-16, -0x1.1fffe8p-19, -0x1.fffff6p-23},
    PieceTable{-0x1.5557fcp-2, 0x1.c36b3ep-4, 0x1.4c5206p-6, 0x1.fc78b8p-10, 0x1.707f28p-13,
               0x1.09526ap-16, 0x1.7fff9ap-20, 0x1.555566p-23},
    PieceTable{0x1.6c2268p-13, -0x1.f376b4p-8, -0x1.367c90p-7, -0x1.f97df0p-11, -0x1.704ea6p-14,
               -0x1.094fe4p-17, -0x1.800032p-21, -0x1.555560p-24},
    PieceTable{0x1.0e02e0p-3, -0x1.83862cp-6, 0x1.acd5eep-9, 0x1.8f9ef4p-12, 0x1.265554p-15,
               0x1.a87a7ep-19, 0x1.33345ap-22, 0x1.110a68p-25},
    PieceTable{0x1.d65f96p-8, 0x1.13bd30p-6, -0x1.90c676p-11, -0x1.04171ep-13, -0x1.874aaap-17,
               -0x1.1ab7c4p-20, -0x1.994986p-24, -0x1.6c0282p-27},
    PieceTable{-0x1.2f4fe0p-4, -0x1.12c40ap-8, 0x1.636042p-15, 0x1.1b71d4p-15, 0x1.bd66e0p-19,
               0x1.4285d0p-22, 0x1.d376b0p-26, 0x1.a23934p-29},
    PieceTable{0x1.03d74cp-5, -0x1.2ef8a4p-9, 0x1.68c572p-14, -0x1.00ad10p-17, -0x1.ca9a5ap-21,
               -0x1.4ec406p-24, -0x1.e57a14p-28, -0x1.a8c4e8p-31},
    PieceTable{-0x1.c70deep-10, 0x1.0d0ca2p-9, -0x1.af7a38p-15, 0x1.480754p-20, 0x1.8e474cp-23,
               0x1.30c054p-26, 0x1.b38994p-30, 0x1.3aa5d6p-33}};

Real in_pieces(Real x, const Pieces& pieces, std::span<const PieceTable> slopes) {
  const Real a = at_most(abs(x), pieces.top);
  const Whole piece = round_to_whole(a, pieces.rate);
  const Real t = a - pick(pieces.middles, piece);  // Exact.
  Real slope = pick(slopes.back(), piece);
  for (size_t i = slopes.size() - 1; i-- > 0;) slope = fma(slope, t, pick(slopes[i], piece));
  const Real at = select(is_zero(piece), a, pick(pieces.at, piece));
  return copysign(fma(t, slope, at), x);
}

}  // namespace

Real erf_in_pieces(Real x) { return in_pieces(x, kErf, kErfSlopes); }

Real tanh_in_pieces(Real x) { return in_pieces(x, kTanh, kTanhSlopes); }

}  // namespace litz::codegen
