// Repeats type inference for a node that exists, without inventing symbols.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The data-dependent symbols that a node defines: those in its result types that no operand and no
/// literal mentions, in order of first appearance.
std::vector<Expr> defined_symbols(const Node& node);
/// The same, with the types that operands had at another time.
std::vector<Expr> defined_symbols(const Node& node,
                                  const std::function<const ValueType&(Value)>& operand_type);

/// The symbols of a type, in order of first appearance.
std::vector<Expr> mentioned_symbols(const ValueType& type);

/// What the operator infers for the node's current operands; data-dependent results keep the
/// symbols that the node defines already. Throws what the operator throws.
std::vector<ValueType> inferred_types(const Node& node);

/// Empty when the node's result types equal the inferred ones, else the first difference.
std::string type_mismatch(const Node& node);

}  // namespace litz::ir
