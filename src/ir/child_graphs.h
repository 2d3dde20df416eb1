// The call relation between graphs, orders over it, and edits of a child graph with several
// callers.
//
// Calls name graphs, so several may share one. A change that holds for every caller is made in
// place, as in passes that process one graph after the other. A change for one call goes through
// exclusive_child, which copies the graph only if it is shared.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The graphs that a node names in its arguments, in argument order, repeats included.
std::vector<Graph*> child_graphs(const Node& node);

/// The values that the node passes for the arguments of a child graph that it names: the operand
/// list of that length or, if no list fits, all operands.
std::vector<Value> child_operands(const Node& node, const Graph& child);

/// `graph` and all graphs that it reaches, each once, callees before callers.
std::vector<Graph*> post_order(Graph& graph);

/// A graph that reaches itself, or null.
const Graph* recursive_graph(const Module& module);

/// Copies a graph of the module under a new name, without the provenance of its nodes; child graphs
/// stay shared.
Graph& clone_graph(const Graph& graph, std::string name);

/// The nodes that name `graph` in their arguments, by graph and order, each once. Entry points of a
/// program, such as its main graph, have none. Visits every node of the module.
std::vector<Node*> callers(const Graph& graph);

/// Makes the graph that `call` names in `argument` editable for this call alone: returns the graph
/// itself if it has no other use, otherwise a copy that the argument then names. Graphs that it
/// calls stay shared. Check-fails if the argument is not a graph. A rollback makes the argument
/// name the old graph again; the copy stays in the module, uncalled.
Graph& exclusive_child(Node& call, std::string_view argument);

}  // namespace litz::ir
