// What litz buckets tells, as text and as JSON.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/bucketing/bucketing.h"
#include "passes/overlap/schedule.h"
#include "passes/overlap/timeline.h"
#include "passes/overlap/world_curve.h"

namespace litz::tools {

/// What a graph's collectives cost.
struct CollectiveState {
  std::map<std::string, size_t> collectives;  ///< How many, by operator without namespace.
  passes::Timeline line;
  double peak_bytes = 0;
};

CollectiveState state_of(const ir::Graph& graph, const passes::PriceOptions& prices);

struct BucketsResult {
  CollectiveState before;
  CollectiveState after;
  passes::BucketReport buckets;
  std::optional<passes::OverlapReport> overlap;  ///< Of a schedule.
  std::vector<passes::WorldPoint> curve;
};

std::string json_of(const BucketsResult& result);
std::string text_of(const BucketsResult& result);

}  // namespace litz::tools
