// Splits floating-point numbers into parts and combines parts: sign, exponent, neighbours.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

Scalar copysign_body(const PointwiseCall& call) { return copysign(call["self"], call["other"]); }

constexpr OpDef copysign_overload(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Magnitude of self with the sign of other.",
          .meta = meta::elementwise_real_floating,
          .impl = Pointwise{copysign_body},
          .inplace = true};
}

// frexp. Every dtype is converted to f64 first, in which f32, f16 and bf16 have no subnormals.

constexpr int kMantissaBits = 52;
constexpr int64_t kExponentMask = 0x7ff;
constexpr int64_t kBias = 1022;  // Of a mantissa in [0.5, 1).
constexpr int64_t kSubnormalShift = 54;

Types frexp_meta(const Call& call) {
  TensorType mantissa = meta::floating_only(call);
  TensorType exponent = mantissa;
  exponent.dtype = DType::i32;
  return {std::move(mantissa), std::move(exponent)};
}

void frexp(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& out = call.result();
  b.loop(out.sizes, [&](Exprs i) {
    const auto bits_of = [&](int64_t value) { return b.constant(DType::i64, value); };
    const Scalar given = b.cast(b.load(call.in("self"), i), DType::f64);
    const auto exponent_of = [&](Scalar x) {
      return shift_right(b.bitcast(x, DType::i64), bits_of(kMantissaBits)) & bits_of(kExponentMask);
    };
    const Scalar tiny = exponent_of(given) == 0;
    const Scalar x =
        select(tiny, given * static_cast<double>(int64_t{1} << kSubnormalShift), given);
    const Scalar shift = select(tiny, bits_of(kSubnormalShift), bits_of(0));
    const Scalar raw = exponent_of(x);
    const Scalar whole = (raw == 0) | (raw == static_cast<double>(kExponentMask));
    const Scalar kept = b.bitcast(x, DType::i64) & bits_of(~(kExponentMask << kMantissaBits));
    const Scalar mantissa = b.bitcast(kept | bits_of(kBias << kMantissaBits), DType::f64);
    b.store(call.out(0), i, b.cast(select(whole, given, mantissa), out.dtype));
    b.store(call.out(1), i,
            b.cast(select(whole, bits_of(0), raw - bits_of(kBias) - shift), DType::i32));
  });
}

// ldexp. With a floating or bool exponent, or an integer or complex self, the power is rounded to its
// dtype before the multiplication: that of the exponent, or of both if it is a number of a complex
// power. Integer exponents, as i32, change the exponent of other numbers, which round once.

bool moves_exponent(const Call& call) {
  return is_integer(call.type("other").dtype) && is_floating(call.type("self").dtype);
}

DType ldexp_power_dtype(const Call& call) {
  const DType self = call.type("self").dtype;
  const TensorType& exponent = call.type("other");
  if (is_complex(self) && exponent.rank() == 0) return promote(real_dtype(self), exponent.dtype);
  return floating_dtype(exponent.dtype);
}

TensorType ldexp_meta(const Call& call) {
  const TensorType operands[] = {call.type("self"), call.type("other")};
  const TensorType power = converted_type(floating_dtype(operands[1].dtype), operands[1]);
  return joined_type(floating_dtype(promoted_dtype(operands)), operands[0], power);
}

// 2^exponent as f64, for an exponent (i64) of a normal number.
Scalar power_of_two(Scalar exponent) {
  KernelBuilder& b = exponent.builder();
  const Scalar mantissa_bits = b.constant(DType::i64, int64_t{kMantissaBits});
  return b.bitcast(shift_left(exponent + b.constant(DType::i64, int64_t{kBias + 1}), mantissa_bits),
                   DType::f64);
}

// Multiplies in up to three steps, so that every power is a normal number. Only the last step
// rounds: if an earlier one would, the result is 0.
Scalar moved_exponent(const PointwiseCall& call) {
  constexpr double kMost = 2200;  // From the smallest subnormal number past the largest one.
  constexpr double kOneStep = 1000;
  KernelBuilder& b = call.builder();
  const Scalar given = b.cast(call.as("other", DType::i32), DType::i64);
  const Scalar exponent = min(max(given, -kMost), kMost);
  const Scalar is_near = (exponent <= kOneStep) & (exponent >= -kOneStep);
  const Scalar third = trunc_div(exponent, b.constant(DType::i64, int64_t{3}));
  const Scalar first = select(is_near, 0.0, third);
  const Scalar last = exponent - first - first;
  const Scalar power = power_of_two(first);
  return call.as("self", DType::f64) * power * power * power_of_two(last);
}

Scalar ldexp(const PointwiseCall& call) {
  if (moves_exponent(call)) return moved_exponent(call);
  const DType dtype = ldexp_power_dtype(call);
  // The power is rounded to its own dtype before the multiplication.
  const Scalar power = exp2(call.as("other", compute_dtype(dtype)));
  KernelBuilder& b = call.builder();
  return call["self"] * b.cast(b.cast(power, dtype), call.compute());
}

// nextafter. Neighbours of halves are found by incrementing or decrementing their bits.

TensorType nextafter_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(is_floating(type.dtype), "nextafter C1: for floating dtypes only:", name(type.dtype));
  return type;
}

Scalar next_half(const PointwiseCall& call, DType dtype) {
  KernelBuilder& b = call.builder();
  const Scalar x = call["self"];
  const Scalar to = call["other"];
  const Scalar bits = b.cast(b.bitcast(call.as("self", dtype), DType::i16), DType::i32);
  const Scalar one = b.constant(DType::i32, int64_t{1});
  const Scalar grows = (x < to) == (x > 0);  // Away from zero: the next magnitude.
  const Scalar stepped = select(grows, bits + one, bits - one);
  const Scalar smallest = select(to > 0, one, b.constant(DType::i32, int64_t{-0x7fff}));
  const Scalar moved = b.bitcast(b.cast(select(x == 0, smallest, stepped), DType::i16), dtype);
  const Scalar result = select(x == to, to, b.cast(moved, call.compute()));
  return select(is_nan(x), x, select(is_nan(to), to, result));
}

Scalar nextafter_body(const PointwiseCall& call) {
  const DType dtype = call.result();
  if (dtype != call.compute()) return next_half(call, dtype);
  return nextafter(call["self"], call["other"]);
}

constexpr std::string_view kFrexpCalls[] = {"(f32[2, 3])", "(f64[3])"};
constexpr std::string_view kLdexpCalls[] = {"(f32[2, 3], i64[3])", "(i64[3], i64[3])",
                                            "(bf16[3], bf16[3])"};
constexpr std::string_view kNextCalls[] = {"(f32[2, 3], f32[3])", "(bf16[4], bf16[4])"};

constexpr std::array kOps{
    copysign_overload("aten.copysign.Scalar(Tensor self, Scalar other) -> Tensor"),
    copysign_overload("aten.copysign.Tensor(Tensor self, Tensor other) -> Tensor"),
    OpDef{.schema = "aten.frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
          .doc = "self = mantissa * 2^exponent with a mantissa in [0.5, 1).",
          .meta = frexp_meta,
          .impl = LoopNest{frexp},
          .samples = {.calls = kFrexpCalls}},
    OpDef{.schema = "aten.ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
          .doc = "self * 2^other.",
          .meta = ldexp_meta,
          .impl = Pointwise{ldexp},
          .inplace = true,
          .inplace_name = "aten.ldexp_",
          .samples = {.calls = kLdexpCalls}},
    OpDef{.schema = "aten.nextafter(Tensor self, Tensor other) -> Tensor",
          .doc = "The next representable number after self towards other.\n"
                 "C1: for floating dtypes only.",
          .meta = nextafter_meta,
          .impl = Pointwise{nextafter_body},
          .inplace = true,
          .samples = {.calls = kNextCalls}},
};

}  // namespace

std::span<const OpDef> floating_parts_ops() { return kOps; }

}  // namespace litz::ops
