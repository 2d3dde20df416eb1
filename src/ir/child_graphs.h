// Which graphs call which, and orders over them.

#pragma once

#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The graphs that a node names in its arguments, in argument order, repeats included.
std::vector<Graph*> child_graphs(const Node& node);

/// `graph` and all graphs it reaches, each once, callees before callers.
std::vector<Graph*> post_order(Graph& graph);

/// A graph that reaches itself, or null.
const Graph* recursive_graph(const Module& module);

/// Copies a graph of the module under a new name, with everything but provenance of its nodes;
/// child graphs stay shared.
Graph& clone_graph(const Graph& graph, std::string name);

}  // namespace litz::ir
