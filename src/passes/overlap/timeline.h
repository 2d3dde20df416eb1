// When the nodes of a graph would run on a cluster: computation on one stream, the collectives of
// every group on another, and what of them computation hides.

#pragma once

#include <vector>

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

/// One computation or collective, in microseconds from the begin of the graph.
struct TimelineEvent {
  const ir::Node* node = nullptr;
  double begin = 0;
  double end = 0;
  double exposed = 0;  ///< Of a collective: how long computation waited for it.
  double issued = 0;   ///< Of a collective: when it was started; it may queue until `begin`.
  bool is_collective = false;
};

struct Timeline {
  std::vector<TimelineEvent> events;  ///< Those that take time, in graph order.
  double total_us = 0;
  double compute_us = 0;
  double communication_us = 0;
  double exposed_us = 0;
};

/// Runs the nodes in the order of the graph. The collectives of a group run one after the other.
/// Sizes that only a call knows are estimated.
Timeline timeline(const ir::Graph& graph, const PriceOptions& options);

/// For every collective of a time line, by event: the computations that run at the same time.
std::vector<std::vector<const ir::Node*>> hidden_by(const Timeline& line);

}  // namespace litz::passes
