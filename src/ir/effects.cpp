// Effects of nodes and graphs. See effects.h.

#include "ir/effects.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "ir/child_graphs.h"

namespace litz::ir {
namespace {

constexpr Trait kAlwaysAlive =
    Trait::side_effect | Trait::collective_start | Trait::collective_wait | Trait::opaque;

/// Normalisations update the running statistics that they get, unless a flag says otherwise. False
/// if the operator does not look like one.
bool add_statistics_writes(const Node& node, std::vector<Effect>& found) {
  const Schema& schema = node.op().schema;
  int flag = schema.find("training");
  if (flag < 0) flag = schema.find("use_input_stats");
  if (flag < 0) return false;
  const Argument& argument = node.arguments()[static_cast<size_t>(flag)];
  const auto* updates =
      argument.is_attribute() ? std::get_if<Expr>(&argument.attribute()) : nullptr;
  if (updates == nullptr || !updates->is_constant()) return false;
  if (!updates->boolean_constant()) return true;
  for (const char* name : {"running_mean", "running_var"}) {
    const int index = schema.find(name);
    if (index < 0) return false;
    if (!node.arguments()[static_cast<size_t>(index)].is_value()) continue;
    found.push_back({EffectKind::write, index});
  }
  return true;
}

// Its statement was checked at import, so its position does not matter. It is not dead, although it
// has no results to read.
bool is_statement(const Node& node) { return node.is("aten._assert_tensor_metadata"); }

std::vector<Effect> schema_effects(const Node& node) {
  std::vector<Effect> found;
  const std::vector<SchemaArgument>& schema = node.op().schema.arguments;
  for (size_t i = 0; i < schema.size() && i < node.arguments().size(); ++i) {
    const Argument& argument = node.arguments()[i];
    if (!argument.is_value() && !argument.is_value_list()) continue;
    const auto index = static_cast<int>(i);
    found.push_back({EffectKind::read, index});
    const bool may_write = schema[i].mutated || has(node.op().traits, Trait::opaque);
    if (may_write) found.push_back({EffectKind::write, index});
  }
  const auto order = [&](Trait trait, Resource resource) {
    if (has(node.op().traits, trait)) found.push_back({EffectKind::order, -1, resource});
  };
  order(Trait::collective_start | Trait::collective_wait, Resource::communicator);
  if (!is_statement(node)) order(Trait::side_effect, Resource::host);
  order(Trait::opaque, Resource::unknown);
  if (!has(node.op().traits, Trait::hidden_mutation) || add_statistics_writes(node, found)) {
    return found;
  }
  order(Trait::hidden_mutation, Resource::unknown);
  return found;
}

std::vector<Effect> own_effects(const Node& node) {
  const OpInfo& op = node.op();
  return op.effects != nullptr ? op.effects(op, node.arguments()) : schema_effects(node);
}

// Random draws are ordered, but an unused draw may be removed.
bool keeps_alive(const Effect& effect) {
  switch (effect.kind) {
    case EffectKind::read:
    case EffectKind::allocate:
      return false;
    case EffectKind::write:
    case EffectKind::free:
      return true;
    case EffectKind::order:
      return effect.resource != Resource::generator;
  }
  return true;
}

bool keeps_alive(const Node& node) {
  const OpInfo& op = node.op();
  if (has(op.traits, kAlwaysAlive)) return true;
  const bool is_plain = op.effects == nullptr && !has(op.traits, Trait::hidden_mutation);
  if (is_plain) return op.schema.mutates();
  return std::ranges::any_of(own_effects(node),
                             [](const Effect& effect) { return keeps_alive(effect); });
}

// Keeps the first of equal entries. Sorts positions, since lists of operands may be long.
void remove_repeats(std::vector<MemoryEffect>& effects) {
  if (effects.size() < 2) return;
  const auto key = [&](size_t i) {
    return std::tuple(effects[i].kind, effects[i].resource, effects[i].alias_class, i);
  };
  std::vector<size_t> sorted(effects.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::ranges::sort(sorted, {}, key);
  std::vector<bool> repeated(effects.size());
  for (size_t i = 1; i < sorted.size(); ++i) {
    repeated[sorted[i]] = effects[sorted[i]] == effects[sorted[i - 1]];
  }
  size_t kept = 0;
  for (size_t i = 0; i < effects.size(); ++i) {
    if (!repeated[i]) effects[kept++] = effects[i];
  }
  effects.resize(kept);
}

}  // namespace

// Tells which memory of a graph belongs to its callers.
class EffectWalk::Memory {
 public:
  explicit Memory(const Graph& graph) : classes_(graph), arguments_(classes_.class_count()) {
    for (const Value input : graph.inputs()) {
      if (input.is_tensor()) arguments_[classes_.class_of(input)].push_back(input.index());
    }
  }

  void mark_written(std::span<const Value> values, Outward& found) const {
    for (const Value value : values) {
      if (!value || !value.is_tensor()) continue;
      for (const size_t i : arguments_[classes_.class_of(value)]) found.written[i] = true;
    }
  }

 private:
  AliasClasses classes_;
  std::vector<std::vector<size_t>> arguments_;  // By class: the arguments that may share it.
};

EffectWalk::Called EffectWalk::children(const Node& node) {
  Called found;
  for (const Graph* child : child_graphs(node)) {
    const Outward body = inside(*child);
    found.others |= body.others;
    if (std::ranges::find(body.written, true) == body.written.end()) continue;
    const std::vector<Value> operands = child_operands(node, *child);
    const bool fits = operands.size() == body.written.size();
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] && (!fits || body.written[i])) found.written.push_back(operands[i]);
    }
  }
  return found;
}

EffectWalk::Outward EffectWalk::inside(const Graph& graph) {
  const auto [known, fresh] = seen_.emplace(graph.id(), Outward(graph));
  if (!fresh) return known->second;
  Outward found(graph);
  std::optional<Memory> memory;  // Created for the first write: most graphs have none.
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    const Called called = children(*node);
    found.others |= called.others;
    if (called.written.empty() && !keeps_alive(*node)) continue;
    if (!memory) memory.emplace(graph);
    memory->mark_written(called.written, found);
    add(*node, *memory, found);
  }
  seen_.insert_or_assign(graph.id(), found);
  return found;
}

void EffectWalk::add(const Node& node, const Memory& memory, Outward& found) const {
  for (const Effect& effect : own_effects(node)) {
    if (!keeps_alive(effect)) continue;
    if (effect.argument < 0 || effect.resource != Resource::value) {
      found.others = true;
    } else {
      memory.mark_written(node.arguments()[static_cast<size_t>(effect.argument)].values(), found);
    }
  }
  // An operator's own function may omit effects that its traits state.
  found.others |= has(node.op().traits, kAlwaysAlive);
}

std::vector<Effect> EffectWalk::effects(const Node& node) {
  std::vector<Effect> found = own_effects(node);
  const Called called = children(node);
  for (size_t i = 0; i < node.arguments().size() && !called.written.empty(); ++i) {
    const Effect write{EffectKind::write, static_cast<int>(i)};
    const bool is_written = std::ranges::any_of(node.arguments()[i].values(), [&](Value value) {
      return std::ranges::find(called.written, value) != called.written.end();
    });
    if (is_written && std::ranges::find(found, write) == found.end()) found.push_back(write);
  }
  if (called.others) found.push_back({EffectKind::order, -1, Resource::unknown});
  return found;
}

std::vector<MemoryEffect> EffectWalk::effects(const Node& node, const AliasClasses& aliases) {
  std::vector<MemoryEffect> found;
  const Called called = children(node);
  for (const Effect& effect : own_effects(node)) {
    if (effect.argument < 0) {
      found.push_back({effect.kind, effect.resource, AliasClasses::kNone});
      continue;
    }
    for (const Value value : node.arguments()[static_cast<size_t>(effect.argument)].values()) {
      if (!value || !value.is_tensor()) continue;
      found.push_back({effect.kind, Resource::value, aliases.class_of(value)});
    }
  }
  for (const Value value : called.written) {
    if (!value.is_tensor()) continue;
    found.push_back({EffectKind::write, Resource::value, aliases.class_of(value)});
  }
  if (called.others) {
    found.push_back({EffectKind::order, Resource::unknown, AliasClasses::kNone});
  }
  remove_repeats(found);
  return found;
}

bool EffectWalk::has_effects(const Node& node) {
  if (keeps_alive(node)) return true;
  const Called called = children(node);
  return !called.written.empty() || called.others;
}

bool EffectWalk::has_effects(const Graph& graph) {
  const Outward found = inside(graph);
  return found.others || std::ranges::find(found.written, true) != found.written.end();
}

std::vector<Effect> effects(const Node& node) { return EffectWalk().effects(node); }

std::vector<MemoryEffect> effects(const Node& node, const AliasClasses& aliases) {
  return EffectWalk().effects(node, aliases);
}

bool has_effects(const Node& node) { return EffectWalk().has_effects(node); }

bool has_effects(const Graph& graph) { return EffectWalk().has_effects(graph); }

}  // namespace litz::ir
