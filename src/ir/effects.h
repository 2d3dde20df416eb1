// The effects of a node besides its results, for dead-code elimination, merging and scheduling.

#pragma once

#include <unordered_map>
#include <vector>

#include "ir/alias_classes.h"
#include "ir/graph.h"

namespace litz::ir {

/// The effects of a call, from the operator's function or else from its schema and traits: it reads
/// its operands, writes those marked `(a!)`, and keeps its order among random draws, collectives,
/// and assertions. A call of child graphs adds the effects of their bodies: it writes the arguments
/// whose memory a body writes.
std::vector<Effect> effects(const Node& node);

/// An effect on memory, with the memory named; other resources have no class.
struct MemoryEffect {
  EffectKind kind = EffectKind::read;
  Resource resource = Resource::value;
  uint32_t alias_class = AliasClasses::kNone;

  bool operator==(const MemoryEffect&) const = default;
};

/// The effects of a call by alias class: one entry for every class of an affected argument, in
/// argument order, each once. Of a list passed to a child graph, only the entries that the body
/// writes count as written.
std::vector<MemoryEffect> effects(const Node& node, const AliasClasses& aliases);

/// True if the node must stay even without readers: it writes or frees an operand, asserts, prints,
/// communicates, or calls a child graph that does. Drawing random numbers alone does not count
/// here.
bool has_effects(const Node& node);

/// True if callers of the graph can observe more than its results: a node has effects other than
/// writes to memory that the graph itself allocated.
bool has_effects(const Graph& graph);

/// Answers the same questions for many nodes and inspects every child graph once; child graphs must
/// not change meanwhile.
class EffectWalk {
 public:
  std::vector<Effect> effects(const Node& node);
  std::vector<MemoryEffect> effects(const Node& node, const AliasClasses& aliases);
  bool has_effects(const Node& node);
  bool has_effects(const Graph& graph);

  /// By argument of the graph: whether its memory is written.
  std::vector<bool> written_arguments(const Graph& graph) { return inside(graph).written; }

 private:
  // The effects of a graph that its callers can observe.
  struct Outward {
    std::vector<bool> written;  // By argument.
    bool others = false;

    explicit Outward(const Graph& graph) : written(graph.input_count(), false) {}
  };

  // The effects of a node through its child graphs.
  struct Called {
    std::vector<Value> written;
    bool others = false;
  };

  class Memory;
  Called children(const Node& node);
  Outward inside(const Graph& graph);
  void add(const Node& node, const Memory& memory, Outward& found) const;

  // An unfinished graph counts as free of effects, which ends recursion.
  std::unordered_map<uint32_t, Outward> seen_;
};

}  // namespace litz::ir
