// Orders the nodes of a graph so that computation hides collectives.
//
//   %s = all_gather(%p)                 %s = all_gather(%p)
//   %w = wait_tensor(%s)                %m = mm(%x, %y)
//   %m = mm(%x, %y)              =>     %w = wait_tensor(%s)
//   %n = mm(%m, %w)                     %n = mm(%m, %w)
//
// Nothing but the order changes. It follows from the graph and the prices alone, so that ranks with
// equal graphs and prices start the same collectives in the same order.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

struct OverlapOptions {
  PriceOptions prices;
  double overlap_factor = 1;       ///< Of its time, how much of a computation may hide.
  double in_flight_bytes = 5e9;    ///< Of collectives that run at the same time.
  size_t prefetch_distance = 200;  ///< Products and the like between a start and what needs it.
  /// The peak may grow by the larger of a number of bytes and a share of itself; without both it is
  /// unlimited.
  std::optional<double> extra_bytes = 1e9;
  std::optional<double> extra_share = 0.05;
  /// Starts of a group keep their order, for ranks whose graphs differ between collectives.
  bool keeps_order = false;
  bool joins_regions = false;    ///< Nodes that fusion makes one kernel stay together.
  bool assumes_buckets = false;  ///< One latency for collectives that a bucket may join.
};

/// A collective in an order of nodes.
struct OverlappedCollective {
  ir::Node* start = nullptr;
  double us = 0;
  double exposed_us = 0;
  std::vector<const ir::Node*> hidden_by;  ///< Computations that run at the same time.
  /// A product or the like depends neither on its result nor the reverse.
  bool can_be_hidden = false;
};

struct OverlapReport {
  std::vector<OverlappedCollective> collectives;  ///< In the order of starts.
  double exposed_before_us = 0;
  double exposed_us = 0;
  double peak_before = 0;  ///< Bytes.
  double peak = 0;
  double allowed_peak = 0;  ///< Infinite if unlimited.

  size_t exposed() const;      ///< Collectives that computation waits for.
  size_t bad_exposed() const;  ///< Of these, such that could be hidden.
};

/// The collectives of a graph in its order.
OverlapReport describe_overlap(const ir::Graph& graph, const PriceOptions& prices);

/// Keeps the order of the graph if none is better. The graph must be functional. Throws
/// Error{internal} if the new order breaks a rule of `ScheduleRules`.
OverlapReport schedule_collectives(ir::Graph& graph, const OverlapOptions& options = {});

/// Makes ordering edges from every collective to what hides it, and from that to the waits, so that
/// later passes and fusion keep it.
void keep_overlap(ir::Graph& graph, const OverlapReport& report);

}  // namespace litz::passes
