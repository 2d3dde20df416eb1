// Removes nodes whose results nobody reads and that do nothing else.

#pragma once

#include <functional>

#include "ir/graph.h"

namespace litz::ir {

struct DeadCodeOptions {
  /// Nodes to keep beyond those with effects; may be empty.
  std::function<bool(const Node&)> keep;
  bool child_graphs = true;  ///< Also cleans the graphs that this one calls.
};

/// One backward walk, so chains go at once. Graph arguments stay. True when something was erased.
bool eliminate_dead_code(Graph& graph, const DeadCodeOptions& options = {});

}  // namespace litz::ir
