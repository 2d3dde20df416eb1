// Operators on lists: `_foreach_x` applies x to each tensor of a list, of any shapes and dtypes.
//
// Optimisers and parameter averages use these. Scalar lists have a separate number for each tensor.
// Some names differ from those of the plain operators: `maximum` with a number is a clamp from
// below, `norm` is a vector norm over all elements.

#include <array>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Attribute;

// --- factors in a tensor ---

bool divides(const Call& call) { return call.op().name().starts_with("aten._foreach_addcdiv"); }

// Factors are numbers, which do not promote.
DType scaled_dtype(const Call& call, size_t i) {
  const std::array operands{call.types("self")[i], call.types("tensor1")[i],
                            call.types("tensor2")[i]};
  return promoted_dtype(operands);
}

Types scaled_types(const Call& call) {
  const std::vector<TensorType> self = call.types("self");
  const TensorType& scalars = call.type("scalars");
  require(!self.empty(), "C1: a list must not be empty:", call.op().name());
  for (const char* name : {"tensor1", "tensor2"}) {
    require(call.values(name).size() == self.size(),
            "C1: lists must be of one length:", call.op().name(), self.size(),
            call.values(name).size());
  }
  require(scalars.rank() == 1 &&
              !known_not_equal(scalars.sizes[0], Expr(static_cast<int64_t>(self.size()))),
          "C2: scalars must be a list of numbers, one per tensor:", scalars);
  require(is_contiguous(scalars), "C3: scalars must lie one behind another:", scalars);
  for (size_t i = 0; i < self.size(); ++i) {
    require(!is_complex(scalars.dtype) || is_complex(scaled_dtype(call, i)),
            "C5: a complex number needs complex tensors:", call.op().name(), scalars);
  }
  for (size_t i = 0; divides(call) && i < self.size(); ++i) {
    const DType dividend = call.types("tensor1")[i].dtype;
    const DType divisor = call.types("tensor2")[i].dtype;
    require(is_floating(dividend) || is_floating(divisor) || is_complex(dividend) ||
                is_complex(divisor),
            "C4: what is divided must not all be integers:", call.op().name(), name(dividend),
            name(divisor));
  }
  return decomposed_types(call);
}

// Like a number, the factor is only rounded to the scaled tensor's dtype with the result.
std::vector<ir::Value> scaled_nodes(DecomposeCall& call) {
  std::vector<ir::Value> results;
  for (size_t i = 0; i < call.values("self").size(); ++i) {
    const DType dtype = scaled_dtype(call, i);
    const DType compute = compute_dtype(dtype);
    const auto operand = [&](std::string_view name) {
      return call.to(call.values(name)[i], compute);
    };
    const ir::Value factor =
        call.to(call.aten("select.int", {call["scalars"], Expr(0), Expr(static_cast<int64_t>(i))}),
                compute);
    const ir::Value scaled = call.aten("mul.Tensor", {operand("tensor1"), factor});
    const ir::Value term =
        call.aten(divides(call) ? "div.Tensor" : "mul.Tensor", {scaled, operand("tensor2")});
    results.push_back(call.to(call.aten("add.Tensor", {operand("self"), term}), dtype));
  }
  return results;
}

Types with_number_types(const Call& call) {
  require(call.type("other").rank() == 0, "C2: other must have no dimensions:", call.op().name(),
          call.type("other"));
  return each_types(call);
}

Types norm_types(const Call& call) {
  const DTypeCategory order = call.scalar_category("ord");
  require(order == DTypeCategory::integer || order == DTypeCategory::floating,
          "C2: ord must be an integer or a real number:", call.op().name());
  return each_types(call);
}

constexpr std::array kOne{"([f32[2, 3], f32[4]])"sv};
constexpr std::array kTwo{"([f32[2, 3], f32[4]], [f32[3], f32[4]])"sv};
constexpr std::array kMatrices{"([f32[2, 3], f32[1, 4]], [f32[3, 2], f32[4, 2]])"sv};
constexpr std::array kThree{"([f32[2, 3], f32[4]], [f32[3], f32[4]], [f32[2, 3], f32[4]])"sv};
constexpr std::array kThreeNumbers{
    "([f32[3], f32[4]], [f32[3], f32[4]], [f32[3], f32[4]], [2, 0.5])"sv};
constexpr std::array kTwoNumber{"([f32[2, 3], f32[4]], [f32[3], f32[4]], 0.5)"sv};
constexpr std::array kTwoNumbers{"([f32[2, 3], f32[4]], [f32[3], f32[4]], [0.5, 2])"sv};
constexpr std::array kNumber{"([f32[2, 3], f32[4]], 2)"sv};
constexpr std::array kNumbers{"([f32[2, 3], f32[4]], [2, 0.5])"sv};
constexpr std::array kNumberFirst{"(2, [f32[2, 3], f32[4]])"sv};
constexpr std::array kTensor{"([f32[2, 3], f32[4]], f32[])"sv};
constexpr std::array kScalars{"([f32[3], f32[4]], [f32[3], f32[4]], [f32[3], f32[4]], f32[2])"sv};

constexpr OpDef each(ir::SchemaText schema, std::string_view stands_for,
                     std::span<const std::string_view> calls) {
  return each_of(schema, stands_for, true, {.lo = 0.1, .hi = 0.9, .calls = calls});
}

// The number is a tensor of rank 0.
constexpr OpDef each_with_number(ir::SchemaText schema, std::string_view stands_for) {
  OpDef op = each(schema, stands_for, kTensor);
  op.doc =
      "The operator of that name for each tensor of a list.\n"
      "C1: the list is not empty. C2: other has no dimensions.";
  op.meta = with_number_types;
  return op;
}

constexpr OpDef each_new(ir::SchemaText schema, std::string_view stands_for,
                         std::span<const std::string_view> calls) {
  return each_of(schema, stands_for, false, {.lo = 0.1, .hi = 0.9, .calls = calls});
}

constexpr OpDef each_norm(ir::SchemaText schema) {
  OpDef op = each_new(schema, "aten.linalg_vector_norm", kOne);
  op.doc =
      "The operator of that name for each tensor of a list.\n"
      "C1: the list is not empty. C2: ord is an integer or a real number.";
  op.meta = norm_types;
  return op;
}

constexpr std::array kOps{
    each("aten._foreach_abs(Tensor[] self) -> Tensor[]", "aten.abs", kOne),
    each("aten._foreach_acos(Tensor[] self) -> Tensor[]", "aten.acos", kOne),
    each("aten._foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar "
         "alpha=1) -> Tensor[]",
         "aten.add.Tensor", kTwo),
    each("aten._foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.add.Scalar",
         kNumber),
    each("aten._foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
         "aten.add.Scalar", kNumbers),
    each_with_number("aten._foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar "
                     "alpha=1) -> Tensor[]",
                     "aten.add.Tensor"),
    each("aten._foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, "
         "Tensor[] tensor2, Scalar value=1) -> Tensor[]",
         "aten.addcdiv", kThree),
    each("aten._foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, "
         "Tensor[] tensor2, Scalar[] scalars) -> Tensor[]",
         "aten.addcdiv", kThreeNumbers),
    OpDef{.schema = "aten._foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, "
                    "Tensor[] tensor2, Tensor scalars) -> Tensor[]",
          .doc = "self + scalar * tensor1 / tensor2 for each tensor of a list and each element of "
                 "scalars.\n"
                 "C2: scalars is a list of numbers, one per tensor. C3: they lie one behind "
                 "another. C4: not for integers. C5: complex numbers are for complex tensors.",
          .meta = scaled_types,
          .impl = Decompose{scaled_nodes},
          .inplace = true,
          .samples = {.lo = 1, .hi = 4, .calls = kScalars}},
    each("aten._foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, "
         "Tensor[] tensor2, Scalar value=1) -> Tensor[]",
         "aten.addcmul", kThree),
    each("aten._foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, "
         "Tensor[] tensor2, Scalar[] scalars) -> Tensor[]",
         "aten.addcmul", kThreeNumbers),
    OpDef{.schema = "aten._foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, "
                    "Tensor[] tensor2, Tensor scalars) -> Tensor[]",
          .doc = "self + scalar * tensor1 * tensor2 for each tensor of a list and each element of "
                 "scalars.\n"
                 "C2: scalars is a list of numbers, one per tensor. C3: they lie one behind "
                 "another. C5: complex numbers are for complex tensors.",
          .meta = scaled_types,
          .impl = Decompose{scaled_nodes},
          .inplace = true,
          .samples = {.lo = 1, .hi = 4, .calls = kScalars}},
    each("aten._foreach_asin(Tensor[] self) -> Tensor[]", "aten.asin", kOne),
    each("aten._foreach_atan(Tensor[] self) -> Tensor[]", "aten.atan", kOne),
    each("aten._foreach_ceil(Tensor[] self) -> Tensor[]", "aten.ceil", kOne),
    each("aten._foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]",
         "aten.clamp_max.Tensor", kTwo),
    each("aten._foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
         "aten.clamp_max", kNumber),
    each("aten._foreach_clamp_max.ScalarList(Tensor[] self, Scalar[] scalars) "
         "-> Tensor[]",
         "aten.clamp_max", kNumbers),
    each("aten._foreach_clamp_min.List(Tensor[] self, Tensor[] other) -> Tensor[]",
         "aten.clamp_min.Tensor", kTwo),
    each("aten._foreach_clamp_min.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
         "aten.clamp_min", kNumber),
    each("aten._foreach_clamp_min.ScalarList(Tensor[] self, Scalar[] scalars) "
         "-> Tensor[]",
         "aten.clamp_min", kNumbers),
    each_new("aten._foreach_clone(Tensor[] self, *, MemoryFormat? "
             "memory_format=None) -> Tensor[]",
             "aten.clone", kOne),
    each("aten._foreach_copy(Tensor[] self, Tensor[] src, bool "
         "non_blocking=False) -> Tensor[]",
         "aten.copy", kTwo),
    each("aten._foreach_cos(Tensor[] self) -> Tensor[]", "aten.cos", kOne),
    each("aten._foreach_cosh(Tensor[] self) -> Tensor[]", "aten.cosh", kOne),
    each("aten._foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]", "aten.div.Tensor",
         kTwo),
    each("aten._foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.div.Scalar",
         kNumber),
    each("aten._foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
         "aten.div.Scalar", kNumbers),
    each_with_number("aten._foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]",
                     "aten.div.Tensor"),
    each("aten._foreach_erf(Tensor[] self) -> Tensor[]", "aten.erf", kOne),
    each("aten._foreach_erfc(Tensor[] self) -> Tensor[]", "aten.erfc", kOne),
    each("aten._foreach_exp(Tensor[] self) -> Tensor[]", "aten.exp", kOne),
    each("aten._foreach_expm1(Tensor[] self) -> Tensor[]", "aten.expm1", kOne),
    each("aten._foreach_floor(Tensor[] self) -> Tensor[]", "aten.floor", kOne),
    each("aten._foreach_frac(Tensor[] self) -> Tensor[]", "aten.frac", kOne),
    each("aten._foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] "
         "weights) -> Tensor[]",
         "aten.lerp.Tensor", kThree),
    each("aten._foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar "
         "weight) -> Tensor[]",
         "aten.lerp.Scalar", kTwoNumber),
    each("aten._foreach_lerp.ScalarList(Tensor[] self, Tensor[] tensors1, "
         "Scalar[] weight) -> Tensor[]",
         "aten.lerp.Scalar", kTwoNumbers),
    each("aten._foreach_lgamma(Tensor[] self) -> Tensor[]", "aten.lgamma", kOne),
    each("aten._foreach_log(Tensor[] self) -> Tensor[]", "aten.log", kOne),
    each("aten._foreach_log10(Tensor[] self) -> Tensor[]", "aten.log10", kOne),
    each("aten._foreach_log1p(Tensor[] self) -> Tensor[]", "aten.log1p", kOne),
    each("aten._foreach_log2(Tensor[] self) -> Tensor[]", "aten.log2", kOne),
    each_new("aten._foreach_max(Tensor[] self) -> Tensor[]", "aten.max", kOne),
    each("aten._foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]", "aten.maximum",
         kTwo),
    each("aten._foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.clamp_min",
         kNumber),
    each("aten._foreach_maximum.ScalarList(Tensor[] self, Scalar[] scalars) -> "
         "Tensor[]",
         "aten.clamp_min", kNumbers),
    each("aten._foreach_minimum.List(Tensor[] self, Tensor[] other) -> Tensor[]", "aten.minimum",
         kTwo),
    each("aten._foreach_minimum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.clamp_max",
         kNumber),
    each("aten._foreach_minimum.ScalarList(Tensor[] self, Scalar[] scalars) -> "
         "Tensor[]",
         "aten.clamp_max", kNumbers),
    each_new("aten._foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]", "aten.mm", kMatrices),
    each("aten._foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]", "aten.mul.Tensor",
         kTwo),
    each("aten._foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.mul.Scalar",
         kNumber),
    each("aten._foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
         "aten.mul.Scalar", kNumbers),
    each_with_number("aten._foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]",
                     "aten.mul.Tensor"),
    each("aten._foreach_neg(Tensor[] self) -> Tensor[]", "aten.neg", kOne),
    each_norm("aten._foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? "
              "dtype=None) -> Tensor[]"),
    each("aten._foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]",
         "aten.pow.Tensor_Tensor", kTwo),
    each("aten._foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]",
         "aten.pow.Tensor_Scalar", kNumber),
    each_new("aten._foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> "
             "Tensor[]",
             "aten.pow.Scalar", kNumberFirst),
    each("aten._foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]",
         "aten.pow.Tensor_Scalar", kNumbers),
    each_new("aten._foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? "
             "dtype=None) -> Tensor[]",
             "aten.linalg__powsum", kOne),
    each("aten._foreach_reciprocal(Tensor[] self) -> Tensor[]", "aten.reciprocal", kOne),
    each("aten._foreach_round(Tensor[] self) -> Tensor[]", "aten.round", kOne),
    each("aten._foreach_rsqrt(Tensor[] self) -> Tensor[]", "aten.rsqrt", kOne),
    each("aten._foreach_sigmoid(Tensor[] self) -> Tensor[]", "aten.sigmoid", kOne),
    each("aten._foreach_sign(Tensor[] self) -> Tensor[]", "aten.sign", kOne),
    each("aten._foreach_sin(Tensor[] self) -> Tensor[]", "aten.sin", kOne),
    each("aten._foreach_sinh(Tensor[] self) -> Tensor[]", "aten.sinh", kOne),
    each("aten._foreach_sqrt(Tensor[] self) -> Tensor[]", "aten.sqrt", kOne),
    each("aten._foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar "
         "alpha=1) -> Tensor[]",
         "aten.sub.Tensor", kTwo),
    each("aten._foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.sub.Scalar",
         kNumber),
    each("aten._foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
         "aten.sub.Scalar", kNumbers),
    each("aten._foreach_tan(Tensor[] self) -> Tensor[]", "aten.tan", kOne),
    each("aten._foreach_tanh(Tensor[] self) -> Tensor[]", "aten.tanh", kOne),
    each("aten._foreach_trunc(Tensor[] self) -> Tensor[]", "aten.trunc", kOne),
    each("aten._foreach_zero(Tensor[] self) -> Tensor[]", "aten.zero", kOne),
};

}  // namespace

std::span<const OpDef> foreach_ops() { return kOps; }

}  // namespace litz::ops
