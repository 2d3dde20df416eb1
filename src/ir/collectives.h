// The order in which a graph starts collectives, per group of ranks: the ranks of a group must all
// start the same ones in the same order, so passes keep it unless they say that they agree on it.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct CollectiveStart {
  uint32_t node = 0;      ///< Id in the recorded graph; 0 for one that a child graph starts.
  std::string signature;  ///< Operator, types of operands, other arguments.
};

/// By name of the group, in graph order; what called child graphs start stands where they are
/// called.
using CollectiveOrder = std::map<std::string, std::vector<CollectiveStart>, std::less<>>;

/// The group that a collective belongs to: its argument `group_name`, else empty.
std::string collective_group(const Node& start);

/// Throws Error{limit_exceeded} when calls of child graphs repeat more than a million starts.
CollectiveOrder collective_order(const Graph& graph);

/// The orders of all graphs of a module by graph id; those without collectives are left out.
std::map<uint32_t, CollectiveOrder> collective_orders(const Module& module);

/// Where `graph` departs from the order it had at entry: empty, or one text that names the group
/// and the place. Starts that still exist must keep their relative order; others are recognised by
/// their signature.
std::string collective_order_difference(const CollectiveOrder& entry, const Graph& graph);

}  // namespace litz::ir
