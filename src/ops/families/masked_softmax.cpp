// Softmax that ignores masked elements, as in fused transformer layers.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

TensorType require_mask(const Call& call, std::string_view values) {
  const TensorType& type = call.type(values);
  require(is_floating(type.dtype) && call.type("mask").dtype == DType::bool_,
          "masked softmax C1: values must be floating, the mask bool:", type, call.type("mask"));
  return contiguous_type(type.dtype, type.sizes, type.device);
}

// Masks of type 0 apply to queries and keys, those of type 1 to the keys of each batch.
TensorType softmax_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const TensorType& mask = call.type("mask");
  if (!may_be_same_sizes(mask.sizes, type.sizes)) {
    const int64_t kind = call.has("mask_type") ? call.integer("mask_type") : 2;
    bool fits = type.rank() == 4 && (kind == 0 || kind == 1);
    if (fits) {
      const Expr rows = type.sizes[kind == 0 ? 2 : 0];
      fits = may_be_same_sizes(mask.sizes, Sizes{rows, type.sizes[3]}) &&
             !known_not_equal(type.sizes[2], type.sizes[3]);
    }
    require(fits,
            "masked softmax C2: a mask must have the sizes of the values, or [length, length] "
            "(kind 0) or [batch, length] (kind 1) for [batch, heads, length, length]:",
            mask, type, kind);
  }
  return require_mask(call, "self");
}

TensorType backward_meta(const Call& call) {
  const TensorType& gradient = call.type("grad_output");
  const TensorType& output = call.type("output");
  require(gradient.dtype == output.dtype && may_be_same_sizes(gradient.sizes, output.sizes) &&
              may_be_same_sizes(gradient.sizes, call.type("mask").sizes),
          "masked softmax C3: gradient, output and mask must have one shape:", gradient, output,
          call.type("mask"));
  return require_mask(call, "output");
}

ir::Argument dim_of(const DecomposeCall& call, const TensorType& type) {
  if (call.has("dim")) return call.pass("dim");
  return Expr(static_cast<int64_t>(type.rank()) - 1);
}

Value full_mask(const DecomposeCall& call, const TensorType& type) {
  const Value mask = call["mask"];
  const Sizes sizes = mask.tensor().sizes;
  if (sizes.size() == type.rank()) return mask;
  const Sizes shape = call.integer("mask_type") == 0 ? Sizes{Expr(1), Expr(1), sizes[0], sizes[1]}
                                                     : Sizes{sizes[0], Expr(1), Expr(1), sizes[1]};
  return call.aten("reshape", {mask, shape});
}

std::vector<Value> masked_softmax(DecomposeCall& call) {
  const TensorType& self = call.type("self");
  const Value kept =
      call.aten("masked_fill.Scalar", {call["self"], full_mask(call, self), Expr::real(-INFINITY)});
  return {call.aten("_softmax", {kept, dim_of(call, self), Expr::boolean(false)})};
}

std::vector<Value> masked_softmax_backward(DecomposeCall& call) {
  const TensorType& output = call.type("output");
  const auto kept = [&](Value value) {
    return call.aten("masked_fill.Scalar", {value, call["mask"], Expr(0)});
  };
  const Value result =
      call.aten("_softmax_backward_data", {kept(call["grad_output"]), kept(call["output"]),
                                           dim_of(call, output), ir::Attribute(output.dtype)});
  return {kept(result)};
}

constexpr std::array kSample{"(f32[2, 3, 4], bool[2, 3, 4], 1)"sv,
                             "(f32[2, 2, 3, 3], bool[3, 3], 3, 0)"sv,
                             "(f32[s0, 2, 3, 3], bool[s0, 3], 3, 1)"sv};
constexpr std::array kBackwardSample{"(f32[2, 3, 4], f32[2, 3, 4], bool[2, 3, 4], 1)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._masked_softmax(Tensor self, Tensor mask, int? dim=None, int? "
                    "mask_type=None) -> Tensor",
          .doc = "Softmax of what the mask does not name; NaN where it names all.\n"
                 "C1: floating values, a bool mask. C2: a mask has the sizes of the values, or is "
                 "of kind "
                 "0 or 1.",
          .meta = softmax_meta,
          .impl = Decompose{masked_softmax},
          .samples = {.calls = kSample}},
    OpDef{.schema = "aten._masked_softmax_backward(Tensor grad_output, Tensor output, Tensor "
                    "mask, int? dim=None) -> Tensor",
          .doc = "Derivative of masked softmax.\n"
                 "C1: floating values, a bool mask. C3: all of one shape.",
          .meta = backward_meta,
          .impl = Decompose{masked_softmax_backward},
          .samples = {.calls = kBackwardSample}},
};

}  // namespace

std::span<const OpDef> masked_softmax_ops() { return kOps; }

}  // namespace litz::ops
