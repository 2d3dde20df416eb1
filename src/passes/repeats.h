// Finds blocks of nodes that compute the same from different operands, such as the layers of a
// network.
//
// Two nodes compute the same if operator, literals, annotations and all types agree; two blocks do
// if their nodes do, in order, and pass values on in the same way. Blocks end where kernels end
// anyway: fusion could keep no value between them in registers, so compiling each block separately
// loses nothing.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// The cost of a call and a graph against that of compiling again: shorter blocks do not pay.
inline constexpr size_t kLeastBlock = 8;

/// Equal blocks: node i of one corresponds to node i of all others.
struct Repeat {
  std::vector<std::vector<ir::Node*>> blocks;  ///< Two or more, each in graph order, without gaps.
  /// (Node of a block, output) for each output with a reader outside of some block; sorted.
  std::vector<std::pair<size_t, size_t>> results;
};

/// Disjoint blocks of at least kLeastBlock nodes besides views, chosen by the number of nodes
/// saved. Nodes with effects other than updates of their operand, random numbers, child graphs or
/// data-dependent result sizes belong to no block. A block returns the operands that it updates,
/// and no views of operands.
std::vector<Repeat> find_repeats(const ir::Graph& graph);

}  // namespace litz::passes
