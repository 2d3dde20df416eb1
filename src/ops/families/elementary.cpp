// Functions of one tensor: rounding, signs, powers, logarithms, trigonometry, erf, gamma.
//
// Functions that are only defined for reals convert integers to f32; those that map integers to
// integers keep the dtype.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;
using loops::ScalarOp;

// Applies one primitive to self.
template <ScalarOp kOp>
Scalar primitive(const PointwiseCall& call) {
  const Scalar operands[] = {call["self"]};
  return call.builder().op(kOp, operands);
}

// Instructions return negative NaN for negative numbers; PyTorch's functions of f32 and f64 do not.
Scalar square_root(const PointwiseCall& call) {
  const Scalar x = call["self"];
  if (call.result() != DType::f32 && call.result() != DType::f64) return sqrt(x);
  return select(x < 0, std::numeric_limits<double>::quiet_NaN(), sqrt(x));
}

// The primitive for floating inputs; integers and bool are returned unchanged.
template <ScalarOp kOp>
Scalar rounding(const PointwiseCall& call) {
  return is_floating(call.compute()) ? primitive<kOp>(call) : call["self"];
}

constexpr OpDef real_function(ir::SchemaText schema, std::string_view doc,
                              Scalar (*body)(const PointwiseCall&), double lo = -4, double hi = 4) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::floating_like_self,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{body},
          .inplace = true,
          .samples = {.lo = lo, .hi = hi}};
}

// The same for functions without a complex form.
constexpr OpDef real_only_function(ir::SchemaText schema, std::string_view doc,
                                   Scalar (*body)(const PointwiseCall&), double lo = -4,
                                   double hi = 4) {
  OpDef op = real_function(schema, doc, body, lo, hi);
  op.meta = meta::real_floating_like_self;
  return op;
}

constexpr OpDef same_dtype(ir::SchemaText schema, std::string_view doc,
                           Scalar (*body)(const PointwiseCall&)) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::like_self,
          .impl = Pointwise{body},
          .inplace = true};
}

TensorType abs_meta(const Call& call) {
  TensorType type = meta::like_self(call);
  type.dtype = real_dtype(type.dtype);
  return type;
}

Scalar abs_body(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return is_signed(call.compute()) || is_complex(call.compute()) ? abs(x) : x;
}

constexpr OpDef absolute(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Absolute value; of a complex number its magnitude, in the real dtype.",
          .meta = abs_meta,
          .compute = Compute::inputs,
          .impl = Pointwise{abs_body},
          .inplace = true};
}

TensorType neg_meta(const Call& call) {
  require(call.type("self").dtype != DType::bool_, "neg C1: bool has no negation; try logical_not");
  return meta::like_self(call);
}

constexpr OpDef negation(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Negation.\nC1: not for bool.",
          .meta = neg_meta,
          .impl = Pointwise{primitive<ScalarOp::neg>},
          .inplace = true};
}

TensorType positive_meta(const Call& call) {
  require(call.type("self").dtype != DType::bool_, "positive C1: bool has no sign");
  return call.type("self");
}

Scalar reciprocal(const PointwiseCall& call) { return 1 / call["self"]; }

Scalar square(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return x * x;
}

TensorType square_meta(const Call& call) {
  TensorType type = meta::like_self(call);
  // The exponent 2 is an integer, and promotes bool.
  if (type.dtype == DType::bool_) type.dtype = DType::i64;
  return type;
}

Scalar sign_body(const PointwiseCall& call) {
  const Scalar x = call["self"];
  if (call.compute() == DType::bool_) return x;
  if (is_floating(call.compute())) {
    // PyTorch's sign of NaN is 0.
    return call.builder().cast(x > 0, call.compute()) - call.builder().cast(x < 0, call.compute());
  }
  return sign(x);
}

TensorType sign_meta(const Call& call) {
  require(!is_complex(call.type("self").dtype), "sign C1: complex numbers have no sign; try sgn");
  return meta::like_self(call);
}

Scalar sgn(const PointwiseCall& call) {
  if (!is_complex(call.compute())) return sign_body(call);
  return sign(call["self"]);
}

TensorType signbit_meta(const Call& call) {
  require(!is_complex(call.type("self").dtype), "signbit C1: complex numbers have no sign bit");
  return meta::bool_like_self(call);
}

Scalar signbit_body(const PointwiseCall& call) {
  const Scalar x = call["self"];
  if (is_floating(call.compute())) return signbit(x);
  if (is_signed(call.compute())) return x < 0;
  return call.builder().constant(DType::bool_, int64_t{0});
}

Scalar frac(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return x - trunc(x);
}

Scalar round_decimals(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const int64_t decimals = call.integer("decimals");
  if (decimals == 0) return round_even(x);
  // The scale is rounded to the dtype first, as in PyTorch. It divides or multiplies by an integer
  // power, which is exact in more cases than the reciprocal.
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals < 0 ? round_even(x / scale) * scale : round_even(x * scale) / scale;
}

Scalar sinc(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar scaled = x * std::numbers::pi;
  return select(x == 0, 1, sin(scaled) / scaled);
}

Scalar deg2rad(const PointwiseCall& call) { return call["self"] * (std::numbers::pi / 180); }

Scalar rad2deg(const PointwiseCall& call) { return call["self"] * (180 / std::numbers::pi); }

// PyTorch computes every step in the operand's dtype, also in halves.
Scalar logit(const PointwiseCall& call) {
  Scalar x = call["self"];
  if (call.has("eps")) {
    const Scalar lo = call.rounded(call.number("eps"));
    const Scalar hi = call.rounded(1 - lo);
    x = select(x < lo, lo, select(x > hi, hi, x));
  }
  return log(call.rounded(x / call.rounded(1 - x)));
}

// The largest finite value of a floating dtype.
double largest(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 65504.0;
    case DType::bf16:
      return 3.3895313892515355e38;
    case DType::f32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

Scalar nan_to_num_part(const PointwiseCall& call, Scalar x, DType dtype) {
  const double nan = call.has("nan") ? call.real("nan") : 0.0;
  const double posinf = call.has("posinf") ? call.real("posinf") : largest(dtype);
  const double neginf = call.has("neginf") ? call.real("neginf") : -largest(dtype);
  const Scalar finite = select(x > 0, select(is_inf(x), posinf, x), select(is_inf(x), neginf, x));
  return select(is_nan(x), nan, finite);
}

Scalar nan_to_num(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const DType part = real_dtype(call.result());
  if (is_complex(call.compute())) {
    return make_complex(nan_to_num_part(call, real(x), part), nan_to_num_part(call, imag(x), part));
  }
  return is_floating(call.compute()) ? nan_to_num_part(call, x, part) : x;
}

constexpr std::string_view kRoundCalls[] = {"(f32[2, 3], decimals=2)", "(f32[4], decimals=-1)"};
constexpr std::string_view kLogitCalls[] = {"(f32[2, 3])", "(f32[2, 3], eps=0.1)"};
constexpr std::string_view kNanCalls[] = {"(f32[2, 3])", "(i64[3])",
                                          "(f32[3], nan=1.0, posinf=2.0)"};
constexpr double kNearOne = 0.95;

constexpr std::array kOps{
    absolute("aten.abs(Tensor self) -> Tensor"),
    absolute("aten.absolute(Tensor self) -> Tensor"),
    real_function("aten.acos(Tensor self) -> Tensor", "Inverse cosine.", primitive<ScalarOp::acos>,
                  -kNearOne, kNearOne),
    real_function("aten.acosh(Tensor self) -> Tensor", "Inverse hyperbolic cosine.",
                  primitive<ScalarOp::acosh>, 1, 4),
    real_function("aten.arccos(Tensor self) -> Tensor", "Inverse cosine.",
                  primitive<ScalarOp::acos>, -kNearOne, kNearOne),
    real_function("aten.arccosh(Tensor self) -> Tensor", "Inverse hyperbolic cosine.",
                  primitive<ScalarOp::acosh>, 1, 4),
    real_function("aten.arcsin(Tensor self) -> Tensor", "Inverse sine.", primitive<ScalarOp::asin>,
                  -kNearOne, kNearOne),
    real_function("aten.arcsinh(Tensor self) -> Tensor", "Inverse hyperbolic sine.",
                  primitive<ScalarOp::asinh>),
    real_function("aten.arctan(Tensor self) -> Tensor", "Inverse tangent.",
                  primitive<ScalarOp::atan>),
    real_function("aten.arctanh(Tensor self) -> Tensor", "Inverse hyperbolic tangent.",
                  primitive<ScalarOp::atanh>, -kNearOne, kNearOne),
    real_function("aten.asin(Tensor self) -> Tensor", "Inverse sine.", primitive<ScalarOp::asin>,
                  -kNearOne, kNearOne),
    real_function("aten.asinh(Tensor self) -> Tensor", "Inverse hyperbolic sine.",
                  primitive<ScalarOp::asinh>),
    real_function("aten.atan(Tensor self) -> Tensor", "Inverse tangent.",
                  primitive<ScalarOp::atan>),
    real_function("aten.atanh(Tensor self) -> Tensor", "Inverse hyperbolic tangent.",
                  primitive<ScalarOp::atanh>, -kNearOne, kNearOne),
    same_dtype("aten.ceil(Tensor self) -> Tensor", "Rounds up.", rounding<ScalarOp::ceil>),
    real_function("aten.cos(Tensor self) -> Tensor", "Cosine.", primitive<ScalarOp::cos>),
    real_function("aten.cosh(Tensor self) -> Tensor", "Hyperbolic cosine.",
                  primitive<ScalarOp::cosh>),
    real_function("aten.deg2rad(Tensor self) -> Tensor", "Degrees to radians.", deg2rad, -360, 360),
    real_only_function("aten.digamma(Tensor self) -> Tensor", "Logarithmic derivative of gamma.",
                       primitive<ScalarOp::digamma>, 0.5, 8),
    real_only_function("aten.erf(Tensor self) -> Tensor", "Error function.",
                       primitive<ScalarOp::erf>),
    real_only_function("aten.erfc(Tensor self) -> Tensor", "Complementary error function.",
                       primitive<ScalarOp::erfc>),
    real_only_function("aten.erfinv(Tensor self) -> Tensor", "Inverse error function.",
                       primitive<ScalarOp::erfinv>, -kNearOne, kNearOne),
    real_function("aten.exp(Tensor self) -> Tensor", "Exponential.", primitive<ScalarOp::exp>),
    real_function("aten.exp2(Tensor self) -> Tensor", "Two to the power of self.",
                  primitive<ScalarOp::exp2>),
    real_function("aten.expm1(Tensor self) -> Tensor", "exp(self) - 1, accurate near 0.",
                  primitive<ScalarOp::expm1>),
    same_dtype("aten.fix(Tensor self) -> Tensor", "Rounds towards zero.",
               rounding<ScalarOp::trunc>),
    same_dtype("aten.floor(Tensor self) -> Tensor", "Rounds down.", rounding<ScalarOp::floor>),
    OpDef{.schema = "aten.frac(Tensor self) -> Tensor",
          .doc = "Fractional part, with the sign of self.",
          .meta = meta::floating_only,
          .impl = Pointwise{frac},
          .inplace = true},
    real_only_function("aten.lgamma(Tensor self) -> Tensor", "Logarithm of |gamma|.",
                       primitive<ScalarOp::lgamma>, 0.5, 8),
    real_function("aten.log(Tensor self) -> Tensor", "Natural logarithm.", primitive<ScalarOp::log>,
                  0.1, 8),
    real_function("aten.log10(Tensor self) -> Tensor", "Logarithm to base 10.",
                  primitive<ScalarOp::log10>, 0.1, 8),
    real_function("aten.log1p(Tensor self) -> Tensor", "log(1 + self), accurate near 0.",
                  primitive<ScalarOp::log1p>, -0.5, 8),
    real_function("aten.log2(Tensor self) -> Tensor", "Logarithm to base 2.",
                  primitive<ScalarOp::log2>, 0.1, 8),
    OpDef{
        .schema = "aten.logit(Tensor self, float? eps=None) -> Tensor",
        .doc = "log(self / (1 - self)); self is first clamped to [eps, 1 - eps] when eps is given.",
        .meta = meta::real_floating_like_self,
        .compute = Compute::at_least_f32,
        .impl = Pointwise{logit},
        .inplace = true,
        .samples = {.lo = 0.05, .hi = kNearOne, .calls = kLogitCalls}},
    OpDef{.schema = "aten.nan_to_num(Tensor self, float? nan=None, float? posinf=None, "
                    "float? neginf=None) -> Tensor",
          .doc = "Replaces NaN (by 0) and infinities (by the largest finite values).",
          .meta = meta::like_self,
          .impl = Pointwise{nan_to_num},
          .inplace = true,
          .samples = {.calls = kNanCalls}},
    negation("aten.neg(Tensor self) -> Tensor"),
    negation("aten.negative(Tensor self) -> Tensor"),
    OpDef{.schema = "aten.positive(Tensor(a) self) -> Tensor(a)",
          .doc = "Self.\nC1: not for bool.",
          .meta = positive_meta,
          .impl = View{}},
    real_function("aten.rad2deg(Tensor self) -> Tensor", "Radians to degrees.", rad2deg),
    real_function("aten.reciprocal(Tensor self) -> Tensor", "1 / self.", reciprocal, 0.5, 4),
    same_dtype("aten.round(Tensor self) -> Tensor", "Rounds to the nearest integer, half to even.",
               rounding<ScalarOp::round_even>),
    OpDef{.schema = "aten.round.decimals(Tensor self, *, int decimals) -> Tensor",
          .doc = "Rounds to a number of decimals, half to even in the scaled value.",
          .meta = meta::floating_only,
          .impl = Pointwise{round_decimals},
          .inplace = true,
          .samples = {.lo = -99, .hi = 99, .calls = kRoundCalls}},
    real_function("aten.rsqrt(Tensor self) -> Tensor", "1 / sqrt(self).",
                  primitive<ScalarOp::rsqrt>, 0.1, 8),
    same_dtype("aten.sgn(Tensor self) -> Tensor",
               "Sign; of a complex number the unit number of its direction.", sgn),
    OpDef{.schema = "aten.sign(Tensor self) -> Tensor",
          .doc = "-1, 0 or 1; 0 for NaN.\nC1: not for complex.",
          .meta = sign_meta,
          .impl = Pointwise{sign_body},
          .inplace = true},
    OpDef{.schema = "aten.signbit(Tensor self) -> Tensor",
          .doc = "Whether the sign bit is set: true for -0.0.\nC1: not for complex.",
          .meta = signbit_meta,
          .compute = Compute::inputs,
          .impl = Pointwise{signbit_body}},
    real_function("aten.sin(Tensor self) -> Tensor", "Sine.", primitive<ScalarOp::sin>),
    real_function("aten.sinc(Tensor self) -> Tensor", "sin(pi self) / (pi self); 1 at 0.", sinc),
    real_function("aten.sinh(Tensor self) -> Tensor", "Hyperbolic sine.",
                  primitive<ScalarOp::sinh>),
    real_function("aten.sqrt(Tensor self) -> Tensor", "Square root.", square_root, 0, 8),
    OpDef{.schema = "aten.square(Tensor self) -> Tensor",
          .doc = "self * self; bool gives int64.",
          .meta = square_meta,
          .impl = Pointwise{square},
          .inplace = true},
    real_function("aten.tan(Tensor self) -> Tensor", "Tangent.", primitive<ScalarOp::tan>, -1.4,
                  1.4),
    same_dtype("aten.trunc(Tensor self) -> Tensor", "Rounds towards zero.",
               rounding<ScalarOp::trunc>),
};

}  // namespace

std::span<const OpDef> elementary_ops() { return kOps; }

}  // namespace litz::ops
