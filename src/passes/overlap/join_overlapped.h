// Joins collectives of a scheduled graph without losing what hides them.
//
// A joined collective starts where one of its members starts, and is waited for where one of them
// is. Nothing else moves but conversions and views on the way into a member, so buckets never
// depend on each other in a circle.

#pragma once

#include <optional>
#include <utility>

#include "ir/graph.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/schedule.h"

namespace litz::passes {

struct JoinOptions {
  std::optional<BucketOptions> buckets;  ///< Nothing: none.
  OverlapOptions overlap;
  /// Those that are exposed most grow buckets first, with close neighbours.
  bool exposed_first = false;
};

/// Schedules the graph, joins collectives if the options have buckets, and lets later stages keep
/// the order. Returns the buckets besides.
std::pair<OverlapReport, BucketReport> overlap_collectives(ir::Graph& graph,
                                                           const JoinOptions& options);

/// `report` is that of the graph's order, and afterwards that of the new one. Everything stays as it
/// is if the buckets would make computation wait longer than before the schedule, or need more
/// memory than it may.
BucketReport join_overlapped(ir::Graph& graph, OverlapReport& report, const JoinOptions& options);

}  // namespace litz::passes
