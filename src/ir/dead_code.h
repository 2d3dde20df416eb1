// Removes nodes without effects whose results are not read.

#pragma once

#include <functional>

#include "ir/graph.h"

namespace litz::ir {

struct DeadCodeOptions {
  /// Keeps further nodes besides those with effects; may be empty.
  std::function<bool(const Node&)> keep;
  bool child_graphs = true;  ///< Also cleans the graphs that this one calls.
};

/// Walks backwards once, so whole chains go. Graph arguments stay. True if something was erased.
bool eliminate_dead_code(Graph& graph, const DeadCodeOptions& options = {});

}  // namespace litz::ir
