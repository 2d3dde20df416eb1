// Moves single collectives as far as memory permits, and says why no farther.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

struct MoveOptions {
  PriceOptions prices;
  double extra_share = 0.2;      ///< Of the peak: how much more memory may be live.
  double collective_factor = 2;  ///< How much longer collectives may take than their price.
  double extra_overlap = 0.5;    ///< Of a collective's time, to be hidden besides.
};

/// A collective that was moved, or not.
struct MovedCollective {
  ir::Node* start = nullptr;
  double exposed_before_us = 0;
  double exposed_us = 0;
  size_t moves = 0;  ///< Nodes that it has passed.
  /// Why it moved no farther: "None" if it did not need to, "collective ordering", "data dependency
  /// on %x", "peak memory", "unexposed by runtime estimations".
  std::string limit;
};

/// Starts of exposed collectives move earlier, one after the other. None passes a start or a wait
/// of another collective.
std::vector<MovedCollective> raise_starts_within(ir::Graph& graph, const MoveOptions& options);

/// Waits of exposed collectives move later, from the last to the first; the mirror image.
std::vector<MovedCollective> sink_waits_within(ir::Graph& graph, const MoveOptions& options);

}  // namespace litz::passes
