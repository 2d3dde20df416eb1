// Operators that are calls of others: aliases, one call per tensor of a list, and operators whose
// types follow from a decomposition.
//
//   other_name("aten.concat(Tensor[] tensors, int dim=0) -> Tensor", "aten.cat", ...)
//   each_of("aten._foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", "aten.add.Scalar")
//
// Arguments go to the argument of the same name, or otherwise of the same position.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/bodies.h"
#include "ops/op_def.h"

namespace litz::ops {

/// The types and nodes of a call of `OpDef::stands_for` with this call's arguments.
Types other_types(const Call& call);
std::vector<ir::Value> other_nodes(DecomposeCall& call);

/// The same with one call per entry of the lists, which must have equal lengths; results in order.
Types each_types(const Call& call);
std::vector<ir::Value> each_nodes(DecomposeCall& call);

/// True for operators that each_of defines.
bool is_each(const ir::OpInfo& op);
/// The operator that such an operator calls, and the call's arguments for the entries at a
/// position.
const ir::OpInfo& each_operator(const ir::OpInfo& op, const ir::Module& module);
std::vector<ir::Argument> each_arguments(const ir::OpInfo& op,
                                         std::span<const ir::Argument> arguments,
                                         const ir::OpInfo& called, size_t position);

/// The types of the results of the operator's Decompose, which must not use its own results' types
/// nor depend on data. A decomposition of many steps then needs no separate meta.
Types decomposed_types(const Call& call);

constexpr OpDef other_name(ir::SchemaText schema, std::string_view stands_for, std::string_view doc,
                           Samples samples = {}) {
  return {.schema = schema,
          .doc = doc,
          .meta = other_types,
          .impl = Decompose{other_nodes},
          .stands_for = stands_for,
          .samples = samples};
}

/// Also registers the in-place form, `_foreach_add_.Scalar`, if `inplace` is set.
constexpr OpDef each_of(ir::SchemaText schema, std::string_view stands_for, bool inplace,
                        Samples samples) {
  return {.schema = schema,
          .doc =
              "The operator of that name for each tensor of a list.\n"
              "C1: lists are of one length, and not empty.",
          .meta = each_types,
          .impl = Decompose{each_nodes},
          .inplace = inplace,
          .stands_for = stands_for,
          .samples = samples};
}

/// An operator that is defined only by its decomposition.
constexpr OpDef composite(ir::SchemaText schema, std::string_view doc,
                          std::vector<ir::Value> (*build)(DecomposeCall&), Samples samples = {}) {
  return {.schema = schema,
          .doc = doc,
          .meta = decomposed_types,
          .impl = Decompose{build},
          .samples = samples};
}

}  // namespace litz::ops
