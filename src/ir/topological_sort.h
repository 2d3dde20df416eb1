// Sorts the nodes of a graph in place: only their order changes.

#pragma once

#include <span>
#include <utility>

#include "ir/graph.h"

namespace litz::ir {

enum class SortRule : uint8_t {
  earliest,      ///< Among the ready nodes, the one that came first.
  after_inputs,  ///< A node that had to wait runs directly after the last of its inputs.
};

/// Moves nodes so that operands, the graph's ordering edges and `extra` edges (first before second)
/// all lead forward. A sorted graph stays unchanged. True if something moved. O((V + E) log V).
/// Check-fails with "graph has cycles" and the nodes on them.
bool sort_topologically(Graph& graph, SortRule rule = SortRule::earliest,
                        std::span<const std::pair<Node*, Node*>> extra = {});

/// True if some order lets all operands and ordering edges lead forward.
bool is_acyclic(const Graph& graph);

}  // namespace litz::ir
