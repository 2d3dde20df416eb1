// Dependences between nodes that are not operands.
//
//   %a = aten.relu(%t)
//   %w = aten.add_.Tensor(%t, 1)     after %a, which reads what it writes
//   %n = aten.nonzero(%x)            i64[u0, 1]
//   %f = aten.full([u0], 0)          after %n, which defines the size
//
// A transformation that moves nodes (splitting, partitioning, scheduling) must respect these and
// operands.

#pragma once

#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// Pairs (first, second) in graph order of second: ordering edges of the graph, reads and writes of
/// the same memory, effects on the same resource, and definitions and uses of data-dependent
/// symbols, including those in child graphs. A view of memory does not read it, but comes before
/// the memory is freed. Complete up to transitivity (with operands); linear in the graph and the
/// result.
std::vector<std::pair<Node*, Node*>> hidden_dependences(const Graph& graph);

}  // namespace litz::ir
