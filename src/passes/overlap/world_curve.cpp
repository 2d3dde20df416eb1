#include "passes/overlap/world_curve.h"

#include <algorithm>
#include <array>

#include "passes/overlap/timeline.h"

namespace litz::passes {
namespace {

constexpr double kMegabyte = 1024 * 1024;
constexpr double kLeastCap_mb = 1;
constexpr double kMostCap_mb = 2000;
// Quarter steps between powers of two, around the best of these.
constexpr std::array kFiner{0.71, 0.84, 1.19, 1.41};

/// Powers of two, and what saturates the links of each kind of collective.
std::vector<double> caps_of(const PriceOptions& prices) {
  std::vector<double> caps{0};
  for (double cap = kLeastCap_mb; cap < kMostCap_mb; cap *= 2) caps.push_back(cap);
  for (const machine::Traffic traffic :
       {machine::Traffic::all_gather, machine::Traffic::all_reduce}) {
    const double bytes = machine::saturating_bytes(traffic, prices.world, prices.cluster);
    caps.push_back(std::clamp(bytes / kMegabyte, kLeastCap_mb, kMostCap_mb));
  }
  return caps;
}

size_t starts_of(const ir::Graph& graph) {
  size_t starts = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    starts += has(node->op().traits, ir::Trait::collective_start) ? 1 : 0;
  }
  return starts;
}

/// What a cap gives; everything is undone.
void try_cap(ir::Graph& graph, const JoinOptions& options, double cap, WorldPoint& best) {
  graph.begin_transaction();
  if (cap > 0) {
    BucketOptions buckets = options.buckets.value_or(BucketOptions());
    buckets.cap_mb = [cap](size_t /*index*/) { return cap; };
    bucket_collectives(graph, buckets);
  }
  schedule_collectives(graph, options.overlap);
  const Timeline line = timeline(graph, options.overlap.prices);
  const bool is_better = best.collectives == 0 || line.total_us < best.total_us;
  if (is_better) {
    best.cap_mb = cap;
    best.exposed_us = line.exposed_us;
    best.total_us = line.total_us;
    best.collectives = starts_of(graph);
  }
  graph.rollback_transaction();
}

}  // namespace

std::vector<WorldPoint> world_curve(ir::Graph& graph, const JoinOptions& options,
                                    std::span<const int64_t> worlds) {
  std::vector<WorldPoint> points;
  for (const int64_t world : worlds) {
    JoinOptions own = options;
    PriceOptions& prices = own.overlap.prices;
    prices.world = world;
    WorldPoint& point = points.emplace_back();
    point.world = world;
    const int64_t in_node = prices.cluster.ranks_per_node;
    point.nodes = (world + in_node - 1) / in_node;
    const Timeline before = timeline(graph, prices);
    point.exposed_before_us = before.exposed_us;
    point.total_before_us = before.total_us;
    for (const double cap : caps_of(prices)) try_cap(graph, own, cap, point);
    const double best = point.cap_mb;
    if (best == 0) continue;
    for (const double factor : kFiner) try_cap(graph, own, best * factor, point);
  }
  return points;
}

std::vector<int64_t> worlds_up_to(int64_t world, int64_t ranks_per_node) {
  std::vector<int64_t> worlds;
  for (int64_t ranks = std::min(ranks_per_node, world); ranks < world; ranks *= 2) {
    worlds.push_back(ranks);
  }
  worlds.push_back(world);
  return worlds;
}

}  // namespace litz::passes
