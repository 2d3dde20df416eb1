// Infers the types of a graph again: for other input types, after edits, or from the ground up.
//
//   propagate_types(graph, {f32[8, 4]});      // s0 becomes 8, in attributes, too
//   graph.set_input(node, 0, other);
//   update_types(graph, {node});              // the node and what reads changed types
//
// Inference is a function of operands and attributes; what it cannot know are the symbols of data-
// dependent results. A node keeps those that it has, by position, so that a second run changes
// nothing and two nodes that share a symbol still share it. Only where there is none yet, or where
// an edit may have broken a tie with another node, a fresh one is made.
//
// Calls: a child graph is propagated once per distinct operand types. A graph that is called with
// one set of types is changed in place, else it is copied for the others.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The types that a call gives to the arguments of one of its child graphs.
using ChildTypes = std::function<std::vector<ValueType>(const Node& call, const Graph& child)>;

struct PropagationOptions {
  /// Nodes whose operator has no inference keep their types, though an operand changed. Otherwise
  /// that is an error.
  bool keep_pinned = false;
  /// Empty: the lists of values of the call, one behind the other. That is right for calls,
  /// branches and while loops, not for loops that take tensors apart (scan, map), which are refused.
  ChildTypes child_types;
};

struct TypeUpdate {
  size_t inferred = 0;  ///< Nodes whose operator was asked.
  size_t changed = 0;   ///< Of these, nodes of which a result changed.
  size_t fresh_symbols = 0;
  size_t child_graphs = 0;    ///< Child graphs that were given other argument types.
  std::vector<Node*> pinned;  ///< Nodes without inference that read what changed.
};

/// Infers every node that has inference, in this graph and all that it reaches. Argument types stay.
TypeUpdate infer_types(Graph& graph, const PropagationOptions& options = {});

/// Gives the arguments these types. A symbol that was the size of an argument becomes what it is
/// now, in every type and attribute of the graphs reached; then whatever that may change is
/// inferred. Throws Error{invalid_argument} when two arguments disagree about a symbol.
TypeUpdate propagate_types(Graph& graph, std::span<const ValueType> inputs,
                           const PropagationOptions& options = {});

/// Infers the nodes, and from there on only nodes that read a changed type, in graph order, each
/// once. Time in the number of these (and their logarithm), not in the size of the graph.
TypeUpdate update_types(Graph& graph, std::span<Node* const> edited,
                        const PropagationOptions& options = {});

// On an error, which has the note "while executing NODE (file:line)", all graphs are as they were.

}  // namespace litz::ir
