// Training-mode batch norm that also returns a reserve for its derivative; it is empty on the host.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;
using ir::Attribute;

constexpr std::string_view kPlain = "aten._native_batch_norm_legit_functional";
constexpr ptrdiff_t kReservePosition = 3;

// The arguments of the form without reserve.
std::vector<Argument> plain_arguments(const Call& call) {
  return {call.argument("input"),       call.argument("weight"),
          call.argument("bias"),        call.argument("running_mean"),
          call.argument("running_var"), Attribute(Expr::boolean(true)),
          call.argument("momentum"),    call.argument("eps")};
}

Types functional_meta(const Call& call) {
  const ir::OpInfo* plain = call.module().ops().find(kPlain);
  check(plain != nullptr, "an operator that others are defined by must exist:", kPlain);
  const std::vector<Argument> arguments = plain_arguments(call);
  Types types = definition(*plain).meta(Call(*plain, arguments, call.context()));
  types.insert(types.begin() + kReservePosition,
               contiguous_type(DType::u8, {0}, call.type("input").device));
  return types;
}

Types mutating_meta(const Call& call) {
  Types types = functional_meta(call);
  types.resize(static_cast<size_t>(kReservePosition) + 1);
  return types;
}

std::vector<ir::Value> functional_nodes(DecomposeCall& call) {
  std::vector<ir::Value> results = call.graph().create(kPlain, plain_arguments(call))->outputs();
  const ir::Value reserve =
      call.aten("empty.memory_format", {Attribute(ir::Scalars{0}), Attribute(DType::u8)});
  results.insert(results.begin() + kReservePosition, reserve);
  return results;
}

constexpr std::string_view kCalls[] = {"(f32[2, 3, 4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-5)"};

constexpr std::array kOps{
    OpDef{
        .schema = "aten._batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, "
                  "Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, "
                  "float eps) -> (Tensor, Tensor, Tensor, Tensor)",
        .doc = "Batch norm by the batch's statistics, which also enter the running ones in place.",
        .meta = mutating_meta,
        .impl = Structural{}},
    OpDef{.schema = "aten._batch_norm_with_update_functional(Tensor input, Tensor? weight, "
                    "Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, "
                    "float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, "
                    "Tensor running_var_out)",
          .doc = "Batch norm by the batch's statistics, and the running ones after it.",
          .meta = functional_meta,
          .impl = Decompose{functional_nodes},
          .samples = {.calls = kCalls}},
};

}  // namespace

std::span<const OpDef> batch_norm_update_ops() { return kOps; }

}  // namespace litz::ops
