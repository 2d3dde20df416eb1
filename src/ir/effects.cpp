// Effects of nodes and graphs. See effects.h.

#include "ir/effects.h"

#include <unordered_map>

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

// Random numbers order draws, but an unused draw may go.
bool keeps_alive(const OpInfo& op, const Effect& effect) {
  if (effect.kind == EffectKind::write) return true;
  return effect.kind == EffectKind::order &&
         (!has(op.traits, Trait::random) || has(op.traits, Trait::side_effect));
}

bool own_effects(const Node& node) {
  const OpInfo& op = node.op();
  if (has(op.traits, Trait::side_effect | Trait::hidden_mutation)) return true;
  if (op.effects == nullptr) return op.schema.mutates();
  for (const Effect& effect : op.effects(op, node.arguments())) {
    if (keeps_alive(op, effect)) return true;
  }
  return false;
}

// Remembers graphs, since many calls may share one; an unfinished graph counts as free of effects,
// so recursion ends.
class EffectWalk {
 public:
  bool children(const Node& node) {
    for (const Argument& argument : node.arguments()) {
      if (!argument.is_attribute()) continue;
      const auto* child = std::get_if<GraphRef>(&argument.attribute());
      if (child != nullptr && graph(node.graph().module().graph(*child))) return true;
    }
    return false;
  }

  bool graph(const Graph& graph) {
    const auto [known, fresh] = seen_.emplace(graph.id(), false);
    if (!fresh) return known->second;
    bool found = false;
    for (const Node* node = graph.first(); node != nullptr && !found; node = node->next()) {
      found = own_effects(*node) || children(*node);
    }
    return seen_[graph.id()] = found;
  }

 private:
  std::unordered_map<uint32_t, bool> seen_;
};

}  // namespace

std::vector<Effect> effects(const Node& node) {
  const OpInfo& op = node.op();
  std::vector<Effect> found =
      op.effects != nullptr ? op.effects(op, node.arguments()) : schema_effects(node);
  if (EffectWalk().children(node)) found.push_back({EffectKind::order, -1});
  return found;
}

bool has_effects(const Node& node) { return own_effects(node) || EffectWalk().children(node); }

bool has_effects(const Graph& graph) { return EffectWalk().graph(graph); }

}  // namespace litz::ir
