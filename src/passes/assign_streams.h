#pragma once

#include "passes/graph_passes.h"

namespace litz::passes {

/// Numbers the random streams of nodes that draw random numbers and lack one
/// (ops/random_streams.h).
Changed assign_streams(ir::Graph& graph, PassContext& context);

}  // namespace litz::passes
