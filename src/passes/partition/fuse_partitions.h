// Turns every set of nodes into a child graph and a call of it, and can undo that.
//
//   {%a, %b}, {%d}                              %b = higher_order.invoke_subgraph(@main.fused_0, [%x])
//   %a = aten.relu(%x)                          %c = aten.mm(%b, %w)
//   %b = aten.add.Tensor(%a, 1)            =>   %d = higher_order.invoke_subgraph(@main.fused_1, [%c])
//   %c = aten.mm(%b, %w)                        return %d
//   %d = aten.exp(%c)
//
// Handles all sets at once, in time linear in the graph. A child's arguments are ordered by the
// position of their values in the outer graph (its arguments first), and its results by the
// position of their nodes. Callers of a compiled part rely on both orders, so these do not depend
// on how the nodes inside use the values. Other nodes keep their identity and, where dependences
// allow, their order. Results are flat values, without tuples.

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

/// Returns the calls in graph order; a part's `name` is the number of its set in `partitions`,
/// whose members may be in any order. Throws Error{invalid_argument} and leaves the graph unchanged
/// for a node in two sets, an empty set, a set that has neither effects nor results that are read,
/// and for sets that cannot be contracted together: the message names a path that leaves a set and
/// returns.
std::vector<SplitPart> fuse_partitions(ir::Graph& graph, std::span<const Partition> partitions,
                                       const FuseOptions& options = {});

/// Why the sets cannot be contracted together: a path that leaves a set and returns, by node: "%a
/// -> %b = aten.exp -> %c". Empty if they can. Linear in the graph. To split such a set instead of
/// rejecting it, propose partitions by kind with the set as the kind.
std::string dependence_circle(const ir::Graph& graph, std::span<const Partition> partitions);

/// Replaces the calls by the bodies, and erases child graphs without other uses.
void inline_partitions(ir::Graph& graph, std::span<const SplitPart> parts);

/// Does so for all calls of these child graphs, anywhere in the module; returns their number.
/// Throws Error{invalid_argument} for a graph with uses other than calls.
size_t inline_calls(std::span<ir::Graph* const> graphs);

}  // namespace litz::passes
