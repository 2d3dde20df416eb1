// Which collectives could be hidden behind a computation at all.

#pragma once

#include "ir/graph.h"
#include "passes/overlap/schedule.h"

namespace litz::passes {

/// Sets `can_be_hidden` of the report's collectives: a heavy computation of the graph neither leads
/// to the start nor depends on a wait. Time O((V + E) * c / 64) for c collectives.
void find_opportunities(const ir::Graph& graph, const PriceOptions& prices, OverlapReport& report);

}  // namespace litz::passes
