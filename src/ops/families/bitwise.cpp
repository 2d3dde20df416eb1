// Bit operations on integers and logic on bool; also the bits of all elements as one number.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
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

// Shifts by a negative count, or by all bits or more, shift everything out.
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
  // Only the sign remains of a signed number, and 0 of an unsigned one.
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

// The in-place form of a Python operator.
constexpr OpDef written_as(OpDef op, std::string_view inplace_name) {
  op.inplace_name = inplace_name;
  return op;
}

constexpr std::string_view kAnd = "Bitwise and.";
constexpr std::string_view kOr = "Bitwise or.";
constexpr std::string_view kXor = "Bitwise exclusive or.";
constexpr std::string_view kLeft = "self * 2^other within the bits of the dtype.";
constexpr std::string_view kRight = "Shifts right; signed numbers keep their sign.";

// --- all bits as one number ---

TensorType hash_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const DType dtype = self.dtype;
  require(dtype == DType::bool_ || dtype == DType::u8 ||
              (is_floating(dtype) ? !is_float8(dtype) : is_integer(dtype) && is_signed(dtype)),
          "hash_tensor C1: of real numbers, integers or bool:", name(dtype));
  require(call.integer("mode") == 0, "hash_tensor C2: the mode is 0, got", call.integer("mode"));
  TensorType type = meta::reduction(call);
  type.dtype = DType::u64;
  if (self.rank() == 0) return type;
  const std::vector<int64_t> dims = call.dims("dim", self.rank(), Call::WhenEmpty::none);
  if (dims.empty()) {
    call.require_sizes(ne(self.numel(), 0), "hash_tensor C3: of nothing there is no number:", self);
  }
  for (const int64_t dim : dims) {
    call.require_sizes(ne(self.sizes[static_cast<size_t>(dim)], 0),
                       "hash_tensor C3: of nothing there is no number:", self, "dimension", dim);
  }
  return type;
}

// Equal numbers have equal bits in f64, whatever their dtype is.
Scalar hash(const ReductionCall& call) {
  return call.reduce_raw(loops::ReduceKind::bit_xor, [](Scalar x) {
    loops::KernelBuilder& b = x.builder();
    if (!is_floating(x.dtype())) return b.cast(x, DType::i64);
    return b.bitcast(b.cast(x, DType::f64), DType::i64);
  });
}

constexpr std::string_view kHashCalls[] = {"(f32[2, 3, 4], [0, 2])",
                                           "(i16[s0, 3], [1], keepdim=True)", "(bool[5])"};

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
    OpDef{
        .schema = "aten.hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) "
                  "-> Tensor",
        .doc = "The exclusive or of the elements' bits along dimensions: of integers in i64, of "
               "real numbers in f64.\n"
               "C1: of real numbers of 16 bits and more, bool, u8 or signed integers. C2: the mode "
               "is 0. C3: along dimensions with elements.",
        .meta = hash_meta,
        .impl = Reduction{hash},
        .samples = {.calls = kHashCalls}},
};

}  // namespace

std::span<const OpDef> bitwise_ops() { return kOps; }

}  // namespace litz::ops
