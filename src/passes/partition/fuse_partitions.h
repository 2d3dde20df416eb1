// Makes every set of nodes a child graph and a call of it, and the way back.
//
//   {%a, %b}, {%d}                              %b = higher_order.invoke_subgraph(@main.fused_0, [%x])
//   %a = aten.relu(%x)                          %c = aten.mm(%b, %w)
//   %b = aten.add.Tensor(%a, 1)            =>   %d = higher_order.invoke_subgraph(@main.fused_1, [%c])
//   %c = aten.mm(%b, %w)                        return %d
//   %d = aten.exp(%c)
//
// All sets at once, in time linear in the graph. Arguments of a child are ordered by the place of
// what they stand for in the outer graph (its arguments first), results by that of their nodes: both
// are what callers of a compiled part rely on, so they do not depend on how the nodes inside use
// them. Other nodes keep their identity and, where dependences allow, their order. Results are flat
// values, so there are no tuples and nothing to extract from them.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/partition/partitioner.h"
#include "passes/partition/split.h"

namespace litz::passes {

struct FuseOptions {
  std::string prefix = "fused_";  ///< Child graphs are @<graph>.<prefix><number>, made unique.
  BoundaryOrder boundary = BoundaryOrder::place;
};

/// The calls, in graph order; part `name` is the number of the set in `partitions`, whose members may
/// be in any order. Throws Error{invalid_argument}, with the graph as it was, for a node in two sets,
/// an empty set, one that has neither results that are read nor effects, and for sets that cannot be
/// contracted together: the message names a path that leaves a set and comes back.
std::vector<SplitPart> fuse_partitions(ir::Graph& graph, std::span<const Partition> partitions,
                                       const FuseOptions& options = {});

/// Why the sets cannot be contracted together: a path that leaves a set and comes back, by node:
/// "%a -> %b = aten.exp -> %c". Empty when they can. Linear in the graph. To split such a set instead
/// of refusing it, propose partitions by kind with the set as the kind.
std::string dependence_circle(const ir::Graph& graph, std::span<const Partition> partitions);

/// Replaces the calls by the bodies, and erases child graphs that nobody else names.
void inline_partitions(ir::Graph& graph, std::span<const SplitPart> parts);

/// The same for all calls of these child graphs, wherever they stand; gives their number. Throws
/// Error{invalid_argument} for a graph that something else than a call enters.
size_t inline_calls(std::span<ir::Graph* const> graphs);

}  // namespace litz::passes
