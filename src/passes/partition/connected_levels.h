// Levels under which sets that edges hold together are few.
//
//   supported: a, b, c, d      late levels       joined
//   %a -> %b                   a 3, b 1          a 3, b 3
//   %a -> %c -> %u -> %d       c 3, u 2, d 1     c 3, u 2, d 1
//
// %b could be on level 3 as well, and only there an edge connects it with another node.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "passes/partition/edge_lists.h"

namespace litz::passes {

/// What levels are given to: nodes and sets that were chosen before.
struct UnitsInOrder {
  const Edges& edges;
  const Edges& operands;          ///< Those of `edges` that connect: who reads results of whom.
  std::span<const size_t> order;  ///< Topological.
  const std::vector<bool>& supported;
};

/// Levels of the same rules as `start`, which are at least as high, and under which no two sets with
/// an edge between them could be one set. Where one join excludes another, that of the units nearest
/// to the end of the graph is made; `is_free` lets units of which that is still open wait for their
/// levels, so that joins come before levels, and keeps what has fewer sets. Costs O(E log V) and, for
/// each join, what lies between the levels of the two sets, up to a bound that is linear in the
/// graph: beyond it sets stay apart.
std::vector<int64_t> connected_levels(const UnitsInOrder& units, std::vector<int64_t> start,
                                      bool is_free);

/// The parts of supported units on one level, given in topological order, that operands connect, by
/// their first units. Parts that other edges lead around in a circle are one.
std::vector<std::vector<size_t>> connected_parts(const UnitsInOrder& units,
                                                 const std::vector<int64_t>& level,
                                                 const std::vector<size_t>& members);

}  // namespace litz::passes
