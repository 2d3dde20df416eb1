// A pattern prepared for searching; see subgraph_match.h.

#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// One step from a value to a reader: the slot that holds it, and the reader's result to follow.
struct PatternStep {
  const Node* reader = nullptr;
  size_t argument = 0;
  size_t element = 0;
  size_t result = 0;
};

/// How the search reaches a sink once those before it are matched.
struct PatternLink {
  Value from;                      ///< Already matched; null: the sink shares no node.
  std::vector<PatternStep> steps;  ///< From there to the sink.
};

class CompiledPattern {
 public:
  explicit CompiledPattern(const Graph& pattern);

  const Graph& graph() const { return graph_; }

  /// Nodes whose results only the return reads, in graph order.
  const std::vector<const Node*>& sinks() const { return sinks_; }

  /// By sink; the first one has no link.
  const std::vector<PatternLink>& links() const { return links_; }

  size_t index(const Node& node) const { return index_.at(&node); }

  size_t node_count() const { return index_.size(); }

  bool returns(Value value) const;

 private:
  void require_live() const;
  PatternLink link(const Node& sink, const std::vector<bool>& known_nodes,
                   const std::vector<bool>& known_inputs) const;
  void mark_known(const Node& sink, std::vector<bool>& nodes, std::vector<bool>& inputs) const;

  const Graph& graph_;
  std::unordered_map<const Node*, size_t> index_;
  std::vector<const Node*> sinks_;
  std::vector<PatternLink> links_;
};

}  // namespace litz::ir
