// What a node does besides computing its results; dead-code elimination, merging, scheduling ask.

#pragma once

#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The effects of a call, from the operator's function or, without one, from its schema: it reads
/// its operands and writes those marked `(a!)`. Calls of child graphs add what their bodies do,
/// mapped to the operand list.
std::vector<Effect> effects(const Node& node);

/// True when the node must stay even if nobody reads its results: it writes an operand, asserts,
/// prints, or calls a child graph that does. Drawing random numbers alone is not an effect here.
bool has_effects(const Node& node);

/// True when some node of the graph has effects.
bool has_effects(const Graph& graph);

}  // namespace litz::ir
