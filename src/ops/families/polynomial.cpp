// Orthogonal polynomials p_n(x), elementwise in x and n: Chebyshev's four kinds, Hermite's two,
// Laguerre's and Legendre's.
//
// Computed in f64 and rounded once. n is truncated to an integer; below 0 the polynomial is 0.
// Chebyshev polynomials have closed forms; the others run their recurrence to a fixed bound and
// keep the value at n.

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::KernelBuilder;
using loops::Scalar;
using Carried = std::span<const Scalar>;

// Rounded to the result's dtype: a large odd integer may become even.
Scalar operand(const PointwiseCall& call, std::string_view name) {
  return call.builder().cast(call.as(name, call.result()), DType::f64);
}

// A degree beyond 64-bit integers counts as negative.
Scalar degree(const PointwiseCall& call) {
  const Scalar n = operand(call, "n");
  return select(abs(n) < 0x1p63, trunc(n), -1.0);
}

double largest(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::max()
                             : static_cast<double>(std::numeric_limits<float>::max());
}

// The value with the overflow of the result's dtype.
Scalar overflown(Scalar value, DType dtype) {
  const double most = largest(dtype);
  const double infinity = std::numeric_limits<double>::infinity();
  return select(value > most, infinity, select(value < -most, -infinity, value));
}

Scalar is_odd(Scalar n) { return n - 2 * floor(n * 0.5) == 1; }

Scalar alternating(Scalar n, Scalar value) { return select(is_odd(n), -value, value); }

// --- Chebyshev ---

// The polynomials of all four kinds at |x|: circular inside [-1, 1], hyperbolic outside.
Scalar chebyshev_t(Scalar size, Scalar n) {
  return select(size <= 1, cos(n * acos(min(size, 1.0))), cosh(n * acosh(max(size, 1.0))));
}

// sin(a t) / sin(b t), or its hyperbolic equivalent, with the limit a / b at |x| = 1.
Scalar sine_ratio(Scalar size, Scalar a, double b) {
  const Scalar angle = acos(min(size, 1.0));
  const Scalar growth = acosh(max(size, 1.0));
  const Scalar ratio =
      select(size < 1, sin(a * angle) / sin(b * angle), sinh(a * growth) / sinh(b * growth));
  return select(size == 1, a / b, select(is_inf(size), size, ratio));
}

Scalar cosine_ratio(Scalar size, Scalar a, double b) {
  const Scalar angle = acos(min(size, 1.0));
  const Scalar growth = acosh(max(size, 1.0));
  const Scalar ratio =
      select(size <= 1, cos(a * angle) / cos(b * angle), cosh(a * growth) / cosh(b * growth));
  return select(is_inf(size), size, ratio);
}

enum class Kind : uint8_t { t, u, v, w };

// Outside [-1, 1] the recurrence gives infinity for the first two degrees that overflow, and the
// difference of two infinities above.
Scalar as_by_recurrence(Scalar value, Scalar two_before, Scalar n, DType dtype) {
  const Scalar is_above = (n >= 2) & (abs(two_before) > largest(dtype));
  return select(is_above, std::numeric_limits<double>::quiet_NaN(), overflown(value, dtype));
}

Scalar chebyshev_by_form(Kind kind, Scalar x, Scalar n) {
  const Scalar size = abs(x);
  const auto v = [&] { return cosine_ratio(size, n + 0.5, 0.5); };
  const auto w = [&] { return sine_ratio(size, n + 0.5, 0.5); };
  // T and U have the parity of n; V and W are exchanged.
  Scalar first;
  Scalar right;
  Scalar left;
  switch (kind) {
    case Kind::t:
      first = x;
      right = left = chebyshev_t(size, n);
      break;
    case Kind::u:
      first = 2 * x;
      right = left = sine_ratio(size, n + 1, 1);
      break;
    case Kind::v:
      first = 2 * x - 1;
      right = v();
      left = w();
      break;
    case Kind::w:
      first = 2 * x + 1;
      right = w();
      left = v();
      break;
  }
  Scalar value = select(x < 0, alternating(n, left), right);
  // Odd polynomials vanish at 0, which cosines of multiples of pi / 2 only approach.
  if (kind == Kind::t || kind == Kind::u) value = select((x == 0) & is_odd(n), 0.0, value);
  return select(n == 0, 1.0, select(n == 1, first, value));
}

Scalar chebyshev_at(Kind kind, Scalar x, Scalar n, DType dtype) {
  const Scalar value = chebyshev_by_form(kind, x, n);
  const Scalar before = chebyshev_by_form(kind, x, max(n - 2, 0.0));
  const Scalar kept = as_by_recurrence(value, before, n, dtype);
  return select(n < 0, 0.0, select(is_nan(x) & (n >= 1), x, kept));
}

template <Kind kKind, bool kShifted>
Scalar chebyshev(const PointwiseCall& call) {
  const Scalar x = operand(call, "x");
  return chebyshev_at(kKind, kShifted ? 2 * x - 1 : x, degree(call), call.result());
}

// --- three-term recurrences ---

// p_(k + 1) from p_k, p_(k - 1) and k >= 1.
using Step = std::function<Scalar(Scalar current, Scalar before, Scalar k)>;

// p_n from p_0 = 1, p_1 and the step; n must be below `bound`. Steps and their products overflow like
// the dtype.
Scalar recurrence(Scalar n, Scalar first, int64_t bound, DType dtype, const Step& step) {
  KernelBuilder& b = n.builder();
  const Scalar one = b.constant(DType::f64, 1.0);
  const Scalar initial = select(n < 1, one, first);
  const auto end =
      b.carry(Expr(bound - 2), std::array{one, first, initial}, [&](Expr index, Carried now) {
        const Scalar k = b.index(index, DType::f64) + 1;
        const Scalar next = overflown(step(now[1], now[0], k), dtype);
        return std::vector{now[1], next, select(n == k + 1, next, now[2])};
      });
  return select(n < 0, 0.0, end[2]);
}

// Higher degrees overflow and give NaN.
int64_t hermite_limit(const PointwiseCall& call) { return call.result() == DType::f64 ? 512 : 128; }

Scalar hermite(const PointwiseCall& call, double scale) {
  const DType dtype = call.result();
  const Scalar x = overflown(scale * operand(call, "x"), dtype);
  const Scalar n = degree(call);
  const int64_t limit = hermite_limit(call);
  const Scalar value = recurrence(n, x, limit, dtype, [&](Scalar current, Scalar before, Scalar k) {
    return overflown(x * current, dtype) - overflown(scale * k * before, dtype);
  });
  return select(n >= static_cast<double>(limit), std::numeric_limits<double>::quiet_NaN(), value);
}

Scalar hermite_h(const PointwiseCall& call) { return hermite(call, 2); }

Scalar hermite_he(const PointwiseCall& call) { return hermite(call, 1); }

constexpr int64_t kDegrees = 1024;

// Rejects larger degrees at run time: recurrences of unknown length are not supported.
Scalar bounded_degree(const PointwiseCall& call) {
  KernelBuilder& b = call.builder();
  const Scalar n = degree(call);
  const Scalar checked = b.bound_index(b.cast(max(n, 0.0), DType::i64), Expr(kDegrees), false,
                                       "the degree of a polynomial");
  return select(n < 0, n, b.cast(checked, DType::f64));
}

Scalar laguerre(const PointwiseCall& call) {
  const DType dtype = call.result();
  const Scalar x = operand(call, "x");
  return recurrence(bounded_degree(call), 1 - x, kDegrees, dtype,
                    [&](Scalar current, Scalar before, Scalar k) {
                      const Scalar gained = overflown((2 * k + 1 - x) * current, dtype);
                      const Scalar sum = gained - overflown(k * before, dtype);
                      return overflown(sum, dtype) / (k + 1);
                    });
}

Scalar legendre(const PointwiseCall& call) {
  const DType dtype = call.result();
  const Scalar x = operand(call, "x");
  return recurrence(bounded_degree(call), x, kDegrees, dtype,
                    [&](Scalar current, Scalar before, Scalar k) {
                      const Scalar factor = overflown((2 * k + 1) * x, dtype);
                      const Scalar gained = overflown(factor * current, dtype);
                      const Scalar sum = gained - overflown(k * before, dtype);
                      return overflown(sum, dtype) / (k + 1);
                    });
}

constexpr std::array kCalls{"(f32[2, 3], i64[3] in [0, 9))"sv, "(f32[2, 3], f32[2, 3])"sv};

constexpr std::array kDegreeCalls{"(f32[2, 3], 4)"sv};
constexpr std::array kPointCalls{"(0.5, i64[3] in [0, 9))"sv};

constexpr OpDef polynomial(ir::SchemaText schema, std::string_view doc,
                           Scalar (*body)(const PointwiseCall&),
                           std::span<const std::string_view> calls = kCalls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::elementwise_floating,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{body},
          .samples = {.lo = -3, .hi = 5, .calls = calls}};
}

constexpr std::array kOps{
    polynomial("aten.special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the first kind.", chebyshev<Kind::t, false>),
    polynomial("aten.special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the first kind.", chebyshev<Kind::t, false>, kDegreeCalls),
    polynomial("aten.special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the first kind.", chebyshev<Kind::t, false>, kPointCalls),
    polynomial("aten.special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the second kind.", chebyshev<Kind::u, false>),
    polynomial("aten.special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the second kind.", chebyshev<Kind::u, false>, kDegreeCalls),
    polynomial("aten.special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the second kind.", chebyshev<Kind::u, false>, kPointCalls),
    polynomial("aten.special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the third kind.", chebyshev<Kind::v, false>),
    polynomial("aten.special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the third kind.", chebyshev<Kind::v, false>, kDegreeCalls),
    polynomial("aten.special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the third kind.", chebyshev<Kind::v, false>, kPointCalls),
    polynomial("aten.special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the fourth kind.", chebyshev<Kind::w, false>),
    polynomial("aten.special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the fourth kind.", chebyshev<Kind::w, false>, kDegreeCalls),
    polynomial("aten.special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the fourth kind.", chebyshev<Kind::w, false>, kPointCalls),
    polynomial("aten.special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
               "Physicists' Hermite polynomial.", hermite_h),
    polynomial("aten.special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Physicists' Hermite polynomial.", hermite_h, kDegreeCalls),
    polynomial("aten.special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Physicists' Hermite polynomial.", hermite_h, kPointCalls),
    polynomial("aten.special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor",
               "Probabilists' Hermite polynomial.", hermite_he),
    polynomial("aten.special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Probabilists' Hermite polynomial.", hermite_he, kDegreeCalls),
    polynomial("aten.special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Probabilists' Hermite polynomial.", hermite_he, kPointCalls),
    polynomial("aten.special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor",
               "Laguerre polynomial; degrees below 1024.", laguerre),
    polynomial("aten.special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Laguerre polynomial; degrees below 1024.", laguerre, kDegreeCalls),
    polynomial("aten.special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Laguerre polynomial; degrees below 1024.", laguerre, kPointCalls),
    polynomial("aten.special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor",
               "Legendre polynomial; degrees below 1024.", legendre),
    polynomial("aten.special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Legendre polynomial; degrees below 1024.", legendre, kDegreeCalls),
    polynomial("aten.special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Legendre polynomial; degrees below 1024.", legendre, kPointCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the first kind at 2 x - 1.", chebyshev<Kind::t, true>),
    polynomial("aten.special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the first kind at 2 x - 1.", chebyshev<Kind::t, true>,
               kDegreeCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the first kind at 2 x - 1.", chebyshev<Kind::t, true>,
               kPointCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the second kind at 2 x - 1.", chebyshev<Kind::u, true>),
    polynomial("aten.special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the second kind at 2 x - 1.", chebyshev<Kind::u, true>,
               kDegreeCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the second kind at 2 x - 1.", chebyshev<Kind::u, true>,
               kPointCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the third kind at 2 x - 1.", chebyshev<Kind::v, true>),
    polynomial("aten.special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the third kind at 2 x - 1.", chebyshev<Kind::v, true>,
               kDegreeCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the third kind at 2 x - 1.", chebyshev<Kind::v, true>,
               kPointCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the fourth kind at 2 x - 1.", chebyshev<Kind::w, true>),
    polynomial("aten.special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor",
               "Chebyshev polynomial of the fourth kind at 2 x - 1.", chebyshev<Kind::w, true>,
               kDegreeCalls),
    polynomial("aten.special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
               "Chebyshev polynomial of the fourth kind at 2 x - 1.", chebyshev<Kind::w, true>,
               kPointCalls),
};

}  // namespace

std::span<const OpDef> polynomial_ops() { return kOps; }

}  // namespace litz::ops
