// The order in which a graph starts collectives, per group of ranks. All ranks of a group must
// start the same collectives in the same order, so passes keep it unless they state that all ranks
// agree.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct CollectiveStart {
  uint32_t node = 0;      ///< Id in the recorded graph; 0 for a start in a child graph.
  std::string signature;  ///< Operator, types of operands, other arguments.
};

/// By group name, in graph order; starts in child graphs are listed at their calls.
using CollectiveOrder = std::map<std::string, std::vector<CollectiveStart>, std::less<>>;

/// The group that a collective belongs to: its argument `group_name`, else empty.
std::string collective_group(const Node& start);

/// Throws Error{limit_exceeded} if calls of child graphs repeat more than a million starts.
CollectiveOrder collective_order(const Graph& graph);

/// The orders of all graphs of a module by graph id, without graphs that have no collectives.
std::map<uint32_t, CollectiveOrder> collective_orders(const Module& module);

/// The first difference of `graph` from its order at entry, with the group and the position; empty
/// if there is none. Remaining starts must keep their relative order; others are recognised by
/// their signature.
std::string collective_order_difference(const CollectiveOrder& entry, const Graph& graph);

}  // namespace litz::ir
