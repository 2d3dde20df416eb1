// Moves collectives or computation along the order of a graph, without a model of all that runs at
// the same time. No start ever passes another start of its group.

#pragma once

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

/// Every start, with all that it needs, as early as dependences allow.
void raise_starts(ir::Graph& graph);

/// Every wait, with all that needs it, as late as dependences allow.
void sink_waits(ir::Graph& graph);

/// Between two starts that follow each other: first what the second one needs and what is
/// independent of the first, then other independent work until it covers the first, then the rest.
void reorder_compute(ir::Graph& graph, const PriceOptions& prices);

}  // namespace litz::passes
