// Division and similar operators: quotients by rounding mode, remainders, common divisors.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

constexpr OpDef division(ir::SchemaText schema, std::string_view doc, Meta meta,
                         Scalar (*body)(const PointwiseCall&), bool inplace,
                         std::span<const std::string_view> calls,
                         std::string_view inplace_name = {}) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .inplace = inplace,
          .inplace_name = inplace_name,
          .samples = {.lo = 0.5, .hi = 4, .calls = calls}};
}

// PyTorch's kernels of quotients take a single divisor as it is.
constexpr OpDef quotient(ir::SchemaText schema, std::string_view doc, Meta meta,
                         Scalar (*body)(const PointwiseCall&), bool inplace,
                         std::span<const std::string_view> calls,
                         std::string_view inplace_name = {}) {
  OpDef op = division(schema, doc, meta, body, inplace, calls, inplace_name);
  op.unrounded = "other";
  return op;
}

Scalar true_div(const PointwiseCall& call) { return call["self"] / call["other"]; }

enum class Rounding : uint8_t { none, trunc, floor };

Rounding rounding_mode(const Call& call) {
  if (!call.has("rounding_mode")) return Rounding::none;
  const std::string_view mode = call.str("rounding_mode");
  require(mode == "trunc" || mode == "floor",
          "div C1: rounding_mode must be None, trunc or floor:", mode);
  return mode == "trunc" ? Rounding::trunc : Rounding::floor;
}

TensorType real_only(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(type.dtype != DType::bool_ && !is_complex(type.dtype),
          "rounding division is for integers and reals only:", call.op().name(), name(type.dtype));
  return type;
}

TensorType div_mode_meta(const Call& call) {
  return rounding_mode(call) == Rounding::none ? meta::elementwise_floating(call) : real_only(call);
}

// True for a single number, possibly expanded.
bool is_single(const TensorType& type) {
  for (size_t d = 0; d < type.rank(); ++d) {
    if (!type.sizes[d].is(1) && !type.strides[d].is(0)) return false;
  }
  return true;
}

// PyTorch rounds quotients of half-precision tensors to their dtype before truncating, so that
// bfloat16 2.998 becomes 3; but not quotients by a single number.
Scalar truncating_div(const PointwiseCall& call) {
  const Scalar a = call["self"];
  const Scalar b = call["other"];
  const bool is_by_number = !call.is_tensor("other") || is_single(call.type("other"));
  if (is_by_number || !is_half(call.result())) return trunc_div(a, b);
  loops::KernelBuilder& builder = call.builder();
  return trunc(builder.cast(builder.cast(a / b, call.result()), call.compute()));
}

Scalar div_mode(const PointwiseCall& call) {
  const Scalar a = call["self"];
  const Scalar b = call["other"];
  switch (rounding_mode(call)) {
    case Rounding::none:
      return a / b;
    case Rounding::trunc:
      return truncating_div(call);
    case Rounding::floor:
      return floor_div(a, b);
  }
  return a;
}

Scalar floor_divide(const PointwiseCall& call) { return floor_div(call["self"], call["other"]); }

Scalar remainder(const PointwiseCall& call) { return mod(call["self"], call["other"]); }

Scalar fmod_body(const PointwiseCall& call) { return fmod(call["self"], call["other"]); }

TensorType integer_only(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(is_integer(type.dtype), "the operator is for integers only:", call.op().name(),
          name(type.dtype));
  return type;
}

Scalar magnitude(Scalar x) { return is_signed(x.dtype()) ? abs(x) : x; }

// Euclid's algorithm with a fixed number of steps: two 64-bit numbers need at most 92. The order of
// the operands and the sign of remainders are PyTorch's: the smallest integer has no magnitude.
Scalar greatest_common_divisor(Scalar a, Scalar b) {
  constexpr int kSteps = 92;
  loops::KernelBuilder& builder = a.builder();
  const Scalar one = builder.constant(a.dtype(), int64_t{1});
  const Scalar initial[] = {magnitude(b), magnitude(a)};
  return builder.carry(kSteps, initial, [&](Expr, std::span<const Scalar> pair) {
    const Scalar done = pair[1] == 0;
    const Scalar rest = fmod(pair[0], select(done, one, pair[1]));
    return std::vector<Scalar>{select(done, pair[0], pair[1]), select(done, pair[1], rest)};
  })[0];
}

Scalar gcd(const PointwiseCall& call) {
  return greatest_common_divisor(call["self"], call["other"]);
}

Scalar lcm(const PointwiseCall& call) {
  const Scalar a = call["self"];
  const Scalar b = call["other"];
  const Scalar divisor = greatest_common_divisor(a, b);
  const Scalar one = call.constant(1);
  const Scalar nonzero = select(divisor == 0, one, divisor);
  // C++ multiplies narrow integers as int, so that only the multiple's magnitude wraps.
  loops::KernelBuilder& builder = a.builder();
  const DType dtype = a.dtype();
  const DType wide = item_size(dtype) < item_size(DType::i32) ? DType::i32 : dtype;
  const Scalar multiple = builder.cast(trunc_div(a, nonzero), wide) * builder.cast(b, wide);
  return select(divisor == 0, divisor, builder.cast(magnitude(multiple), dtype));
}

constexpr std::string_view kTrueDoc = "self / other; integers give f32.";
constexpr std::string_view kModeDoc =
    "self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).\n"
    "C1: rounding_mode is None, trunc or floor.";
constexpr std::string_view kFloorDoc = "self / other, rounded towards minus infinity.";
constexpr std::string_view kRemainderDoc = "Remainder with the sign of other.";
constexpr std::string_view kFmodDoc = "Remainder with the sign of self.";

constexpr std::string_view kTensorCalls[] = {"(f32[2, 3], f32[3])", "(i64[4], i64[4] in [1, 5))"};
constexpr std::string_view kScalarCalls[] = {"(f32[2, 3], 2)", "(i64[4], 3)"};
constexpr std::string_view kModeCalls[] = {"(f32[2, 3], f32[3], rounding_mode='floor')",
                                           "(i64[4], i64[4] in [1, 5), rounding_mode='trunc')",
                                           "(i64[4], i64[4] in [1, 5), rounding_mode=None)"};
constexpr std::string_view kScalarModeCalls[] = {"(f32[2, 3], 2, rounding_mode='floor')",
                                                 "(i64[4], 3, rounding_mode='trunc')"};
constexpr std::string_view kLeftCalls[] = {"(7, f32[3])", "(7, i64[4] in [1, 5))"};
constexpr std::string_view kIntegerCalls[] = {"(i64[5], i64[5])", "(i32[5], i32[1])"};

constexpr std::array kOps{
    quotient("aten.div.Scalar(Tensor self, Scalar other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kScalarCalls),
    quotient("aten.div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
             kModeDoc, div_mode_meta, div_mode, true, kScalarModeCalls),
    quotient("aten.div.Tensor(Tensor self, Tensor other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kTensorCalls),
    quotient("aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
             kModeDoc, div_mode_meta, div_mode, true, kModeCalls),
    quotient("aten.divide.Scalar(Tensor self, Scalar other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kScalarCalls),
    quotient("aten.divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
             kModeDoc, div_mode_meta, div_mode, true, kScalarModeCalls),
    quotient("aten.divide.Tensor(Tensor self, Tensor other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kTensorCalls),
    quotient("aten.divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
             kModeDoc, div_mode_meta, div_mode, true, kModeCalls),
    quotient("aten.floor_divide(Tensor self, Tensor other) -> Tensor", kFloorDoc, real_only,
             floor_divide, true, kTensorCalls, "aten.floor_divide_.Tensor"),
    quotient("aten.floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", kFloorDoc, real_only,
             floor_divide, true, kScalarCalls),
    division("aten.fmod.Scalar(Tensor self, Scalar other) -> Tensor", kFmodDoc, real_only,
             fmod_body, true, kScalarCalls),
    division("aten.fmod.Tensor(Tensor self, Tensor other) -> Tensor", kFmodDoc, real_only,
             fmod_body, true, kTensorCalls),
    division("aten.gcd(Tensor self, Tensor other) -> Tensor",
             "Greatest common divisor, not negative.", integer_only, gcd, true, kIntegerCalls),
    division("aten.lcm(Tensor self, Tensor other) -> Tensor",
             "Least common multiple, not negative.", integer_only, lcm, true, kIntegerCalls),
    division("aten.remainder.Scalar(Tensor self, Scalar other) -> Tensor", kRemainderDoc, real_only,
             remainder, true, kScalarCalls),
    division("aten.remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kRemainderDoc,
             real_only, remainder, false, kLeftCalls),
    division("aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor", kRemainderDoc, real_only,
             remainder, true, kTensorCalls),
    quotient("aten.true_divide.Scalar(Tensor self, Scalar other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kScalarCalls),
    quotient("aten.true_divide.Tensor(Tensor self, Tensor other) -> Tensor", kTrueDoc,
             meta::elementwise_floating, true_div, true, kTensorCalls),
};

}  // namespace

std::span<const OpDef> division_ops() { return kOps; }

}  // namespace litz::ops
