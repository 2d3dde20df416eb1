// Bit operations on integers; on bool they are logic.

#include <array>

#include "ops/bodies.h"
#include "ops/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

void require_bits(const Call& call, DType dtype, bool allow_bool) {
  require(is_integer(dtype) || (allow_bool && dtype == DType::bool_),
          "bits are those of integers:", call.op().name(), name(dtype));
}

TensorType bits_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require_bits(call, type.dtype, true);
  return type;
}

TensorType shift_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require_bits(call, type.dtype, false);
  return type;
}

Scalar bit_and(const PointwiseCall& call) { return call["self"] & call["other"]; }

Scalar bit_or(const PointwiseCall& call) { return call["self"] | call["other"]; }

Scalar bit_xor(const PointwiseCall& call) { return call["self"] ^ call["other"]; }

Scalar bit_not(const PointwiseCall& call) {
  const Scalar x = call["self"];
  return call.compute() == DType::bool_ ? !x : ~x;
}

// Shifts by a negative count, or by all bits and more, shift everything out.
Scalar is_too_far(const PointwiseCall& call, Scalar count) {
  const double bits = static_cast<double>(8 * item_size(call.compute()));
  const Scalar beyond = count >= bits;
  return is_signed(call.compute()) ? (count < 0) | beyond : beyond;
}

Scalar left_shift(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar count = call["other"];
  const Scalar out = is_too_far(call, count);
  return select(out, 0, shift_left(x, select(out, 0, count)));
}

Scalar right_shift(const PointwiseCall& call) {
  const Scalar x = call["self"];
  const Scalar count = call["other"];
  const Scalar out = is_too_far(call, count);
  const double last = static_cast<double>(8 * item_size(call.compute()) - 1);
  // A signed number leaves its sign behind, an unsigned one nothing.
  const Scalar shifted = shift_right(x, select(out, last, count));
  return is_signed(call.compute()) ? shifted : select(out, 0, shifted);
}

constexpr std::string_view kBitCalls[] = {"(i64[2, 3], i64[3])", "(bool[3], bool[3])"};
constexpr std::string_view kBitScalarCalls[] = {"(i64[2, 3], 5)"};
constexpr std::string_view kScalarLeftCalls[] = {"(5, i64[2, 3] in [0, 4))"};
constexpr std::string_view kNotCalls[] = {"(i64[2, 3])", "(bool[3])", "(u8[3])"};
constexpr std::string_view kShiftCalls[] = {"(i64[2, 3], i64[3] in [0, 8))"};

constexpr OpDef bits(ir::SchemaText schema, std::string_view doc, Meta meta,
                     Scalar (*body)(const PointwiseCall&), bool inplace,
                     std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .inplace = inplace,
          .samples = {.calls = calls}};
}

// The in-place form of an operator of Python.
constexpr OpDef written_as(OpDef op, std::string_view inplace_name) {
  op.inplace_name = inplace_name;
  return op;
}

constexpr std::string_view kAnd = "Bitwise and.";
constexpr std::string_view kOr = "Bitwise or.";
constexpr std::string_view kXor = "Bitwise exclusive or.";
constexpr std::string_view kLeft = "self * 2^other within the bits of the dtype.";
constexpr std::string_view kRight = "Shifts right; signed numbers keep their sign.";

constexpr std::array kOps{
    written_as(bits("aten.__and__.Scalar(Tensor self, Scalar other) -> Tensor", kAnd, bits_meta,
                    bit_and, true, kBitScalarCalls),
               "aten.__iand__.Scalar"),
    written_as(bits("aten.__and__.Tensor(Tensor self, Tensor other) -> Tensor", kAnd, bits_meta,
                    bit_and, true, kBitCalls),
               "aten.__iand__.Tensor"),
    written_as(bits("aten.__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", kLeft,
                    shift_meta, left_shift, true, kBitScalarCalls),
               "aten.__ilshift__.Scalar"),
    written_as(bits("aten.__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", kLeft,
                    shift_meta, left_shift, true, kShiftCalls),
               "aten.__ilshift__.Tensor"),
    written_as(bits("aten.__or__.Scalar(Tensor self, Scalar other) -> Tensor", kOr, bits_meta,
                    bit_or, true, kBitScalarCalls),
               "aten.__ior__.Scalar"),
    written_as(bits("aten.__or__.Tensor(Tensor self, Tensor other) -> Tensor", kOr, bits_meta,
                    bit_or, true, kBitCalls),
               "aten.__ior__.Tensor"),
    written_as(bits("aten.__rshift__.Scalar(Tensor self, Scalar other) -> Tensor", kRight,
                    shift_meta, right_shift, true, kBitScalarCalls),
               "aten.__irshift__.Scalar"),
    written_as(bits("aten.__rshift__.Tensor(Tensor self, Tensor other) -> Tensor", kRight,
                    shift_meta, right_shift, true, kShiftCalls),
               "aten.__irshift__.Tensor"),
    written_as(bits("aten.__xor__.Scalar(Tensor self, Scalar other) -> Tensor", kXor, bits_meta,
                    bit_xor, true, kBitScalarCalls),
               "aten.__ixor__.Scalar"),
    written_as(bits("aten.__xor__.Tensor(Tensor self, Tensor other) -> Tensor", kXor, bits_meta,
                    bit_xor, true, kBitCalls),
               "aten.__ixor__.Tensor"),
    bits("aten.bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", kAnd, bits_meta, bit_and,
         true, kBitScalarCalls),
    bits("aten.bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kAnd, bits_meta,
         bit_and, false, kScalarLeftCalls),
    bits("aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", kAnd, bits_meta, bit_and,
         true, kBitCalls),
    bits("aten.bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kLeft,
         shift_meta, left_shift, false, kScalarLeftCalls),
    bits("aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", kLeft, shift_meta,
         left_shift, true, kShiftCalls),
    bits("aten.bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", kLeft,
         shift_meta, left_shift, true, kBitScalarCalls),
    bits("aten.bitwise_not(Tensor self) -> Tensor", "Flips every bit; logical not of bool.",
         bits_meta, bit_not, true, kNotCalls),
    bits("aten.bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", kOr, bits_meta, bit_or,
         true, kBitScalarCalls),
    bits("aten.bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kOr, bits_meta,
         bit_or, false, kScalarLeftCalls),
    bits("aten.bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", kOr, bits_meta, bit_or,
         true, kBitCalls),
    bits("aten.bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kRight,
         shift_meta, right_shift, false, kScalarLeftCalls),
    bits("aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", kRight, shift_meta,
         right_shift, true, kShiftCalls),
    bits("aten.bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", kRight,
         shift_meta, right_shift, true, kBitScalarCalls),
    bits("aten.bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", kXor, bits_meta, bit_xor,
         true, kBitScalarCalls),
    bits("aten.bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", kXor, bits_meta,
         bit_xor, false, kScalarLeftCalls),
    bits("aten.bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", kXor, bits_meta, bit_xor,
         true, kBitCalls),
};

}  // namespace

std::span<const OpDef> bitwise_ops() { return kOps; }

}  // namespace litz::ops
