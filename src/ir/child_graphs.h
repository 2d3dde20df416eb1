// Which graphs call which, orders over them, and edits of a child graph that others call, too.
//
// Calls name graphs, so any number of them may share one. A change that holds for every caller is
// made in place, as passes do that take one graph after the other. A change that is made for one
// call goes through exclusive_child, which copies on that occasion only.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The graphs that a node names in its arguments, in argument order, repeats included.
std::vector<Graph*> child_graphs(const Node& node);

/// What the node gives the arguments of a child graph that it names: the operand list of that
/// length, or, where no list fits, all operands.
std::vector<Value> child_operands(const Node& node, const Graph& child);

/// `graph` and all graphs it reaches, each once, callees before callers.
std::vector<Graph*> post_order(Graph& graph);

/// A graph that reaches itself, or null.
const Graph* recursive_graph(const Module& module);

/// Copies a graph of the module under a new name, with everything but provenance of its nodes;
/// child graphs stay shared.
Graph& clone_graph(const Graph& graph, std::string name);

/// The nodes that name `graph` in their arguments, by graph and order, each once. Graphs that a
/// program enters by id, such as its main graph, have none. Visits every node of the module.
std::vector<Node*> callers(const Graph& graph);

/// The graph that `call` names in `argument`, to be edited for this call alone: the graph itself
/// when nothing else names it, otherwise a copy that the argument then names. What it calls in turn
/// stays shared. Check-fails when the argument is no graph. A rollback makes the argument name the
/// old graph again; the copy stays in the module, uncalled.
Graph& exclusive_child(Node& call, std::string_view argument);

}  // namespace litz::ir
