// Sorts the nodes of a graph in place: nodes keep their identity, only their order changes.

#pragma once

#include <span>
#include <utility>

#include "ir/graph.h"

namespace litz::ir {

enum class SortRule : uint8_t {
  earliest,      ///< Of the nodes that are ready, the one that stood first.
  after_inputs,  ///< A node that had to wait runs right after the last of its inputs.
};

/// Moves nodes so that operands, the graph's ordering edges and `extra` edges (first before second)
/// all lead forward. A graph that is sorted already stays as it is. True when something moved.
/// O((V + E) log V). Check-fails with "graph has cycles" and the nodes on them.
bool sort_topologically(Graph& graph, SortRule rule = SortRule::earliest,
                        std::span<const std::pair<Node*, Node*>> extra = {});

/// True when some order lets operands and ordering edges all lead forward, whatever it is now.
bool is_acyclic(const Graph& graph);

}  // namespace litz::ir
