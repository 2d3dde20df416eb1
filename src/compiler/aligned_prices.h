// Prices on which all ranks agree, so that schedules made from them are equal.

#pragma once

#include "distributed/communicator.h"
#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::compiler {

/// The group of all ranks.
inline constexpr const char* kWorldGroup = "0";

/// Gives every node of the graph the median of what all ranks say. Throws Error on every rank if
/// their graphs differ in a node.
passes::Estimator aligned_prices(const ir::Graph& graph, const passes::PriceOptions& own,
                                 distributed::Communicator& communicator);

}  // namespace litz::compiler
