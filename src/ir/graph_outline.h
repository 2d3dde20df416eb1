// Moves nodes into a new child graph, and back.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// Creates the node that replaces the moved ones: it calls `child` with `operands` and has results
/// of these types, in this order.
using MakeCall = std::function<Node*(Graph& graph, GraphRef child, std::span<const Value> operands,
                                     std::vector<ValueType> types)>;

struct Outlined {
  Graph* child = nullptr;
  Node* call = nullptr;
};

/// A copy of some nodes as a separate graph, and the corresponding values of the original.
struct Excerpt {
  Graph* graph = nullptr;
  std::vector<Value> operands;  ///< By argument: in order of first use.
  std::vector<Value> results;   ///< By result, in graph order.
};

/// Copies the nodes (of one graph, in any order) into a new graph `name`; the original stays
/// unchanged. The copy returns the results that are read outside the set, or all results.
Excerpt copy_nodes(std::span<Node* const> nodes, std::string name, bool all_results = false);

/// True if no value leaves the set and comes back, so one call can replace all nodes.
bool is_convex(std::span<Node* const> nodes);

/// Moves the nodes (of one graph, in any order) into a new graph `name` and calls it instead.
/// Arguments come in order of first use, results in graph order; only results read outside are
/// returned. Names, locations and annotations move along. Check-fails for an empty or a non-convex
/// set, and if effects inside the set would be reordered with those of nodes between its nodes.
Outlined outline(std::span<Node* const> nodes, std::string name, const MakeCall& make_call);

/// Copies the body of `child` to the insertion point with its arguments replaced; returns its
/// results.
std::vector<Argument> inline_graph(Graph& graph, const Graph& child,
                                   std::span<const Value> operands);

/// Replaces a call of `child` by its body. Check-fails if a result that is read is not a value.
void inline_call(Node* call, const Graph& child, std::span<const Value> operands);

}  // namespace litz::ir
