// Infers the types of a graph again: for other input types, after edits, or completely.
//
//   propagate_types(graph, {f32[8, 4]});      // s0 becomes 8, in attributes, too
//   graph.set_input(node, 0, other);
//   update_types(graph, {node});              // the node and the readers of changed types
//
// Inference is a function of operands and attributes; only the symbols of data-dependent results
// are not determined by these. A node keeps its symbols by position, so that a second run changes
// nothing and nodes that share a symbol still share it. A fresh symbol is created only if there is
// none yet, or if an edit may have made a shared symbol wrong.
//
// A child graph is propagated once per distinct operand types. If all calls pass the same types, it
// is changed in place; otherwise it is copied for the others.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The types that a call gives to the arguments of one of its child graphs.
using ChildTypes = std::function<std::vector<ValueType>(const Node& call, const Graph& child)>;

struct PropagationOptions {
  /// Nodes without inference keep their types even if an operand changed. Otherwise that is an
  /// error.
  bool keep_pinned = false;
  /// Empty: the call's lists of values, one after the other. That is right for calls, branches and
  /// while loops, but not for loops that slice tensors (scan, map), which are rejected.
  ChildTypes child_types;
};

struct TypeUpdate {
  size_t inferred = 0;  ///< Nodes whose inference ran.
  size_t changed = 0;   ///< Inferred nodes with a changed result.
  size_t fresh_symbols = 0;
  size_t child_graphs = 0;    ///< Child graphs with new argument types.
  std::vector<Node*> pinned;  ///< Nodes without inference that read a changed value.
};

/// Infers every node that has inference, in this graph and all graphs that it reaches. Argument
/// types stay.
TypeUpdate infer_types(Graph& graph, const PropagationOptions& options = {});

/// Gives the arguments these types. A symbol that was the size of an argument is replaced by the
/// new size in all types and attributes of the reached graphs; then everything affected is
/// inferred. Throws Error{invalid_argument} if two arguments disagree about a symbol.
TypeUpdate propagate_types(Graph& graph, std::span<const ValueType> inputs,
                           const PropagationOptions& options = {});

/// Infers the nodes, then only nodes that read a changed type, in graph order, each once. Takes O(n
/// log n) time in the number of these, not in the size of the graph.
TypeUpdate update_types(Graph& graph, std::span<Node* const> edited,
                        const PropagationOptions& options = {});

// On an error, which has the note "while executing NODE (file:line)", all graphs stay unchanged.

}  // namespace litz::ir
