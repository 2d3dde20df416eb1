// Choosing between values: clamping, where, masked filling.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/clamp_bounds.h"
#include "ops/families/families.h"
#include "ops/families/vector_choice.h"
#include "ops/held_numbers.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

// The tensor operands among the named arguments, as converted to the dtype of a result; numbers do
// not affect its shape.
std::vector<TensorType> tensors(const Call& call, DType dtype,
                                std::initializer_list<std::string_view> names) {
  std::vector<TensorType> types;
  for (const std::string_view name : names) {
    if (call.is_tensor(name)) types.push_back(converted_type(dtype, call.type(name)));
  }
  return types;
}

// Clamping. The lower bound is applied first, so max wins if min > max. For zeros of both signs,
// max and min return the second operand: self, except that PyTorch's vector code returns bounds
// that are tensors.

TensorType clamp_meta(const Call& call) {
  const bool has_min = call.has("min");
  const bool has_max = call.has("max");
  require(has_min || has_max, "clamp C1: min or max must be given");
  DType dtype = promoted_dtype(call, {"self"});
  if (has_min && has_max) dtype = promoted_dtype(call, {"self", "min", "max"});
  if (has_min && !has_max) dtype = promoted_dtype(call, {"self", "min"});
  if (!has_min && has_max) dtype = promoted_dtype(call, {"self", "max"});
  require(!litz::is_complex(dtype), "clamp C2: complex numbers have no order");
  require_bound(call, "min", dtype, true);
  require_bound(call, "max", dtype, false);
  return elementwise_type(dtype, tensors(call, dtype, {"self", "min", "max"}));
}

Scalar clamp(const PointwiseCall& call) {
  Scalar x = call["self"];
  const bool has_tensors =
      (call.has("min") && call.is_tensor("min")) || (call.has("max") && call.is_tensor("max"));
  const bool gives_bound = has_tensors && !fills_no_vectors(call, {"self", "min", "max"});
  if (call.has("min"))
    x = gives_bound ? max(x, clamp_bound(call, "min")) : max(clamp_bound(call, "min"), x);
  if (call.has("max"))
    x = gives_bound ? min(x, clamp_bound(call, "max")) : min(clamp_bound(call, "max"), x);
  return x;
}

constexpr OpDef clamping(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc =
              "Limits self to [min, max]; NaN in any operand gives NaN.\n"
              "C1: min or max is given. C2: not for complex.",
          .meta = clamp_meta,
          .impl = Pointwise{clamp},
          .inplace = true,
          .samples = {.calls = calls}};
}

// Where.

TensorType where_meta(const Call& call) {
  const DType condition = call.type("condition").dtype;
  require(condition == DType::bool_ || condition == DType::u8,
          "where C1: the condition must be bool:", name(condition));
  const DType dtype = promoted_dtype(call, {"self", "other"});
  std::vector<TensorType> operands = tensors(call, dtype, {"self", "other"});
  operands.insert(operands.begin(), call.type("condition"));
  return elementwise_type(dtype, operands);
}

Scalar where_body(const PointwiseCall& call) {
  return select(call.as("condition", DType::bool_), call["self"], call["other"]);
}

constexpr OpDef choosing(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "self where condition holds, else other.\nC1: the condition is bool.",
          .meta = where_meta,
          .impl = Pointwise{where_body},
          .held_wide = "self other",
          .samples = {.calls = calls}};
}

// Masked filling. The functional form fills a contiguous copy.

TensorType masked_fill_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const DType mask = call.type("mask").dtype;
  require(mask == DType::bool_, "masked_fill C1: the mask must be bool:", name(mask));
  require(!call.is_tensor("value") || call.type("value").rank() == 0,
          "masked_fill C2: the value must be a number or a rank-0 tensor");
  return contiguous_type(self.dtype, broadcast_sizes(self.sizes, call.type("mask").sizes),
                         self.device);
}

Scalar masked_fill(const PointwiseCall& call) {
  // The value is rounded to self's dtype before the result is promoted.
  if (call.is_tensor("value")) {
    const Scalar value = held(call.builder(), call.load("value"), call.result(), call.op().name());
    return select(call.load("mask"), value, call.load("self"));
  }
  return select(call.load("mask"), call.as("value", call.result()), call.load("self"));
}

constexpr OpDef masked_filling(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc =
              "value where mask holds, else self.\n"
              "C1: the mask is bool. C2: the value is one number. C3: which the dtype of self "
              "holds, up to fractions; any number is true or false.",
          .meta = masked_fill_meta,
          .impl = Pointwise{masked_fill},
          .inplace = true,
          .held = "value",
          .samples = {.calls = calls}};
}

constexpr std::string_view kClampCalls[] = {"(i64[s0], max=s0)", "(f32[2, 3], -1, 1.5)",
                                            "(i64[4], None, 2)", "(i64[4], 0.5)"};
constexpr std::string_view kClampTensorCalls[] = {"(f32[2, 3], f32[3], f32[2, 1])",
                                                  "(f32[2, 3], max=f32[3])"};
constexpr std::string_view kOneBoundCalls[] = {"(f32[2, 3], 1)", "(i64[4], 0.5)"};
constexpr std::string_view kOneTensorCalls[] = {"(f32[2, 3], f32[3])"};
constexpr std::string_view kFillCalls[] = {"(f32[2, 3], bool[3], 1.5)",
                                           "(bf16[4], bool[2, 4], -inf)"};
constexpr std::string_view kFillTensorCalls[] = {"(f32[2, 3], bool[3], f32[])"};
constexpr std::string_view kWhereCalls[] = {"(bool[2, 3], f32[3], f32[2, 1])",
                                            "(bool[4], i64[4], f32[4])"};
constexpr std::string_view kWhereOtherCalls[] = {"(bool[2, 3], f32[3], 2)"};
constexpr std::string_view kWhereSelfCalls[] = {"(bool[2, 3], 2.5, i64[3])"};
constexpr std::string_view kWhereScalarCalls[] = {"(bool[2, 3], 1, 0)", "(bool[3], 1.5, 0)"};

constexpr std::array kOps{
    clamping("aten.clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", kClampCalls),
    clamping("aten.clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
             kClampTensorCalls),
    clamping("aten.clamp_max(Tensor self, Scalar max) -> Tensor", kOneBoundCalls),
    clamping("aten.clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", kOneTensorCalls),
    clamping("aten.clamp_min(Tensor self, Scalar min) -> Tensor", kOneBoundCalls),
    clamping("aten.clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", kOneTensorCalls),
    clamping("aten.clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", kClampCalls),
    clamping("aten.clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
             kClampTensorCalls),
    masked_filling("aten.masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
                   kFillCalls),
    masked_filling("aten.masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
                   kFillTensorCalls),
    choosing("aten.where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
             kWhereScalarCalls),
    choosing("aten.where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
             kWhereOtherCalls),
    choosing("aten.where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
             kWhereSelfCalls),
    choosing("aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", kWhereCalls),
};

}  // namespace

std::span<const OpDef> choice_ops() { return kOps; }

}  // namespace litz::ops
