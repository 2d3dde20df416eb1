// Softmax that leaves out what a mask names, as fused transformer layers have it.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

TensorType require_mask(const Call& call, std::string_view values) {
  const TensorType& type = call.type(values);
  require(is_floating(type.dtype) && call.type("mask").dtype == DType::bool_,
          "masked softmax C1: floating values, a bool mask:", type, call.type("mask"));
  return contiguous_type(type.dtype, type.sizes, type.device);
}

TensorType softmax_meta(const Call& call) { return require_mask(call, "self"); }

TensorType backward_meta(const Call& call) { return require_mask(call, "output"); }

ir::Argument dim_of(const DecomposeCall& call, const TensorType& type) {
  if (call.has("dim")) return call.pass("dim");
  return Expr(static_cast<int64_t>(type.rank()) - 1);
}

// Masks of kind 0 are for queries and keys, those of kind 1 for keys of each batch.
Value full_mask(const DecomposeCall& call, const TensorType& type) {
  const Value mask = call["mask"];
  const int64_t kind = call.has("mask_type") ? call.integer("mask_type") : 2;
  if (kind == 2 || mask.tensor().rank() == type.rank()) return mask;
  require((kind == 0 || kind == 1) && mask.tensor().rank() == 2 && type.rank() == 4,
          "masked softmax C2: a mask is of kind 0, 1 or 2:", kind, mask.tensor(), type);
  const Sizes& sizes = mask.tensor().sizes;
  const Sizes shape = kind == 0 ? Sizes{Expr(1), Expr(1), sizes[0], sizes[1]}
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
  const auto kept = [&](const char* name) {
    return call.aten("masked_fill.Scalar", {call[name], call["mask"], Expr(0)});
  };
  return {call.aten("_softmax_backward_data", {kept("grad_output"), kept("output"),
                                               dim_of(call, output), ir::Attribute(output.dtype)})};
}

constexpr std::array kSample{"(f32[2, 3, 4], bool[2, 3, 4], 1)"sv,
                             "(f32[2, 2, 3, 3], bool[3, 3], 3, 0)"sv,
                             "(f32[s0, 2, 3, 3], bool[s0, 3], 3, 1)"sv};
constexpr std::array kBackwardSample{"(f32[2, 3, 4], f32[2, 3, 4], bool[2, 3, 4], 1)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._masked_softmax(Tensor self, Tensor mask, int? dim=None, int? "
                    "mask_type=None) -> Tensor",
          .doc = "Softmax of what the mask does not name; NaN where it names all.\n"
                 "C1: floating values, a bool mask. C2: a mask is of kind 0, 1 or 2.",
          .meta = softmax_meta,
          .impl = Decompose{masked_softmax},
          .samples = {.calls = kSample}},
    OpDef{.schema = "aten._masked_softmax_backward(Tensor grad_output, Tensor output, Tensor "
                    "mask, int? dim=None) -> Tensor",
          .doc = "Derivative of masked softmax.\nC1: floating values, a bool mask.",
          .meta = backward_meta,
          .impl = Decompose{masked_softmax_backward},
          .samples = {.calls = kBackwardSample}},
};

}  // namespace

std::span<const OpDef> masked_softmax_ops() { return kOps; }

}  // namespace litz::ops
