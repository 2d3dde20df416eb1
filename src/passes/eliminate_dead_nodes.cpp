// Removes nodes without effects whose results are not read.
//
//   %a = aten.exp(%x)
//   %b = aten.sin(%x)        =>    %b = aten.sin(%x)
//   return %b                      return %b
//
// Requires:        nothing.
// Ensures:         every node has a use, an effect, or defines a symbol that live ones mention.
// Why it matters:  decompositions and inlining leave results without readers.
// Cost:            one visit per node, backwards.

#include <set>

#include "ir/child_graphs.h"
#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "passes/graph_passes.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

using Symbols = std::set<SymbolId>;

void add(Expr expr, Symbols& symbols) {
  if (expr.is_constant()) return;
  for (const SymbolId id : free_symbols(expr)) symbols.insert(id);
}

void add(const Argument& argument, Symbols& symbols) {
  if (!argument.is_attribute()) return;
  if (const auto* scalar = std::get_if<Expr>(&argument.attribute())) add(*scalar, symbols);
  if (const auto* list = std::get_if<ir::Scalars>(&argument.attribute())) {
    for (const Expr expr : *list) add(expr, symbols);
  }
}

void add(const ir::ValueType& type, Symbols& symbols) {
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    for (const Expr size : tensor->sizes) add(size, symbols);
    for (const Expr stride : tensor->strides) add(stride, symbols);
    add(tensor->offset, symbols);
  } else if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) {
    add(scalar->value, symbols);
  }
}

void add_node(const Node& node, Symbols& symbols);

// Child graphs share the symbols of the program.
void add_graph(const ir::Graph& graph, Symbols& symbols) {
  for (const Value input : graph.inputs()) add(input.type(), symbols);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    add_node(*node, symbols);
  }
  for (const Argument& output : graph.outputs()) add(output, symbols);
}

void add_node(const Node& node, Symbols& symbols) {
  for (const Argument& argument : node.arguments()) add(argument, symbols);
  for (const Value output : node.outputs()) add(output.type(), symbols);
  for (const ir::Graph* child : ir::child_graphs(node)) add_graph(*child, symbols);
}

bool defines_needed(const Node& node, const Symbols& needed) {
  if (needed.empty()) return false;
  for (const Expr symbol : ir::defined_symbols(node)) {
    if (needed.contains(symbol.symbol())) return true;
  }
  return false;
}

Changed sweep(ir::Graph& graph) {
  Changed changed = Changed::no;
  Symbols needed;
  for (const Argument& output : graph.outputs()) add(output, needed);
  for (Node* node = graph.last(); node != nullptr;) {
    Node* previous = node->prev();
    if (!defines_needed(*node, needed) && graph.erase_if_unused(node)) {
      changed = Changed::yes;
    } else {
      add_node(*node, needed);
    }
    node = previous;
  }
  return changed;
}

}  // namespace

Changed eliminate_dead_nodes(ir::Graph& graph, PassContext& /*context*/) { return sweep(graph); }

}  // namespace litz::passes
