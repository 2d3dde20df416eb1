// What a node does besides computing its results; dead-code elimination, merging, scheduling ask.

#pragma once

#include <unordered_map>
#include <vector>

#include "ir/alias_classes.h"
#include "ir/graph.h"

namespace litz::ir {

/// The effects of a call, from the operator's function or, without one, from its schema and traits:
/// it reads its operands, writes those marked `(a!)`, and keeps its place among draws of random
/// numbers, collectives, and assertions. Calls of child graphs add what their bodies do: they write
/// arguments of which a body writes memory.
std::vector<Effect> effects(const Node& node);

/// An effect on memory, with the memory named; other resources have no class.
struct MemoryEffect {
  EffectKind kind = EffectKind::read;
  Resource resource = Resource::value;
  uint32_t alias_class = AliasClasses::kNone;

  bool operator==(const MemoryEffect&) const = default;
};

/// The effects of a call by alias class: one entry for every class of an affected argument, in
/// argument order, each once. Of a list that a call gives a child graph, only what the body writes is
/// written.
std::vector<MemoryEffect> effects(const Node& node, const AliasClasses& aliases);

/// True when the node must stay even if nobody reads its results: it writes or frees an operand,
/// asserts, prints, communicates, or calls a child graph that does. Drawing random numbers alone is
/// not an effect here.
bool has_effects(const Node& node);

/// True when callers of the graph notice more than its results: it has nodes with effects other
/// than writes to memory that it made itself.
bool has_effects(const Graph& graph);

/// Answers the same for many nodes and looks into every child graph once; for walks during which
/// child graphs do not change.
class EffectWalk {
 public:
  std::vector<Effect> effects(const Node& node);
  std::vector<MemoryEffect> effects(const Node& node, const AliasClasses& aliases);
  bool has_effects(const Node& node);
  bool has_effects(const Graph& graph);

  /// By argument of the graph: whether its memory is written.
  std::vector<bool> written_arguments(const Graph& graph) { return inside(graph).written; }

 private:
  // What callers of a graph notice besides its results.
  struct Outward {
    std::vector<bool> written;  // By argument.
    bool others = false;

    explicit Outward(const Graph& graph) : written(graph.input_count(), false) {}
  };

  // What a node does by its child graphs.
  struct Called {
    std::vector<Value> written;
    bool others = false;
  };

  class Memory;
  Called children(const Node& node);
  Outward inside(const Graph& graph);
  void add(const Node& node, const Memory& memory, Outward& found) const;

  // An unfinished graph counts as free of effects, so recursion ends.
  std::unordered_map<uint32_t, Outward> seen_;
};

}  // namespace litz::ir
