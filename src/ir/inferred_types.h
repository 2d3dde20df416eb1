// Repeats type inference for an existing node without creating symbols.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The data-dependent symbols that a node defines: those in its result types that do not occur in
/// an operand or a literal, in order of first appearance.
std::vector<Expr> defined_symbols(const Node& node);
/// The same, with types that operands had earlier.
std::vector<Expr> defined_symbols(const Node& node,
                                  const std::function<const ValueType&(Value)>& operand_type);

/// The symbols of a type, in order of first appearance.
std::vector<Expr> mentioned_symbols(const ValueType& type);

/// The types that the operator infers for the node's current operands; data-dependent results keep
/// the symbols that the node already defines. Throws what the operator throws.
std::vector<ValueType> inferred_types(const Node& node);

/// The first difference between the node's result types and the inferred ones; empty if there is
/// none.
std::string type_mismatch(const Node& node);

}  // namespace litz::ir
