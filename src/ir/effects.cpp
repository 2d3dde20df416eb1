// Effects of nodes and graphs. See effects.h.

#include "ir/effects.h"

namespace litz::ir {
namespace {

std::vector<Effect> schema_effects(const Node& node) {
  std::vector<Effect> found;
  const std::vector<SchemaArgument>& schema = node.op().schema.arguments;
  for (size_t i = 0; i < schema.size() && i < node.arguments().size(); ++i) {
    const Argument& argument = node.arguments()[i];
    if (!argument.is_value() && !argument.is_value_list()) continue;
    const auto index = static_cast<int>(i);
    found.push_back({EffectKind::read, index});
    if (schema[i].mutated) found.push_back({EffectKind::write, index});
  }
  if (has(node.op().traits, Trait::side_effect | Trait::hidden_mutation)) {
    found.push_back({EffectKind::order, -1});
  }
  return found;
}

bool any_child(const Node& node, bool (*predicate)(const Graph&)) {
  for (const Argument& argument : node.arguments()) {
    if (!argument.is_attribute()) continue;
    const auto* child = std::get_if<GraphRef>(&argument.attribute());
    if (child != nullptr && predicate(node.graph().module().graph(*child))) return true;
  }
  return false;
}

bool graph_has_effects(const Graph& graph) { return has_effects(graph); }

// Random numbers order draws, but an unused draw may go.
bool keeps_alive(const OpInfo& op, const Effect& effect) {
  if (effect.kind == EffectKind::write) return true;
  return effect.kind == EffectKind::order &&
         (!has(op.traits, Trait::random) || has(op.traits, Trait::side_effect));
}

}  // namespace

std::vector<Effect> effects(const Node& node) {
  const OpInfo& op = node.op();
  std::vector<Effect> found =
      op.effects != nullptr ? op.effects(op, node.arguments()) : schema_effects(node);
  if (any_child(node, graph_has_effects)) found.push_back({EffectKind::order, -1});
  return found;
}

bool has_effects(const Node& node) {
  const OpInfo& op = node.op();
  if (has(op.traits, Trait::side_effect | Trait::hidden_mutation)) return true;
  if (op.effects == nullptr) return op.schema.mutates() || any_child(node, graph_has_effects);
  for (const Effect& effect : op.effects(op, node.arguments())) {
    if (keeps_alive(op, effect)) return true;
  }
  return any_child(node, graph_has_effects);
}

bool has_effects(const Graph& graph) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (has_effects(*node)) return true;
  }
  return false;
}

}  // namespace litz::ir
