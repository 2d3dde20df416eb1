// Bessel functions of orders 0 and 1, their modified and scaled forms, and the Airy function.
//
// All are computed in f64 and rounded once. The methods are those of the DLMF, chapters 9 and 10:
// power series near 0, backward recurrence with Neumann's sums (J and Y) or a trapezoid rule on the
// integral over cosh (K) in the middle, Hankel's expansions far out. Both sides of a choice are
// computed, so the argument of each is clamped to where it is finite.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"

namespace litz::ops {
namespace {

using loops::Scalar;
using Carried = std::span<const Scalar>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;
constexpr double kGamma = std::numbers::egamma;

Scalar argument(const PointwiseCall& call) {
  return call.as(call.op().schema.arguments[0].name, DType::f64);
}

Scalar number(Scalar like, double value) { return like.builder().constant(DType::f64, value); }

Scalar counter(Scalar like, Expr k) { return like.builder().index(k, DType::f64); }

// --- power series ---

// S = sum of (q^k / (k! (k + order)!)), and T, the same with every term times H_k + H_(k + order).
struct PowerSeries {
  Scalar sum;
  Scalar harmonic;
};

PowerSeries power_series(Scalar q, int order, int terms) {
  const Scalar one = number(q, 1);
  const Scalar first = number(q, order);  // H_0 + H_order.
  const auto end = q.builder().carry(
      Expr(terms), std::array{one, one, first, first}, [&](Expr index, Carried now) {
        const Scalar k = counter(q, index) + 1;
        const Scalar term = now[0] * q / (k * (k + order));
        const Scalar harmonics = now[3] + 1 / k + 1 / (k + order);
        return std::vector{term, now[1] + term, now[2] + term * harmonics, harmonics};
      });
  return {end[1], end[2]};
}

// The common part of the second solutions of both equations near 0.
Scalar logarithmic(Scalar x, const PowerSeries& series) {
  return (log(x * 0.5) + kGamma) * series.sum - 0.5 * series.harmonic;
}

// --- J and Y ---

constexpr double kSmall = 2;
constexpr double kLarge = 25;

struct Solutions {
  Scalar regular;   // J
  Scalar singular;  // Y
};

Solutions near_zero(Scalar x, int order) {
  const Scalar z = min(x, kSmall);
  const PowerSeries series = power_series(-0.25 * z * z, order, 20);
  const Scalar c = logarithmic(z, series);
  if (order == 0) return {series.sum, c * (2 / kPi)};
  return {0.5 * z * series.sum, z * c / kPi - (2 / kPi) / z};
}

// Miller's downward recurrence from order 73, normalised by J_0 + 2 J_2 + 2 J_4 + ... = 1.
Solutions between(Scalar x, int order) {
  constexpr int kPairs = 36;
  const Scalar z = min(max(x, kSmall), kLarge);
  const Scalar zero = number(x, 0);
  // f_(2k + 1), f_(2k), the norm, Neumann's sum for Y, (-1)^k.
  const std::array start{zero, number(x, 1e-250), zero, zero, number(x, 1)};
  const auto end = x.builder().carry(Expr(kPairs), start, [&](Expr index, Carried now) {
    const Scalar k = kPairs - counter(x, index);
    const Scalar part = order == 0 ? now[1] / k : now[0] * (2 * k + 1) / (k * (k + 1));
    const Scalar odd = 4 * k / z * now[1] - now[0];
    const Scalar even = (4 * k - 2) / z * odd - now[1];
    return std::vector{odd, even, now[2] + 2 * now[1], now[3] + now[4] * part, -now[4]};
  });
  const Scalar norm = end[2] + end[1];
  const Scalar regular = (order == 0 ? end[1] : end[0]) / norm;
  const Scalar logarithm = log(0.5 * z) + kGamma;
  const Scalar neumann = end[3] / norm;
  if (order == 0) return {regular, (2 / kPi) * (logarithm * regular - 2 * neumann)};
  return {regular, (2 / kPi) * ((logarithm - 1) * regular - neumann - end[1] / norm / z)};
}

Solutions far_out(Scalar x, int order) {
  constexpr int kPairs = 12;
  const Scalar z = max(x, kLarge);
  const double mu = 4.0 * order;
  const Scalar one = number(x, 1);
  const auto ratio = [&](Scalar k) {
    const Scalar odd = 2 * k - 1;
    return (mu - odd * odd) / (8 * k * z);
  };
  // The last term (with its sign), P, Q.
  const auto end = x.builder().carry(Expr(kPairs), std::array{one, one, number(x, 0)},
                                     [&](Expr index, Carried now) {
                                       const Scalar k = 2 * counter(x, index) + 1;
                                       const Scalar odd = now[0] * ratio(k);
                                       const Scalar even = -(odd * ratio(k + 1));
                                       return std::vector{even, now[1] + even, now[2] + odd};
                                     });
  const Scalar phase = z - (0.5 * order + 0.25) * kPi;
  const Scalar scale = sqrt(2 / (kPi * z));
  return {scale * (end[1] * cos(phase) - end[2] * sin(phase)),
          scale * (end[1] * sin(phase) + end[2] * cos(phase))};
}

template <int kOrder>
Scalar bessel_j(const PointwiseCall& call) {
  const Scalar x = argument(call);
  const Scalar size = abs(x);
  Scalar value =
      select(size <= kSmall, near_zero(size, kOrder).regular,
             select(size < kLarge, between(size, kOrder).regular, far_out(size, kOrder).regular));
  value = select(is_inf(x), 0.0, value);
  return kOrder == 1 ? select(x < 0, -value, value) : value;
}

template <int kOrder>
Scalar bessel_y(const PointwiseCall& call) {
  const Scalar x = argument(call);
  const Scalar value =
      select(x <= kSmall, near_zero(x, kOrder).singular,
             select(x < kLarge, between(x, kOrder).singular, far_out(x, kOrder).singular));
  return select(x == 0, -kInfinity, select(x < 0, kNan, value));
}

// --- I ---

constexpr double kLargeModified = 30;

Scalar i_series(Scalar size, int order) {
  const Scalar z = min(size, kLargeModified);
  const Scalar sum = power_series(0.25 * z * z, order, 80).sum;
  return order == 0 ? sum : 0.5 * z * sum;
}

// exp(-x) I(x) for large x.
Scalar i_scaled_far(Scalar size, int order) {
  const Scalar z = max(size, kLargeModified);
  const double mu = 4.0 * order;
  const Scalar one = number(size, 1);
  const auto end =
      size.builder().carry(Expr(20), std::array{one, one}, [&](Expr index, Carried now) {
        const Scalar k = counter(size, index) + 1;
        const Scalar odd = 2 * k - 1;
        const Scalar term = now[0] * (odd * odd - mu) / (8 * k * z);
        return std::vector{term, now[1] + term};
      });
  return end[1] / sqrt(2 * kPi * z);
}

Scalar with_parity(Scalar x, Scalar value, int order) {
  return order == 0 ? value : select(x < 0, -value, value);
}

template <int kOrder>
Scalar bessel_i(const PointwiseCall& call) {
  const Scalar x = argument(call);
  const Scalar size = abs(x);
  // In two steps, since the exponential overflows before the function does.
  const Scalar half = exp(0.5 * size);
  const Scalar value = select(size <= kLargeModified, i_series(size, kOrder),
                              i_scaled_far(size, kOrder) * half * half);
  return with_parity(x, select(is_inf(x), kInfinity, value), kOrder);
}

template <int kOrder>
Scalar bessel_i_scaled(const PointwiseCall& call) {
  const Scalar x = argument(call);
  const Scalar size = abs(x);
  const Scalar value = select(size <= kLargeModified, i_series(size, kOrder) * exp(-size),
                              i_scaled_far(size, kOrder));
  return with_parity(x, select(is_inf(x), 0.0, value), kOrder);
}

// --- K ---

// exp(x) K_order(x), the integral of exp(-x (cosh t - 1)) cosh(order t) over t >= 0.
Scalar k_scaled_integral(Scalar x, double order, int points) {
  // Beyond the last point the integrand is below exp(-40).
  const Scalar step = acosh(1 + 40 / x) / points;
  const auto end =
      x.builder().carry(Expr(points), std::array{number(x, 0.5)}, [&](Expr index, Carried now) {
        const Scalar t = (counter(x, index) + 1) * step;
        const Scalar half = sinh(0.5 * t);
        const Scalar value = exp(-2 * x * half * half);
        return std::vector{now[0] + (order == 0 ? value : value * cosh(order * t))};
      });
  return end[0] * step;
}

Scalar k_series(Scalar x, int order) {
  const Scalar z = min(x, kSmall);
  const Scalar c = logarithmic(z, power_series(0.25 * z * z, order, 20));
  return order == 0 ? -c : 1 / z + 0.5 * z * c;
}

template <int kOrder, bool kScaled>
Scalar bessel_k(const PointwiseCall& call) {
  const Scalar x = argument(call);
  Scalar near = k_series(x, kOrder);
  Scalar far = k_scaled_integral(max(x, kSmall), kOrder, 64);
  if (kScaled) {
    near = near * exp(min(x, kSmall));
  } else {
    far = far * exp(-x);
  }
  const Scalar value = select(x <= kSmall, near, far);
  return select(x == 0, kInfinity, select(x < 0, kNan, select(is_inf(x), 0.0, value)));
}

// --- Airy ---

constexpr double kAiryAtZero = 0.35502805388781723926;
constexpr double kAirySlopeAtZero = -0.25881940379280679841;

Scalar airy_series(Scalar x) {
  const Scalar cube = x * x * x;
  const Scalar one = number(x, 1);
  const auto end =
      x.builder().carry(Expr(40), std::array{one, x, one, x}, [&](Expr index, Carried now) {
        const Scalar k = 3 * (counter(x, index) + 1);
        const Scalar even = now[0] * cube / (k * (k - 1));
        const Scalar odd = now[1] * cube / (k * (k + 1));
        return std::vector{even, odd, now[2] + even, now[3] + odd};
      });
  return kAiryAtZero * end[2] + kAirySlopeAtZero * end[3];
}

Scalar airy_positive(Scalar x) {
  const Scalar zeta = (2.0 / 3) * x * sqrt(x);
  return sqrt(x / 3) / kPi * exp(-zeta) * k_scaled_integral(zeta, 1.0 / 3, 96);
}

Scalar airy_negative(Scalar size) {
  const Scalar zeta = (2.0 / 3) * size * sqrt(size);
  const auto ratio = [&](Scalar k) { return (6 * k - 5) * (6 * k - 1) / (72 * k * zeta); };
  const Scalar one = number(size, 1);
  const auto end = size.builder().carry(Expr(10), std::array{one, one, number(size, 0)},
                                        [&](Expr index, Carried now) {
                                          const Scalar k = 2 * counter(size, index) + 1;
                                          const Scalar odd = now[0] * ratio(k);
                                          const Scalar even = -(odd * ratio(k + 1));
                                          return std::vector{even, now[1] + even, now[2] + odd};
                                        });
  const Scalar phase = zeta - kPi / 4;
  return (cos(phase) * end[1] + sin(phase) * end[2]) / (std::sqrt(kPi) * sqrt(sqrt(size)));
}

Scalar airy_ai(const PointwiseCall& call) {
  constexpr double kLow = -7.5;
  constexpr double kHigh = 1;
  const Scalar x = argument(call);
  const Scalar middle = airy_series(min(max(x, kLow), kHigh));
  const Scalar value = select(x < kLow, airy_negative(max(-x, -kLow)),
                              select(x > kHigh, airy_positive(max(x, kHigh)), middle));
  return select(is_inf(x), kNan, value);
}

Scalar spherical_j0(const PointwiseCall& call) {
  const Scalar x = argument(call);
  return select(x == 0, 1.0, select(is_inf(x), 0.0, sin(x) / x));
}

// The same functions with NaN at infinity, where PyTorch's formulas have no value.
template <Scalar (*kBody)(const PointwiseCall&)>
Scalar without_limit(const PointwiseCall& call) {
  return select(is_inf(argument(call)), kNan, kBody(call));
}

constexpr OpDef bessel(ir::SchemaText schema, std::string_view doc,
                       Scalar (*body)(const PointwiseCall&), double lo = -40, double hi = 40) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::elementwise_floating,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{body},
          .samples = {.lo = lo, .hi = hi}};
}

constexpr OpDef order_zero(ir::SchemaText schema) {
  OpDef op = bessel(schema, "Modified Bessel function I of order 0.", without_limit<bessel_i<0>>);
  op.inplace = true;
  return op;
}

constexpr std::array kOps{
    order_zero("aten.i0(Tensor self) -> Tensor"),
    bessel("aten.special_airy_ai(Tensor x) -> Tensor", "Airy function Ai.", airy_ai, -12, 6),
    bessel("aten.special_bessel_j0(Tensor self) -> Tensor", "Bessel function J of order 0.",
           without_limit<bessel_j<0>>),
    bessel("aten.special_bessel_j1(Tensor self) -> Tensor", "Bessel function J of order 1.",
           without_limit<bessel_j<1>>),
    bessel("aten.special_bessel_y0(Tensor self) -> Tensor", "Bessel function Y of order 0.",
           bessel_y<0>, 0.1),
    bessel("aten.special_bessel_y1(Tensor self) -> Tensor", "Bessel function Y of order 1.",
           bessel_y<1>, 0.1),
    bessel("aten.special_i0(Tensor self) -> Tensor", "Modified Bessel function I of order 0.",
           without_limit<bessel_i<0>>),
    bessel("aten.special_i0e(Tensor self) -> Tensor", "exp(-|self|) I(self) of order 0.",
           bessel_i_scaled<0>),
    bessel("aten.special_i1(Tensor self) -> Tensor", "Modified Bessel function I of order 1.",
           without_limit<bessel_i<1>>),
    bessel("aten.special_i1e(Tensor self) -> Tensor", "exp(-|self|) I(self) of order 1.",
           bessel_i_scaled<1>),
    bessel("aten.special_modified_bessel_i0(Tensor self) -> Tensor",
           "Modified Bessel function I of order 0.", without_limit<bessel_i<0>>),
    bessel("aten.special_modified_bessel_i1(Tensor self) -> Tensor",
           "Modified Bessel function I of order 1.", without_limit<bessel_i<1>>),
    bessel("aten.special_modified_bessel_k0(Tensor self) -> Tensor",
           "Modified Bessel function K of order 0.", bessel_k<0, false>, 0.1),
    bessel("aten.special_modified_bessel_k1(Tensor self) -> Tensor",
           "Modified Bessel function K of order 1.", bessel_k<1, false>, 0.1),
    bessel("aten.special_scaled_modified_bessel_k0(Tensor x) -> Tensor", "exp(x) K(x) of order 0.",
           bessel_k<0, true>, 0.1),
    bessel("aten.special_scaled_modified_bessel_k1(Tensor x) -> Tensor", "exp(x) K(x) of order 1.",
           bessel_k<1, true>, 0.1),
    bessel("aten.special_spherical_bessel_j0(Tensor x) -> Tensor",
           "Spherical Bessel function of order 0: sin(x) / x.", spherical_j0),
};

}  // namespace

std::span<const OpDef> bessel_ops() { return kOps; }

}  // namespace litz::ops
