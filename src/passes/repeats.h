// Blocks of nodes that do the same on other operands, as the layers of a network do.
//
// Two nodes do the same when operator, literals, annotations and all types agree; two blocks, when
// their nodes do, one after the other, and pass values on in the same way. Blocks end where kernels
// end anyway: no value goes from one to another that fusion could keep in registers, so nothing is
// lost when each block is compiled on its own.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// Shorter blocks cost more to handle than to compile again.
inline constexpr size_t kLeastBlock = 8;

/// Node i of one block stands for node i of all others.
struct Repeat {
  std::vector<std::vector<ir::Node*>> blocks;  ///< Two or more, each in graph order, without gaps.
  /// Node of a block and its output, where it is read outside of some block; in order.
  std::vector<std::pair<size_t, size_t>> results;
};

/// Blocks that do not overlap, of at least kLeastBlock nodes that are no views; those that save most
/// nodes are taken first. Nodes with effects other than updates of their operand, random numbers,
/// child graphs or results whose sizes depend on data belong to no block. Of operands, a block returns those that it
/// updates, and no views.
std::vector<Repeat> find_repeats(const ir::Graph& graph);

}  // namespace litz::passes
