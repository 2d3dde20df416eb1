// Products with low-bit weights: integers of one or half a byte, with a scale per row or per group
// of a row.

#include <array>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

bool is_product_dtype(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

// --- a byte per weight ---

TensorType bytes_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& weight = call.type("mat2");
  const TensorType& scales = call.type("scales");
  require(self.rank() == 2 && weight.rank() == 2 && is_product_dtype(self.dtype) &&
              weight.dtype == DType::i8 && !known_not_equal(self.sizes[1], weight.sizes[1]),
          "_weight_int8pack_mm C1: rows of f32, f16 or bf16 times rows of int8 of their length:",
          self, weight);
  require(scales.dtype == self.dtype && scales.rank() == 1 &&
              !known_not_equal(scales.sizes[0], weight.sizes[0]),
          "_weight_int8pack_mm C2: a scale for every row of weights, of the dtype of self:", scales,
          self, weight);
  require(
      !known_not_equal(self.strides[1], Expr(1)) && is_contiguous(weight),
      "_weight_int8pack_mm C3: elements of a row lie next to each other, and rows of weights in "
      "order:",
      self, weight);
  return contiguous_type(self.dtype, {self.sizes[0], weight.sizes[0]}, self.device);
}

std::vector<Value> bytes_product(DecomposeCall& call) {
  const Steps steps(call);
  const Value weight = call.aten("t", {call.to(call["mat2"], DType::f32)});
  const Value product = call.aten("mm", {call.to(call["self"], DType::f32), weight});
  return {call.to(steps.mul(product, call.to(call["scales"], DType::f32)), call.result().dtype)};
}

// --- half a byte per weight ---
//
// The CPU packing stores 64 rows of weights together: for a column, byte d of the first 16 contains
// rows d and 32 + d, byte d of the next 16 rows 16 + d and 48 + d, the first of each in the low
// half. Rows beyond the last 64 are stored in pairs.

constexpr int64_t kRowsTogether = 64;
constexpr int64_t kRowsApart = 16;  // The number of rows must be a multiple of this.

/// The location of a weight: its byte in the flat packed tensor, and whether it uses the high half.
struct Place {
  Expr byte;
  Expr is_high;
};

Place place_of(Expr row, Expr column, Expr rows, Expr columns) {
  const Expr tile = floor_div(row, Expr(kRowsTogether));
  const Expr within = mod(row, Expr(kRowsTogether));
  const Expr left = rows - tile * kRowsTogether;
  const Expr start = tile * (kRowsTogether / 2) * columns;
  const Expr is_whole = le(Expr(kRowsTogether), left);
  const Expr whole = column * (kRowsTogether / 2) + mod(within, Expr(kRowsTogether / 2));
  const Expr pairs = column * floor_div(left, Expr(2)) + floor_div(within, Expr(2));
  const Expr whole_high = floor_div(within, Expr(kRowsTogether / 2));
  return {start + where(is_whole, whole, pairs), where(is_whole, whole_high, mod(within, Expr(2)))};
}

TensorType pack_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 2 && self.dtype == DType::i32,
          "_convert_weight_to_int4pack_for_cpu C1: weights are a matrix of int32:", self);
  call.require_sizes(
      logical_and(eq(mod(self.sizes[0], Expr(kRowsApart)), 0), eq(mod(self.sizes[1], Expr(2)), 0)),
      "_convert_weight_to_int4pack_for_cpu C2: rows divide by 16, columns by 2:", self);
  return contiguous_type(DType::u8, {self.sizes[0], floor_div(self.sizes[1], Expr(2))},
                         self.device);
}

// The row of the weight in one half of a byte of the flat packed tensor.
Expr row_in(Expr tile, Expr within, Expr left, Expr high) {
  const Expr is_whole = le(Expr(kRowsTogether), left);
  return tile * kRowsTogether +
         where(is_whole, within + high * (kRowsTogether / 2), 2 * within + high);
}

void pack(NestCall& call) {
  const TensorType& self = call.type("self");
  const Expr rows = self.sizes[0];
  const Expr columns = self.sizes[1];
  KernelBuilder& b = call.builder();
  b.loop(call.result().sizes, [&](Exprs i) {
    const Expr flat = i[0] * call.result().sizes[1] + i[1];
    const Expr tile = floor_div(flat, (kRowsTogether / 2) * columns);
    const Expr left = rows - tile * kRowsTogether;
    const Expr in_tile = flat - tile * (kRowsTogether / 2) * columns;
    const Expr bytes =
        where(le(Expr(kRowsTogether), left), Expr(kRowsTogether / 2), floor_div(left, Expr(2)));
    const Expr column = floor_div(in_tile, max(bytes, Expr(1)));
    const Expr within = mod(in_tile, max(bytes, Expr(1)));
    const auto half = [&](int64_t high) {
      const Scalar row = b.index(row_in(tile, within, left, Expr(high)));
      return b.load(call.in("self"), IndexVector{row.id(), b.index(column).id()});
    };
    const Scalar packed = half(0) | shift_left(half(1), b.constant(DType::i32, int64_t{4}));
    b.store(call.out(), i, b.cast(packed, DType::u8));
  });
}

TensorType unpack_meta(const Call& call) {
  const TensorType& packed = call.type("packed");
  const TensorType& scales = call.type("scales_and_zeros");
  const Expr group = call.expr("group_size");
  require(packed.rank() == 2 && packed.dtype == DType::u8,
          "int4 weights C1: packed weights are a matrix of bytes, two in each:", packed);
  require(scales.rank() == 3 && is_product_dtype(scales.dtype) &&
              !known_not_equal(scales.sizes[1], packed.sizes[0]) &&
              !known_not_equal(scales.sizes[2], Expr(2)),
          "int4 weights C2: every group of columns has a scale and a zero for each row:", scales,
          packed);
  const Expr columns = 2 * packed.sizes[1];
  call.require_sizes(eq(mod(packed.sizes[0], Expr(kRowsApart)), 0),
                     "int4 weights C3: rows divide by 16:", packed);
  call.require_sizes(logical_and(lt(0, group), eq(scales.sizes[0] * group, columns)),
                     "int4 weights C2: groups divide the columns:", scales, packed, group);
  return contiguous_type(DType::f32, {packed.sizes[0], columns}, packed.device);
}

// (q - 8) * scale + zero, in f32.
void unpack(NestCall& call) {
  const TensorType& result = call.result();
  const TensorType& packed = call.type("packed");
  KernelBuilder& b = call.builder();
  b.loop(result.sizes, [&](Exprs i) {
    const Place place = place_of(i[0], i[1], result.sizes[0], result.sizes[1]);
    const Scalar row = b.index(floor_div(place.byte, packed.sizes[1]));
    const Scalar column = b.index(mod(place.byte, packed.sizes[1]));
    const Scalar byte =
        b.cast(b.load(call.in("packed"), IndexVector{row.id(), column.id()}), DType::i32);
    const Scalar shift = b.index(4 * place.is_high, DType::i32);
    const Scalar whole = shift_right(byte, shift) & b.constant(DType::i32, int64_t{15});
    const Expr group = floor_div(i[1], call.expr("group_size"));
    const auto parameter = [&](int64_t k) {
      return b.cast(b.load(call.in("scales_and_zeros"), {group, i[0], Expr(k)}), DType::f32);
    };
    b.store(call.out(), i, (b.cast(whole, DType::f32) - 8) * parameter(0) + parameter(1));
  });
}

TensorType halves_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& weight = call.type("mat2");
  const TensorType& scales = call.type("qScaleAndZeros");
  require(self.rank() == 2 && weight.rank() == 2 && is_product_dtype(self.dtype) &&
              weight.dtype == DType::u8 && !known_not_equal(self.sizes[1], 2 * weight.sizes[1]) &&
              scales.dtype == self.dtype,
          "_weight_int4pack_mm C1: rows of f32, f16 or bf16 times packed rows of their length:",
          self, weight, scales);
  require(is_contiguous(self) && is_contiguous(weight),
          "_weight_int4pack_mm C2: both operands lie in order:", self, weight);
  const Expr group = call.expr("qGroupSize");
  require(group.is(32) || group.is(64) || group.is(128) || group.is(256),
          "_weight_int4pack_mm C3: a group has 32, 64, 128 or 256 columns:", group);
  return contiguous_type(self.dtype, {self.sizes[0], weight.sizes[0]}, self.device);
}

std::vector<Value> halves_product(DecomposeCall& call) {
  const Value weight = call.graph()
                           .create("litz.unpack_int4",
                                   {call["mat2"], call["qScaleAndZeros"], call.pass("qGroupSize")})
                           ->output();
  const Value product = call.aten("linear", {call.to(call["self"], DType::f32), weight});
  return {call.to(product, call.result().dtype)};
}

constexpr std::array kBytesSample{"(f32[2, 8], i8[6, 8], f32[6] in [0.1, 0.2))"sv,
                                  "(bf16[s0, 32], i8[6, 32], bf16[6] in [0.1, 0.2))"sv};
constexpr std::array kPackSample{"(i32[80, 4] in [0, 16), 8)"sv};
constexpr std::array kUnpackSample{"(u8[80, 32] in [0, 256), f32[2, 80, 2], 32)"sv};
constexpr std::array kHalvesSample{"(f32[2, 64], u8[64, 32] in [0, 256), 32, f32[2, 64, 2])"sv,
                                   "(bf16[s0, 64], u8[16, 32] in [0, 256), 64, bf16[1, 16, 2])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> "
                    "Tensor",
          .doc = "Weights from 0 to 15, two in each byte, in the order that CPUs with vectors of "
                 "512 bits read them.\n"
                 "C1: weights are a matrix of int32. C2: rows divide by 16, columns by 2.",
          .meta = pack_meta,
          .impl = LoopNest{pack},
          .samples = {.calls = kPackSample}},
    OpDef{.schema = "aten._weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, "
                    "Tensor qScaleAndZeros) -> Tensor",
          .doc = "self times the transposed weights (q - 8) * scale + zero, packed as by "
                 "_convert_weight_to_int4pack_for_cpu.\n"
                 "C1: rows of f32, f16 or bf16 times packed rows of their length. C2: both lie in "
                 "order. "
                 "C3: a group has 32, 64, 128 or 256 columns.",
          .meta = halves_meta,
          .impl = Decompose{halves_product},
          .samples = {.calls = kHalvesSample}},
    OpDef{.schema = "aten._weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor",
          .doc = "self times the transposed weights, each row of weights times its scale.\n"
                 "C1: rows of f32, f16 or bf16 times rows of int8 of their length. C2: a scale "
                 "for every row of weights. C3: elements of a row lie next to each other.",
          .meta = bytes_meta,
          .impl = Decompose{bytes_product},
          .samples = {.calls = kBytesSample}},
    OpDef{.schema = "litz.unpack_int4(Tensor packed, Tensor scales_and_zeros, SymInt group_size) "
                    "-> Tensor",
          .doc = "(q - 8) * scale + zero, as f32, of weights that were packed for the CPU.\n"
                 "C1: packed weights are a matrix of bytes, two in each. C2: every group of "
                 "columns has a scale and a zero for each row. C3: rows divide by 16.",
          .meta = unpack_meta,
          .impl = LoopNest{unpack},
          .samples = {.calls = kUnpackSample}},
};

}  // namespace

std::span<const OpDef> packed_product_ops() { return kOps; }

}  // namespace litz::ops
