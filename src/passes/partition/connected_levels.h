// Assigns levels so that few sets remain among nodes that edges connect.
//
//   supported: a, b, c, d      late levels       joined
//   %a -> %b                   a 3, b 1          a 3, b 3
//   %a -> %c -> %u -> %d       c 3, u 2, d 1     c 3, u 2, d 1
//
// %b could also be on level 3, and only there an edge connects it with another node.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "passes/partition/edge_lists.h"

namespace litz::passes {

/// The units that get levels: nodes, and sets that were chosen before.
struct UnitsInOrder {
  const Edges& edges;
  const Edges& operands;          ///< The `edges` that connect: producers and readers of results.
  std::span<const size_t> order;  ///< Topological.
  const std::vector<bool>& supported;
};

/// Returns levels under the same rules as `start` and at least as high, so that no two sets with an
/// edge between them could be merged. If one join excludes another, the join of the units nearest
/// to the end of the graph wins. With `is_free`, units with a choice wait for their levels, so that
/// joins are made before levels, and the result with fewer sets is kept. Costs O(E log V) plus, for
/// each join, the units between the levels of the two sets, up to a bound linear in the graph:
/// beyond it sets stay apart.
std::vector<int64_t> connected_levels(const UnitsInOrder& units, std::vector<int64_t> start,
                                      bool is_free);

/// The parts of supported units on one level, given in topological order, that operands connect,
/// sorted by their first units. Parts in a cycle of other edges are one.
std::vector<std::vector<size_t>> connected_parts(const UnitsInOrder& units,
                                                 const std::vector<int64_t>& level,
                                                 const std::vector<size_t>& members);

}  // namespace litz::passes
