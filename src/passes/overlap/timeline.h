// When the nodes of a graph would run on a cluster: computation on one stream, the collectives of
// every group on another, and what of them computation hides.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "machine/cluster.h"

namespace litz::passes {

/// What a collective moves; nothing for other nodes.
std::optional<machine::Traffic> traffic_of(const ir::Node& node);

/// The ranks of groups, as far as the graph's collectives tell.
std::map<std::string, int64_t> group_sizes(const ir::Graph& graph);

/// Prices of the nodes of one graph.
class NodePrices {
 public:
  NodePrices(const ir::Graph& graph, const machine::Cluster& cluster);

  /// Microseconds of a node other than a collective or a wait; 0 for views.
  double compute_us(const ir::Node& node) const;
  /// Microseconds from a collective's start until its result is there.
  double collective_us(const ir::Node& start) const;

 private:
  machine::Cluster cluster_;
  std::map<std::string, int64_t> group_sizes_;
};

/// One computation or collective, in microseconds from the begin of the graph.
struct TimelineEvent {
  const ir::Node* node = nullptr;
  double begin = 0;
  double end = 0;
  double exposed = 0;  ///< Of a collective: how long computation waited for it.
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
Timeline timeline(const ir::Graph& graph, const machine::Cluster& cluster);

/// The most bytes that are live at a time, besides the graph's inputs, in the order of the graph.
/// The operands of a collective live until its wait.
double peak_bytes(const ir::Graph& graph);

}  // namespace litz::passes
