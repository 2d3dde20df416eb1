// Orders units so that computation hides collectives.
//
// The order is made from front to back along a clock: computation runs on one stream, the collectives
// of every group on another. Each unit leads to a first heavy computation, its target; units whose
// target is nearer come first, so that a collective starts as early and is waited for as late as its
// target permits. Units without a target (gradients that are only returned) keep their places, and
// their waits come when they cost nothing, or last. Before a computation runs, collectives of later
// targets start behind those in flight as long as it has time left to hide them and memory permits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "passes/overlap/live_memory.h"
#include "passes/overlap/units.h"

namespace litz::passes {

struct ListLimits {
  double overlap_factor = 1;         ///< Of its time, how much of a computation may hide.
  double in_flight_bytes = 0;        ///< Of collectives that run at the same time.
  size_t prefetch_distance = 0;      ///< Heavy computations between a start and its target.
  std::optional<double> peak_bytes;  ///< Nothing: unlimited.
  bool assumes_buckets = false;      ///< One latency for collectives that a bucket may join.
};

/// The order of units that starts and waits for collectives as above. The same for equal units.
std::vector<uint32_t> list_schedule(const Units& units, const MemoryUse& memory,
                                    const ListLimits& limits);

}  // namespace litz::passes
