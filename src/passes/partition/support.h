// Predicates that decide which nodes may be part of a partition, and why others may not.
//
//   all_of({operators({"aten.add", "aten.mul"}), without_operand_dtype(DType::f64)})
//
// A predicate returns nothing, or the reason of its refusal in words that can follow the node's
// name: "its operator is not listed".

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// Why a node may not be in a partition; nothing when it may.
using Refusal = std::optional<std::string>;
/// Called once for every node, in graph order.
using Support = std::function<Refusal(const ir::Node&)>;

/// The same as ir::names_operator.
bool is_operator(const ir::OpInfo& op, std::string_view name);

/// Accepts only nodes of these operators.
Support operators(std::vector<std::string> names);
/// Accepts only nodes of other operators.
Support no_operators(std::vector<std::string> names);

/// Maps operators to the dtypes that each operand may have; an empty or missing list allows all.
using OperandDTypes = std::map<std::string, std::vector<std::vector<DType>>, std::less<>>;
Support operand_dtypes(OperandDTypes table);
/// Accepts nodes without a tensor operand of this dtype.
Support no_operand_of(DType dtype);

/// Accepts nodes that all predicates accept; the first refusal is the reason.
Support all_of(std::vector<Support> parts);
/// Accepts nodes that one predicate accepts; all refusals together are the reason.
Support any_of(std::vector<Support> parts);

}  // namespace litz::passes
