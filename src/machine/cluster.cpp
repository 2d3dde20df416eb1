#include "machine/cluster.h"

#include <algorithm>
#include <array>

#include "support/check.h"

namespace litz::machine {
namespace {

constexpr std::array<std::string_view, 4> kGenerations{"volta", "ampere", "hopper", "blackwell"};

/// Bandwidth in GB/s of a ring with the low-latency protocol over one, two, and more nodes.
constexpr std::array<std::array<double, 3>, 4> kProtocol{{
    {39, 39, 20.4},
    {87.7, 22.5, 19},
    {141, 45, 35},
    {282, 90, 70},
}};

// Microseconds: of a whole collective, and of a step within and between nodes.
constexpr double kBaseLatency = 6.6;
constexpr double kStepInNode = 0.6;
constexpr double kStepInManyNodes = 1.0;
constexpr double kStepBetweenNodes = 2.7;

int64_t nodes_of(int64_t ranks, const Cluster& cluster) {
  return (ranks + cluster.ranks_per_node - 1) / cluster.ranks_per_node;
}

bool goes_around_twice(Traffic traffic) {
  return traffic == Traffic::all_reduce || traffic == Traffic::all_to_all;
}

int64_t steps_of(Traffic traffic, int64_t ranks) {
  if (traffic == Traffic::point_to_point) return 1;
  return goes_around_twice(traffic) ? 2 * (ranks - 1) : ranks - 1;
}

int64_t steps_between_nodes(Traffic traffic, int64_t nodes) {
  if (nodes <= 1) return 0;
  if (traffic == Traffic::point_to_point) return 1;
  return traffic == Traffic::all_reduce ? 2 * nodes : nodes - 1;
}

/// Bytes that a ring moves in a second, in GB/s.
double bus_gb_s(Traffic traffic, int64_t nodes, const Cluster& cluster) {
  const size_t row = nodes == 1 ? static_cast<size_t>(cluster.cards) : 0;
  const double protocol = kProtocol[row][static_cast<size_t>(std::min<int64_t>(nodes, 3) - 1)];
  const double link = nodes == 1 ? cluster.node_gb_s : cluster.network_gb_s;
  const double share = nodes > 1 || traffic == Traffic::all_reduce ? 1.0 / 4 : 1.0 / 3;
  return std::min(protocol, 2 * link * share);
}

}  // namespace

CardGeneration parse_card_generation(std::string_view text) {
  const auto* const found = std::ranges::find(kGenerations, text);
  require(found != kGenerations.end(),
          "a generation of cards must be volta, ampere, hopper or blackwell:", text);
  return static_cast<CardGeneration>(found - kGenerations.begin());
}

double latency_us(Traffic traffic, int64_t ranks, const Cluster& cluster) {
  if (ranks <= 1) return 0;
  const int64_t nodes = nodes_of(ranks, cluster);
  const int64_t between = std::min(steps_between_nodes(traffic, nodes), steps_of(traffic, ranks));
  const auto within = static_cast<double>(steps_of(traffic, ranks) - between);
  return kBaseLatency + within * (nodes == 1 ? kStepInNode : kStepInManyNodes) +
         static_cast<double>(between) * kStepBetweenNodes;
}

double collective_us(Traffic traffic, double bytes, int64_t ranks, const Cluster& cluster) {
  if (ranks <= 1) return 0;
  const double bus = bus_gb_s(traffic, nodes_of(ranks, cluster), cluster);
  const double moved =
      bus * static_cast<double>(ranks) / static_cast<double>(steps_of(traffic, ranks));
  return bytes / (moved * 1e3) + latency_us(traffic, ranks, cluster);
}

double compute_us(double operations, bool is_half, double bytes, const Cluster& cluster) {
  const double rate = (is_half ? cluster.half_tflops : cluster.single_tflops) * 1e6;
  return std::max(operations / rate, bytes / (cluster.memory_gb_s * 1e3));
}

}  // namespace litz::machine
