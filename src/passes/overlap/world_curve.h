// What buckets and schedules give on clusters of other sizes than the program was made for.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "passes/overlap/join_overlapped.h"

namespace litz::passes {

struct WorldPoint {
  int64_t world = 0;  ///< Ranks.
  int64_t nodes = 0;
  double cap_mb = 0;       ///< That exposes least; 0: without buckets.
  size_t collectives = 0;  ///< With it.
  double exposed_us = 0;
  double total_us = 0;
  double exposed_before_us = 0;  ///< In the order of the graph.
  double total_before_us = 0;
};

/// Tries caps from 1 MB to 2 GB, and around the best one, for each number of ranks. The graph stays as
/// it is.
std::vector<WorldPoint> world_curve(ir::Graph& graph, const JoinOptions& options,
                                    std::span<const int64_t> worlds);

/// From one node's ranks to `world`, doubling.
std::vector<int64_t> worlds_up_to(int64_t world, int64_t ranks_per_node);

}  // namespace litz::passes
