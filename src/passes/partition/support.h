// Which nodes may be part of a partition, and why the others may not.
//
//   all_of({operators({"aten.add", "aten.mul"}), without_operand_dtype(DType::f64)})
//
// A predicate answers with nothing, or with the reason of its refusal in words that can stand after
// the node's name: "its operator is not listed".

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
/// Asked once for every node, in graph order.
using Support = std::function<Refusal(const ir::Node&)>;

/// As ir::names_operator.
bool is_operator(const ir::OpInfo& op, std::string_view name);

/// Nodes of these operators only.
Support operators(std::vector<std::string> names);
/// Nodes of other operators only.
Support no_operators(std::vector<std::string> names);

/// Operators by name with, for each operand, the dtypes that it may have; an empty list allows all,
/// and so does a missing one.
using OperandDTypes = std::map<std::string, std::vector<std::vector<DType>>, std::less<>>;
Support operand_dtypes(OperandDTypes table);
/// Nodes none of whose tensor operands has this dtype.
Support no_operand_of(DType dtype);

/// Nodes that all predicates take; the first refusal is the reason.
Support all_of(std::vector<Support> parts);
/// Nodes that one predicate takes; all refusals together are the reason.
Support any_of(std::vector<Support> parts);

}  // namespace litz::passes
