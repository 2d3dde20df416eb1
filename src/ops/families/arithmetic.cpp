// Arithmetic of two or three tensors: sums, products, powers, interpolation.
//
// Integer and bool rules are PyTorch's: adding bools is `or`, multiplying them `and`, subtracting
// them is an error; integer powers of integers stay integers.

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/held_numbers.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

// Most binary operators have one body for all their overloads.
constexpr OpDef binary(ir::SchemaText schema, std::string_view doc, Meta meta,
                       Scalar (*body)(const PointwiseCall&), bool inplace = true,
                       Samples samples = {}) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .inplace = inplace,
          .held_wide = "value weight",
          .samples = samples};
}

bool is_one(const Call& call, std::string_view name) {
  if (call.is_complex(name)) return false;
  const Expr value = call.scalar(name);
  if (!value.is_constant()) return false;
  return value.domain() == ExprDomain::boolean ? value.boolean_constant() : call.real(name) == 1;
}

// Sums.

void require_alpha(const Call& call, DType result) {
  require(is_floating(result) || is_complex(result) ||
              call.scalar_category("alpha") <= DTypeCategory::integer,
          "alpha must be an integer for integer operands:", call.op().name());
  require(result == DType::bool_ || call.scalar_category("alpha") != DTypeCategory::bool_,
          "alpha is a bool for bool operands only:", call.op().name());
}

TensorType add_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require_alpha(call, type.dtype);
  return type;
}

TensorType sub_meta(const Call& call) {
  TensorType type = add_meta(call);
  for (const char* name : {"self", "other"}) {
    require(!call.is_tensor(name) || call.type(name).dtype != DType::bool_,
            "sub C1: bool cannot be subtracted; try bitwise_xor or logical_not");
  }
  return type;
}

TensorType rsub_meta(const Call& call) {
  return elementwise_type(sub_meta(call).dtype, call, {"other", "self"});
}

// Like PyTorch, multiplies complex numbers even by a factor of 1, which turns infinities into NaN.
Scalar scaled(const PointwiseCall& call, Scalar x, std::string_view factor) {
  if (is_complex(call.compute())) return x * call.number(factor);
  return is_one(call, factor) ? x : x * call.number(factor);
}

// The factor of a sum is one of its operands, the factor of a product is not: halves round only
// the former.
Scalar alpha_times(const PointwiseCall& call, Scalar x) {
  if (is_complex(call.compute())) return x * call.number("alpha");
  return is_one(call, "alpha") ? x : x * call.rounded(call.number("alpha"));
}

Scalar add(const PointwiseCall& call) { return call["self"] + alpha_times(call, call["other"]); }

Scalar difference(const PointwiseCall& call, Scalar from, Scalar x) {
  if (is_complex(call.compute())) {
    const Scalar minus_one = call.builder().constant(call.compute(), std::complex<double>(-1));
    return from + x * (call.number("alpha") * minus_one);
  }
  return from - alpha_times(call, x);
}

Scalar sub(const PointwiseCall& call) { return difference(call, call["self"], call["other"]); }

Scalar rsub(const PointwiseCall& call) { return difference(call, call["other"], call["self"]); }

constexpr std::string_view kAddDoc =
    "self + alpha * other; on bools logical or.\nC1: alpha is an integer for integer operands.";
constexpr std::string_view kSubDoc = "self - alpha * other.\nC1: not for bool.";
constexpr std::string_view kSumCalls[] = {"(f32[2, 3], f32[3])", "(i64[2, 1], f32[3], alpha=2)",
                                          "(f32[s0, 3], f32[1, 3])", "(bf16[4], 0.5)"};
constexpr std::string_view kSumScalarCalls[] = {"(f32[2, 3], 2)", "(i64[3], 0.5)"};

constexpr OpDef sum_of(ir::SchemaText schema, std::string_view doc, Meta meta,
                       Scalar (*body)(const PointwiseCall&), bool inplace,
                       std::span<const std::string_view> calls) {
  OpDef op = binary(schema, doc, meta, body, inplace, {.calls = calls});
  op.held = "alpha";
  return op;
}

// Products.

Scalar mul(const PointwiseCall& call) { return call["self"] * call["other"]; }

// PyTorch's kernels of products take a single second factor as it is.
constexpr OpDef product(ir::SchemaText schema) {
  OpDef op = binary(schema, "self * other; on bools logical and.", meta::elementwise, mul);
  op.unrounded = "other";
  return op;
}

TensorType addcdiv_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(is_floating(type.dtype) || is_complex(type.dtype),
          "addcdiv C1: integers are not divided here; try div with a rounding mode");
  return type;
}

Scalar addcmul(const PointwiseCall& call) {
  return call["self"] + scaled(call, call["tensor1"], "value") * call["tensor2"];
}

Scalar addcdiv(const PointwiseCall& call) {
  return call["self"] + scaled(call, call["tensor1"], "value") / call["tensor2"];
}

// Interpolation from the nearer end, so that both ends are exact.
Scalar lerp(const PointwiseCall& call) {
  const Scalar start = call["self"];
  const Scalar end = call["end"];
  const Scalar weight = call["weight"];
  const Scalar step = end - start;
  const Scalar near_start =
      is_complex(call.compute()) ? abs(weight) < 0.5 : (weight > -0.5) & (weight < 0.5);
  return select(near_start, start + weight * step, end - step * (1 - weight));
}

TensorType heaviside_meta(const Call& call) {
  require(call.type("self").dtype == call.type("values").dtype,
          "heaviside C1: one dtype:", call.type("self"), call.type("values"));
  return meta::elementwise_real(call);
}

// A weight without dimensions is promoted with the others, like an operand of a sum.
TensorType lerp_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const bool has_weights = call.is_tensor("weight");
  TensorType type = meta::elementwise(call);
  if (!has_weights) type.dtype = self.dtype;
  require(is_floating(type.dtype) || is_complex(type.dtype),
          "lerp C1: not for integers:", name(type.dtype));
  const bool has_one_dtype =
      call.type("end").dtype == self.dtype &&
      (!has_weights || call.type("weight").rank() == 0 || call.type("weight").dtype == self.dtype);
  require(has_one_dtype, "lerp C2: one dtype:", self, call.type("end"));
  return type;
}

constexpr OpDef interpolation(ir::SchemaText schema) {
  return binary(schema,
                "self + weight * (end - self).\n"
                "C1: not for integers. C2: one dtype, but for weights without dimensions.",
                lerp_meta, lerp);
}

constexpr OpDef interpolation_by_number(ir::SchemaText schema) {
  OpDef op = interpolation(schema);
  op.unrounded = "weight";
  return op;
}

// Powers.

TensorType pow_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  if (is_integer(type.dtype) && !call.is_tensor("exponent") &&
      call.scalar("exponent").is_constant()) {
    require(call.real("exponent") >= 0,
            "pow C1: integers have no negative integer powers; try a float exponent:",
            call.real("exponent"));
  }
  require(type.dtype != DType::bool_, ErrorCode::unsupported, "pow C2: not for bool");
  const bool is_wide =
      type.dtype == DType::f32 || type.dtype == DType::f64 || is_complex(type.dtype);
  if (!is_wide) require_held(call, "exponent", type.dtype);
  return type;
}

// The constant exponents that PyTorch computes without pow. It uses square roots, which differ from
// pow at -inf and -0, for all dtypes except f16.
std::optional<Scalar> simple_power(Scalar x, double exponent, DType result) {
  if (exponent == 1) return x;
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  const bool is_real = is_floating(x.dtype()) || is_complex(x.dtype());
  if (!is_real) return std::nullopt;
  if (exponent == 0.5 && result != DType::f16) return sqrt(x);
  if (exponent == -0.5 && result != DType::f16) return 1 / sqrt(x);
  if (exponent == -1) return 1 / x;
  if (exponent == -2) return 1 / (x * x);
  return std::nullopt;
}

Scalar pow_body(const PointwiseCall& call) {
  const Scalar base = call["self"];
  if (!call.is_tensor("exponent") && !call.is_complex("exponent") &&
      call.scalar("exponent").is_constant()) {
    if (const auto simple = simple_power(base, call.real("exponent"), call.result()))
      return *simple;
  }
  return pow(base, call["exponent"]);
}

TensorType float_power_meta(const Call& call) {
  const DType dtype = is_complex(promoted_dtype(call)) ? DType::c128 : DType::f64;
  return elementwise_type(dtype, call, {"self", "exponent"});
}

constexpr std::string_view kPowCalls[] = {"(f32[2, 3], f32[3])", "(i64[4], i64[4] in [0, 4))"};
constexpr std::string_view kPowScalarCalls[] = {"(f32[2, 3], 2)", "(f32[3], 0.5)", "(i64[4], 3)",
                                                "(i64[4], 1.5)"};

constexpr OpDef power(ir::SchemaText schema, std::string_view inplace_name, Samples samples) {
  OpDef op = binary(schema,
                    "self to the power of exponent.\n"
                    "C1: no negative exponent literals for integers. C2: not for bool.",
                    pow_meta, pow_body, !inplace_name.empty(), samples);
  op.inplace_name = inplace_name;
  return op;
}

constexpr OpDef float_power(ir::SchemaText schema, std::string_view inplace_name) {
  OpDef op = binary(schema, "self to the power of exponent, in f64 (c128).", float_power_meta,
                    pow_body, !inplace_name.empty(), {.lo = 0.1});
  op.inplace_name = inplace_name;
  op.inplace_exact = true;
  return op;
}

// Logarithms and relatives.

Scalar xlogy(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar y = call["other"];
  return select(is_nan(y), y, select(x == 0, 0, x * call.rounded(log(y))));
}

// log of a sum of exponentials of equal infinities would be NaN.
Scalar log_add(const PointwiseCall& call, Scalar (*tail)(Scalar)) {
  const Scalar a = call["self"];
  const Scalar b = call["other"];
  return select(is_inf(a) & (a == b), a, max(a, b) + tail(-abs(a - b)));
}

// For two complex numbers, factors out the one with the larger real part.
Scalar complex_log_add(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const Scalar a = call["self"];
  const Scalar c = call["other"];
  const auto no_number = [](Scalar x) { return is_nan(real(x)) | is_nan(imag(x)); };
  const Scalar is_second = real(a) < real(c);
  const Scalar large = select(is_second, c, a);
  const Scalar small = select(is_second, a, c);
  const Scalar one = b.cast(b.constant(DType::f64, 1.0), call.compute());
  // If both real parts are minus infinity, either angle will do; if both are infinite, neither may
  // be lost.
  const Scalar same = is_inf(real(large)) & (real(large) == real(small));
  const Scalar of_equals = select(real(large) < 0.0, small, log(exp(small) + exp(large)));
  const Scalar sum = select(same, of_equals, large + log(one + exp(small - large)));
  const Scalar none =
      b.cast(b.constant(DType::c128, std::complex<double>(NAN, NAN)), call.compute());
  return select(no_number(small) | no_number(large), none, sum);
}

Scalar natural_tail(Scalar x) { return log1p(exp(x)); }

Scalar binary_tail(Scalar x) { return log1p(exp2(x)) * std::numbers::log2e; }

Scalar logaddexp(const PointwiseCall& call) {
  return is_complex(call.compute()) ? complex_log_add(call) : log_add(call, natural_tail);
}

Scalar logaddexp2(const PointwiseCall& call) { return log_add(call, binary_tail); }

Scalar heaviside(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar zero = call.constant(0);
  return select(x == zero, call["values"], select(zero < x, call.constant(1), zero));
}

Scalar hypot_body(const PointwiseCall& call) { return hypot(call["self"], call["other"]); }

Scalar atan2_body(const PointwiseCall& call) { return atan2(call["self"], call["other"]); }

constexpr std::string_view kXlogyLeft[] = {"(2, f32[3])"};

constexpr std::array kOps{
    sum_of("aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", kAddDoc,
           add_meta, add, true, kSumScalarCalls),
    sum_of("aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", kAddDoc,
           add_meta, add, true, kSumCalls),
    binary("aten.addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> "
           "Tensor",
           "self + value * tensor1 / tensor2.\nC1: not for integers.", addcdiv_meta, addcdiv),
    binary("aten.addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> "
           "Tensor",
           "self + value * tensor1 * tensor2.", meta::elementwise, addcmul),
    binary("aten.arctan2(Tensor self, Tensor other) -> Tensor",
           "Angle of the point (other, self), in (-pi, pi].", meta::elementwise_real_floating,
           atan2_body),
    binary("aten.atan2(Tensor self, Tensor other) -> Tensor",
           "Angle of the point (other, self), in (-pi, pi].", meta::elementwise_real_floating,
           atan2_body),
    float_power("aten.float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", ""),
    float_power("aten.float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
                "aten.float_power_.Scalar"),
    float_power("aten.float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
                "aten.float_power_.Tensor"),
    binary("aten.heaviside(Tensor self, Tensor values) -> Tensor",
           "0 for negative self (and NaN), 1 for positive, values at 0.\nC1: one dtype.",
           heaviside_meta, heaviside),
    binary("aten.hypot(Tensor self, Tensor other) -> Tensor",
           "sqrt(self^2 + other^2) without overflow.", meta::elementwise_real_floating, hypot_body),
    interpolation_by_number("aten.lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"),
    interpolation("aten.lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor"),
    binary("aten.logaddexp(Tensor self, Tensor other) -> Tensor", "log(exp(self) + exp(other)).",
           meta::elementwise_floating, logaddexp, false),
    binary("aten.logaddexp2(Tensor self, Tensor other) -> Tensor", "log2(2^self + 2^other).",
           meta::elementwise_real_floating, logaddexp2, false),
    product("aten.mul.Scalar(Tensor self, Scalar other) -> Tensor"),
    product("aten.mul.Tensor(Tensor self, Tensor other) -> Tensor"),
    product("aten.multiply.Scalar(Tensor self, Scalar other) -> Tensor"),
    product("aten.multiply.Tensor(Tensor self, Tensor other) -> Tensor"),
    power("aten.pow.Scalar(Scalar self, Tensor exponent) -> Tensor", "", {}),
    power("aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "aten.pow_.Scalar",
          {.lo = 0.1, .calls = kPowScalarCalls}),
    power("aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "aten.pow_.Tensor",
          {.lo = 0.1, .calls = kPowCalls}),
    sum_of("aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
           "other - alpha * self.\nC1: not for bool.", rsub_meta, rsub, false, kSumScalarCalls),
    sum_of("aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           "other - alpha * self.\nC1: not for bool.", rsub_meta, rsub, false, kSumCalls),
    sum_of("aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", kSubDoc,
           sub_meta, sub, true, kSumScalarCalls),
    sum_of("aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", kSubDoc,
           sub_meta, sub, true, kSumCalls),
    sum_of("aten.subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", kSubDoc,
           sub_meta, sub, true, kSumScalarCalls),
    sum_of("aten.subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", kSubDoc,
           sub_meta, sub, true, kSumCalls),
    binary("aten.xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
           "self * log(other); 0 where self is 0.", meta::elementwise_floating, xlogy),
    binary("aten.xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
           "self * log(other); 0 where self is 0.", meta::elementwise_floating, xlogy, false,
           {.lo = 0.1, .calls = kXlogyLeft}),
    binary("aten.xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
           "self * log(other); 0 where self is 0.", meta::elementwise_floating, xlogy, true,
           {.lo = 0.1}),
};

}  // namespace

std::span<const OpDef> arithmetic_ops() { return kOps; }

}  // namespace litz::ops
