// Replaces symbols. See symbol_replacement.h.

#include "ir/symbol_replacement.h"

namespace litz::ir {
namespace {

using Replacements = std::span<const SymbolReplacement>;

void replace_all(std::vector<Expr>& exprs, Replacements replacements) {
  for (Expr& expr : exprs) expr = substitute(expr, replacements);
}

Attribute replaced(Attribute attribute, Replacements replacements) {
  if (auto* scalar = std::get_if<Expr>(&attribute)) {
    *scalar = substitute(*scalar, replacements);
  } else if (auto* list = std::get_if<Scalars>(&attribute)) {
    replace_all(*list, replacements);
  }
  return attribute;
}

bool replace_in_outputs(Graph& graph, Replacements replacements) {
  std::vector<Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  bool changed = false;
  for (Argument& output : outputs) {
    if (!output.is_attribute()) continue;
    Argument other(replaced(output.attribute(), replacements));
    changed = changed || !(other == output);
    output = std::move(other);
  }
  if (changed) graph.set_outputs(std::move(outputs));
  return changed;
}

}  // namespace

ValueType replace_symbols(ValueType type, Replacements replacements) {
  if (auto* tensor = std::get_if<TensorType>(&type)) {
    replace_all(tensor->sizes, replacements);
    replace_all(tensor->strides, replacements);
    tensor->offset = substitute(tensor->offset, replacements);
  } else if (auto* scalar = std::get_if<ScalarType>(&type)) {
    scalar->value = substitute(scalar->value, replacements);
  }
  return type;
}

bool replace_symbols(Node& node, Replacements replacements) {
  Graph& graph = node.graph();
  if (&node == graph.return_node()) return replace_in_outputs(graph, replacements);
  bool changed = false;
  for (const Value output : node.outputs()) {
    ValueType type = replace_symbols(output.type(), replacements);
    if (type == output.type()) continue;
    graph.set_type(output, std::move(type));
    changed = true;
  }
  for (size_t i = 0; i < node.arguments().size(); ++i) {
    const Argument& argument = node.arguments()[i];
    if (!argument.is_attribute()) continue;
    Attribute attribute = replaced(argument.attribute(), replacements);
    if (attribute == argument.attribute()) continue;
    graph.set_argument(&node, node.op().schema.arguments[i].name, Argument(std::move(attribute)));
    changed = true;
  }
  return changed;
}

}  // namespace litz::ir
