// Special functions around the gamma and error functions: zeta, polygamma, incomplete gamma, normal
// distribution, entropy, and special_ aliases of functions defined elsewhere.
//
// Functions without a primitive are computed in f64 and rounded once. The methods are from the
// DLMF, chapters 5, 7, 8 and 25.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Scalar;
using Carried = std::span<const Scalar>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Scalar number(Scalar like, double value) { return like.builder().constant(DType::f64, value); }

Scalar counter(Scalar like, Expr k) { return like.builder().index(k, DType::f64); }

Scalar self_f64(const PointwiseCall& call) { return call.as("self", DType::f64); }

// --- error functions and the normal distribution ---

// exp(x^2) erfc(x): a product while both factors are normal numbers, then an asymptotic series.
Scalar scaled_erfc(Scalar x) {
  constexpr double kFar = 10;
  const Scalar z = max(x, kFar);
  const Scalar step = -0.5 / (z * z);
  const Scalar one = number(x, 1);
  const auto end = x.builder().carry(Expr(14), std::array{one, one}, [&](Expr index, Carried now) {
    const Scalar term = now[0] * step * (2 * counter(x, index) + 1);
    return std::vector{term, now[1] + term};
  });
  const Scalar far = end[1] * std::numbers::inv_sqrtpi / z;
  const Scalar y = min(x, kFar);
  return select(x < kFar, exp(y * y) * erfc(y), far);
}

Scalar erfcx(const PointwiseCall& call) { return scaled_erfc(self_f64(call)); }

// Uses erf instead of its complement, as in PyTorch: far below 0 the result is 0.
std::vector<Value> ndtr(DecomposeCall& call) {
  const Value x = call.to(call["self"], call.result().dtype);
  const Value scaled = call.aten("div.Scalar", {x, Expr::real(std::numbers::sqrt2)});
  const Value sum = call.aten("add.Scalar", {call.aten("erf", {scaled}), Expr(1)});
  return {call.aten("mul.Scalar", {sum, Expr::real(0.5)})};
}

Scalar log_ndtr(const PointwiseCall& call) {
  const Scalar x = self_f64(call);
  const Scalar t = x / std::numbers::sqrt2;
  const Scalar low = log(0.5 * scaled_erfc(-min(t, 0.0))) - t * t;
  return select(x < -1, low, log1p(-0.5 * erfc(t)));
}

// The x < 0 with normal_cdf(x) = p, for 0 < p <= 1/2: Newton steps on the logarithm.
Scalar lower_quantile(Scalar p) {
  const Scalar depth = -2 * log(p);
  // The leading terms of the tail; near 1/2 a line is accurate enough.
  const Scalar tail = -sqrt(max(depth - log(max(depth, 1.0) * (2 * std::numbers::pi)), 0.0));
  const Scalar start = select(p < 0.1, tail, (p - 0.5) * std::sqrt(2 * std::numbers::pi));
  const Scalar goal = log(p);
  const auto end = p.builder().carry(Expr(6), std::array{start}, [&](Expr, Carried now) {
    const Scalar x = now[0];
    const Scalar scaled = scaled_erfc(x * -(1 / std::numbers::sqrt2));
    const Scalar value = log(0.5 * scaled) - 0.5 * x * x;
    const Scalar slope = std::sqrt(2 * std::numbers::inv_pi) / scaled;
    return std::vector{x - (value - goal) / slope};
  });
  return end[0];
}

Scalar ndtri(const PointwiseCall& call) {
  const Scalar p = self_f64(call);
  const Scalar lower = min(p, 1 - p);
  const Scalar safe = select((lower > 0) & (lower <= 0.5), lower, 0.5);
  const Scalar quantile = lower_quantile(safe);
  const Scalar value = select(p > 0.5, -quantile, quantile);
  const Scalar inside = select(p == 0, -kInfinity, select(p == 1, kInfinity, value));
  return select((p >= 0) & (p <= 1), inside, kNan);
}

Scalar entropy(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar value = select(x == 0, 0.0, select(x < 0, -kInfinity, -x * log(x)));
  return select(is_nan(x), x, value);
}

Scalar xlog1py(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar y = call["other"];
  return select(is_nan(y), y, select(x == 0, 0.0, x * call.rounded(log1p(y))));
}

// --- zeta and polygamma ---

// B_(2 j) / (2 j)! for j >= 1.
constexpr std::array kEulerMaclaurin{
    1.0 / 12,
    -1.0 / 720,
    1.0 / 30240,
    -1.0 / 1209600,
    1.0 / 47900160,
    -691.0 / 1307674368000,
    1.0 / 74724249600,
    -3617.0 / 10670622842880000,
    43867.0 / 5109094217170944000,
};

// The sum of (q + k)^-s over k >= 0 for q > 0, s > 1, by Euler and Maclaurin.
Scalar positive_zeta(Scalar s, Scalar q) {
  constexpr int kTerms = 12;
  const auto sum =
      s.builder().carry(Expr(kTerms), std::array{number(s, 0)}, [&](Expr index, Carried now) {
        return std::vector{now[0] + pow(q + counter(s, index), -s)};
      });
  const Scalar end = q + kTerms;
  const Scalar last = pow(end, -s);
  Scalar total = sum[0] + end * last / (s - 1) + 0.5 * last;
  Scalar factor = s * last / end;
  for (size_t j = 0; j < kEulerMaclaurin.size(); ++j) {
    total = total + kEulerMaclaurin[j] * factor;
    const double next = static_cast<double>(2 * j);
    factor = factor * (s + (next + 1)) * (s + (next + 2)) / (end * end);
  }
  return total;
}

// For negative q and integer s, the terms left of zero are two sums on the right.
Scalar hurwitz_zeta(Scalar s, Scalar q) {
  const Scalar whole = floor(q);
  const Scalar fraction = q - whole;
  const Scalar safe_s = select(s > 1, s, 2.0);
  const Scalar safe_fraction = select(fraction > 0, fraction, 0.5);
  const Scalar left =
      positive_zeta(safe_s, 1 - safe_fraction) - positive_zeta(safe_s, 1 - whole - safe_fraction);
  const Scalar is_odd = safe_s - 2 * floor(0.5 * safe_s) == 1;
  const Scalar folded = positive_zeta(safe_s, safe_fraction) + select(is_odd, -left, left);
  const Scalar value = select(q > 0, positive_zeta(safe_s, select(q > 0, q, 1.0)), folded);
  const Scalar is_whole = (fraction == 0) | (q == -INFINITY);
  const Scalar at_pole = select(is_whole, kInfinity, select(s == floor(s), value, kNan));
  const Scalar inside = select(q > 0, value, at_pole);
  return select(s == 1, kInfinity, select(s < 1, kNan, inside));
}

Scalar zeta(const PointwiseCall& call) {
  const Scalar s = self_f64(call);
  const Scalar q = call.as("other", DType::f64);
  // The limit of q^-s + (q + 1)^-s + ... for infinite s.
  const Scalar limit = select(q < 1, kInfinity, select(q == 1, number(s, 1.0), kNan));
  // If all terms vanish, PyTorch multiplies 0 by a product of 23 factors of the magnitude of s.
  const Scalar sum = hurwitz_zeta(s, q);
  const Scalar vanishing = select((sum == 0) & is_inf(pow(s, 23.0)), kNan, sum);
  const Scalar value = select(s == INFINITY, limit, vanishing);
  // A pole stays infinite for every order, including NaN.
  const Scalar is_unordered = is_nan(s) & ((q > 0) | (q != floor(q)));
  const Scalar elsewhere = select(is_unordered | is_nan(q) | (q == INFINITY), kNan, value);
  return select(s == 1, kInfinity, elsewhere);  // PyTorch asks this first.
}

int64_t polygamma_order(const Call& call) {
  const int64_t n = call.integer("n");
  require(n >= 0, "polygamma needs an order that is not negative:", n);
  return n;
}

TensorType polygamma_meta(const Call& call) {
  polygamma_order(call);
  return meta::floating_like_self(call);
}

Scalar polygamma(const PointwiseCall& call) {
  const int64_t n = polygamma_order(call);
  const Scalar x = self_f64(call);
  if (n == 0) return digamma(x);
  const double order = static_cast<double>(n);
  const double factor = (n % 2 == 0 ? -1 : 1) * std::tgamma(order + 1);
  const Scalar value = factor * hurwitz_zeta(number(x, order + 1), x);
  return n == 1 ? select(x == INFINITY, 0.0, value) : value;
}

TensorType mvlgamma_meta(const Call& call) {
  require(call.integer("p") >= 1, "mvlgamma needs one dimension or more:", call.integer("p"));
  require(call.type("self").dtype != DType::bool_, "mvlgamma needs numbers:", call.type("self"));
  const TensorType& self = call.type("self");
  return contiguous_type(floating_dtype(self.dtype), self.sizes, self.device);
}

Scalar mvlgamma(const PointwiseCall& call) {
  const Scalar x = self_f64(call);
  const auto p = static_cast<double>(call.integer("p"));
  Scalar total = number(x, 0.25 * p * (p - 1) * std::log(std::numbers::pi));
  for (double j = 0; j < p; ++j) total = total + lgamma(x - 0.5 * j);
  return total;
}

// --- incomplete gamma functions ---

// Steps of a series or continued fraction, sufficient for a below kUniform.
constexpr int kSteps = 400;
constexpr double kUniform = 2000;

// x^a exp(-x) / gamma(a + 1)
Scalar power_over_gamma(Scalar a, Scalar x) { return exp(a * log(x) - x - lgamma(a + 1)); }

// P(a, x) by its power series.
Scalar lower_series(Scalar a, Scalar x) {
  const Scalar one = number(a, 1);
  const auto end =
      a.builder().carry(Expr(kSteps), std::array{one, one}, [&](Expr index, Carried now) {
        const Scalar term = now[0] * x / (a + counter(a, index) + 1);
        return std::vector{term, now[1] + term};
      });
  return end[1] * power_over_gamma(a, x);
}

// Q(a, x) by the series of its distance from 1 (DLMF 8.7.3), for small x.
Scalar upper_series(Scalar a, Scalar x) {
  constexpr int kFewSteps = 40;
  const Scalar one = number(a, 1);
  const auto end = a.builder().carry(Expr(kFewSteps), std::array{one, number(a, 0)},
                                     [&](Expr index, Carried now) {
                                       const Scalar n = counter(a, index) + 1;
                                       const Scalar factor = now[0] * (-x / n);
                                       return std::vector{factor, now[1] + factor / (a + n)};
                                     });
  const Scalar power = a * log(x);
  return -expm1(power - lgamma(a + 1)) - exp(power - lgamma(a)) * end[1];
}

// Q(a, x) by Legendre's continued fraction, in Lentz's form.
Scalar upper_fraction(Scalar a, Scalar x) {
  const Scalar first = x + 1 - a;
  const Scalar one = number(a, 1);
  const auto end =
      a.builder().carry(Expr(kSteps), std::array{number(a, 1e300), one / first, one / first},
                        [&](Expr index, Carried now) {
                          const Scalar i = counter(a, index) + 1;
                          const Scalar numerator = i * (a - i);
                          const Scalar denominator = x + 2 * i + 1 - a;
                          const Scalar c = denominator + numerator / now[0];
                          const Scalar d = 1 / (denominator + numerator * now[1]);
                          return std::vector{c, d, now[2] * (c * d)};
                        });
  return end[2] * a * power_over_gamma(a, x);
}

// Q(a, x) for large a and x near it: Temme's uniform expansion, two coefficients.
Scalar upper_uniform(Scalar a, Scalar x) {
  const Scalar mu = x / a - 1;
  const Scalar size = sqrt(max(2 * (mu - log1p(mu)), 0.0));
  const Scalar eta = select(mu < 0, -size, size);
  const Scalar is_near = abs(eta) < 0.05;
  const Scalar near = -1.0 / 3 + eta * (1.0 / 12 + eta * (-2.0 / 135 + eta * (1.0 / 864)));
  const Scalar safe_mu = select(is_near, 1.0, mu);
  const Scalar safe_eta = select(is_near, 1.0, eta);
  const Scalar first = select(is_near, near, 1 / safe_mu - 1 / safe_eta);
  // The second coefficient is nearly constant where the expansion is used.
  constexpr double kSecond = -1.0 / 540;
  const Scalar correction =
      exp(-0.5 * a * eta * eta) / sqrt(2 * std::numbers::pi * a) * (first + kSecond / a);
  return 0.5 * erfc(eta * sqrt(0.5 * a)) + correction;
}

struct IncompleteGamma {
  Scalar lower;
  Scalar upper;
};

IncompleteGamma incomplete_gamma(Scalar a, Scalar x) {
  const Scalar is_plain = (a > 0) & (x > 0) & !is_inf(a) & !is_inf(x);
  const Scalar safe_a = select(is_plain, a, 1.0);
  const Scalar safe_x = select(is_plain, x, 1.0);
  const Scalar is_uniform = (safe_a > kUniform) & (abs(safe_x - safe_a) < 0.3 * safe_a);
  const Scalar by_series = safe_x < safe_a + 1;
  const Scalar lower = lower_series(safe_a, select(by_series, safe_x, 0.5));
  const Scalar upper = upper_fraction(safe_a, select(by_series, safe_a + 2, safe_x));
  const Scalar uniform = upper_uniform(safe_a, select(is_uniform, safe_x, safe_a));
  const Scalar p = select(is_uniform, 1 - uniform, select(by_series, lower, 1 - upper));
  // Where Q is small beside 1 although x is, 1 - P has no digits.
  const Scalar by_distance = ((safe_x <= 0.5) & (safe_a <= -0.4 / log(min(safe_x, 0.5)))) |
                             ((safe_x > 0.5) & (safe_x <= 1.1) & (safe_a <= 1.1 * safe_x));
  const Scalar distance =
      upper_series(select(by_distance, safe_a, 0.5), select(by_distance, safe_x, 0.5));
  const Scalar beside = select(by_distance, distance, 1 - lower);
  const Scalar q = select(is_uniform, uniform, select(by_series, beside, upper));
  // Edge values: 0 for an empty gamma, all of it at infinity. They hide a NaN in the other
  // argument.
  const Scalar hides_nan =
      ((x == 0) & is_nan(a)) | (is_inf(x) & is_nan(a)) | (is_inf(a) & is_nan(x));
  const Scalar is_undefined = (a < 0) | (x < 0) | ((is_nan(a) | is_nan(x)) & !hides_nan) |
                              ((a == 0) & (x == 0)) | (is_inf(a) & is_inf(x));
  const Scalar is_all = (a == 0) | is_inf(x);
  const auto edge = [&](double all, double none, Scalar value) {
    const Scalar edges = select(is_all, number(a, all), number(a, none));
    return select(is_undefined, kNan, select(is_plain, value, edges));
  };
  return {edge(1, 0, p), edge(0, 1, q)};
}

Scalar igamma(const PointwiseCall& call) {
  return incomplete_gamma(self_f64(call), call.as("other", DType::f64)).lower;
}

Scalar igammac(const PointwiseCall& call) {
  return incomplete_gamma(self_f64(call), call.as("other", DType::f64)).upper;
}

TensorType igamma_meta(const Call& call) {
  const TensorType type = meta::elementwise(call);
  require(is_floating(type.dtype), "incomplete gamma functions need floating tensors, got",
          name(type.dtype));
  return type;
}

// --- aliases ---

TensorType softmax_meta(const Call& call) {
  const TensorType& self = call.type("self");
  call.dim("dim", self.rank());
  const DType dtype = call.dtype().value_or(self.dtype);
  require(is_floating(dtype), "softmax needs a floating dtype (give dtype= to cast), got",
          name(dtype));
  return contiguous_type(dtype, self.sizes, self.device);
}

std::vector<Value> softmax(DecomposeCall& call) {
  const bool is_log = call.op().name() == "aten.special_log_softmax";
  return {call.aten(is_log ? "log_softmax.int" : "softmax.int",
                    {call["self"], call.pass("dim"), call.pass("dtype")})};
}

std::vector<Value> expit(DecomposeCall& call) { return {call.aten("sigmoid", {call["self"]})}; }

std::vector<Value> logit(DecomposeCall& call) {
  return {call.aten("logit", {call["self"], call.pass("eps")})};
}

constexpr std::array kPairCalls{"(f32[2, 3], f32[3])"sv};
constexpr std::array kNumberLast{"(f32[2, 3], 2.5)"sv};
constexpr std::array kNumberFirst{"(2.5, f32[2, 3])"sv};
constexpr std::array kPolygammaCalls{"(2, f32[2, 3])"sv, "(0, f32[4])"sv,
                                     "(1, i64[3] in [1, 9))"sv};
constexpr std::array kOrderCalls{"(f32[2, 3], 1)"sv};
constexpr std::array kMvlgammaCalls{"(f32[2, 3], 3)"sv};
constexpr std::array kSoftmaxCalls{"(f32[2, 3], 1)"sv};
constexpr std::array kLogitCalls{"(f32[2, 3])"sv, "(f32[2, 3], 0.1)"sv};

constexpr OpDef function(ir::SchemaText schema, std::string_view doc,
                         Scalar (*body)(const PointwiseCall&), double lo = -4, double hi = 4) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::real_floating_like_self,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{body},
          .samples = {.lo = lo, .hi = hi}};
}

constexpr OpDef of_two(ir::SchemaText schema, std::string_view doc,
                       Scalar (*body)(const PointwiseCall&), Meta meta, bool inplace,
                       std::span<const std::string_view> calls = kPairCalls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{body},
          .inplace = inplace,
          .samples = {.lo = 1.1, .hi = 8, .calls = calls}};
}

constexpr OpDef polygamma_op(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Derivative n of digamma.",
          .meta = polygamma_meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{polygamma},
          .samples = {.lo = 0.5, .hi = 8, .calls = kPolygammaCalls}};
}

constexpr OpDef softmax_op(ir::SchemaText schema, std::string_view doc) {
  return {.schema = schema,
          .doc = doc,
          .meta = softmax_meta,
          .impl = Decompose{softmax},
          .samples = {.calls = kSoftmaxCalls}};
}

constexpr std::array kOps{
    of_two("aten.igamma(Tensor self, Tensor other) -> Tensor",
           "Regularised lower incomplete gamma function P(self, other).", igamma, igamma_meta,
           true),
    of_two("aten.igammac(Tensor self, Tensor other) -> Tensor",
           "Regularised upper incomplete gamma function Q(self, other).", igammac, igamma_meta,
           true),
    OpDef{.schema = "aten.mvlgamma(Tensor self, int p) -> Tensor",
          .doc = "Logarithm of the gamma function of p dimensions.",
          .meta = mvlgamma_meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{mvlgamma},
          .inplace = true,
          .samples = {.lo = 1.1, .hi = 8, .calls = kMvlgammaCalls}},
    polygamma_op("aten.polygamma(int n, Tensor self) -> Tensor"),
    function("aten.special_entr(Tensor self) -> Tensor", "-self log(self); 0 at 0, -inf below.",
             entropy),
    function("aten.special_erfcx(Tensor self) -> Tensor", "exp(self^2) erfc(self).", erfcx),
    OpDef{.schema = "aten.special_expit(Tensor self) -> Tensor",
          .doc = "Another name of sigmoid.",
          .meta = meta::floating_like_self,
          .impl = Decompose{expit}},
    function("aten.special_log_ndtr(Tensor self) -> Tensor",
             "Logarithm of the normal distribution function.", log_ndtr, -20, 6),
    softmax_op("aten.special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> "
               "Tensor",
               "Another name of log_softmax."),
    OpDef{.schema = "aten.special_logit(Tensor self, float? eps=None) -> Tensor",
          .doc = "Another name of logit.",
          .meta = meta::floating_like_self,
          .impl = Decompose{logit},
          .samples = {.lo = 0.05, .hi = 0.95, .calls = kLogitCalls}},
    OpDef{.schema = "aten.special_ndtr(Tensor self) -> Tensor",
          .doc = "Normal distribution function.",
          .meta = meta::floating_like_self,
          .impl = Decompose{ndtr}},
    function("aten.special_ndtri(Tensor self) -> Tensor", "Quantile of the normal distribution.",
             ndtri, 0.01, 0.99),
    // The in-place form of polygamma, which takes self first.
    OpDef{.schema = "litz.polygamma(Tensor self, int n) -> Tensor",
          .doc = "Derivative n of digamma.",
          .meta = other_types,
          .impl = Decompose{other_nodes},
          .inplace = true,
          .inplace_name = "aten.polygamma_",
          .stands_for = "aten.polygamma",
          .samples = {.lo = 0.5, .hi = 8, .calls = kOrderCalls}},
    polygamma_op("aten.special_polygamma(int n, Tensor self) -> Tensor"),
    softmax_op("aten.special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
               "Another name of softmax."),
    of_two("aten.special_xlog1py(Tensor self, Tensor other) -> Tensor",
           "self log(1 + other); 0 where self is 0.", xlog1py, meta::elementwise_floating, false),
    of_two("aten.special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor",
           "self log(1 + other); 0 where self is 0.", xlog1py, meta::elementwise_floating, false,
           kNumberLast),
    of_two("aten.special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor",
           "self log(1 + other); 0 where self is 0.", xlog1py, meta::elementwise_floating, false,
           kNumberFirst),
    of_two("aten.special_zeta(Tensor self, Tensor other) -> Tensor", "Hurwitz zeta function.", zeta,
           meta::elementwise_floating, false),
    of_two("aten.special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor",
           "Hurwitz zeta function.", zeta, meta::elementwise_floating, false, kNumberLast),
    of_two("aten.special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor",
           "Hurwitz zeta function.", zeta, meta::elementwise_floating, false, kNumberFirst),
};

}  // namespace

std::span<const OpDef> special_ops() { return kOps; }

}  // namespace litz::ops
