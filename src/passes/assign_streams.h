#pragma once

#include "passes/graph_passes.h"

namespace litz::passes {

/// Numbers the streams of random numbers of nodes that draw and have none (ops/random_streams.h).
Changed assign_streams(ir::Graph& graph, PassContext& context);

}  // namespace litz::passes
