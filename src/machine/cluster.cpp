#include "machine/cluster.h"

#include <algorithm>

#include "support/check.h"
#include "support/json.h"
#include "support/mapped_file.h"

namespace litz::machine {
namespace {

constexpr std::array<std::string_view, 5> kTraffic{"all_gather", "reduce_scatter", "all_reduce",
                                                   "all_to_all", "point_to_point"};
constexpr double kLatencyShare = 0.02;

struct Named {
  std::string_view name;
  Cluster cluster;
};

Cluster cards(double protocol_gb_s, double node_gb_s, double memory_gb_s, double half_tflops,
              double single_tflops) {
  Cluster cluster;
  cluster.protocol_gb_s[0] = protocol_gb_s;
  cluster.node_gb_s = node_gb_s;
  cluster.memory_gb_s = memory_gb_s;
  cluster.half_tflops = half_tflops;
  cluster.single_tflops = single_tflops;
  return cluster;
}

std::array<Named, 4> named_clusters() {
  return {Named{"volta", cards(39, 150, 900, 110, 15)},
          Named{"ampere", cards(87.7, 300, 2000, 280, 18)}, Named{"hopper", Cluster{}},
          Named{"blackwell", cards(282, 600, 8000, 1800, 75)}};
}

struct Field {
  std::string_view name;
  double Cluster::*number;
};

constexpr std::array kFields{
    Field{"base_latency_us", &Cluster::base_latency_us},
    Field{"half_tflops", &Cluster::half_tflops},
    Field{"memory_gb_s", &Cluster::memory_gb_s},
    Field{"network_gb_s", &Cluster::network_gb_s},
    Field{"node_gb_s", &Cluster::node_gb_s},
    Field{"single_tflops", &Cluster::single_tflops},
    Field{"step_between_nodes_us", &Cluster::step_between_nodes_us},
    Field{"step_in_many_nodes_us", &Cluster::step_in_many_nodes_us},
    Field{"step_in_node_us", &Cluster::step_in_node_us},
};

double positive(const JsonValue& value, const JsonPath& path) {
  const double number = value.as_double(path);
  require(number > 0, "a number of a cluster must be positive:", path, number);
  return number;
}

void read_field(const JsonMember& member, const JsonPath& path, Cluster& cluster) {
  if (member.key == "like") return;
  if (member.key == "ranks_per_node" || member.key == "default_ranks") {
    const int64_t ranks = member.value.as_int(path);
    require(ranks > 0, "a cluster must have ranks:", path, ranks);
    (member.key == "default_ranks" ? cluster.default_ranks : cluster.ranks_per_node) = ranks;
    return;
  }
  if (member.key == "protocol_gb_s") {
    require(member.value.size() == cluster.protocol_gb_s.size(),
            "protocol_gb_s must be three numbers, for one node, two and more:", path);
    for (size_t i = 0; i < cluster.protocol_gb_s.size(); ++i) {
      cluster.protocol_gb_s[i] = positive(member.value.at(i, path), path / i);
    }
    return;
  }
  const auto* const field = std::ranges::find(kFields, member.key, &Field::name);
  require(field != kFields.end(), "a cluster has no such field:", path);
  cluster.*field->number = positive(member.value, path);
}

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
  const double protocol =
      cluster.protocol_gb_s[static_cast<size_t>(std::min<int64_t>(nodes, 3)) - 1];
  const double link = nodes == 1 ? cluster.node_gb_s : cluster.network_gb_s;
  const double share = nodes > 1 || traffic == Traffic::all_reduce ? 1.0 / 4 : 1.0 / 3;
  return std::min(protocol, 2 * link * share);
}

/// Bytes a microsecond.
double bandwidth(Traffic traffic, int64_t ranks, const Cluster& cluster) {
  return bus_gb_s(traffic, nodes_of(ranks, cluster), cluster) * static_cast<double>(ranks) /
         static_cast<double>(steps_of(traffic, ranks)) * 1e3;
}

}  // namespace

std::string_view name(Traffic traffic) { return kTraffic[static_cast<size_t>(traffic)]; }

Cluster named_cluster(std::string_view name) {
  const auto all = named_clusters();
  const auto* const found = std::ranges::find(all, name, &Named::name);
  require(found != all.end(), "a named cluster must be volta, ampere, hopper or blackwell:", name);
  return found->cluster;
}

Cluster parse_cluster(std::string_view json, std::string_view origin) {
  const JsonDocument document = JsonDocument::parse(json, origin);
  const JsonPath path(origin);
  Cluster cluster;
  if (const JsonValue* like = document.root().get("like", path)) {
    cluster = named_cluster(like->as_string(path / "like"));
  }
  for (const JsonMember& member : document.root().as_object(path)) {
    read_field(member, path / member.key, cluster);
  }
  return cluster;
}

Cluster open_cluster(const std::string& name_or_file) {
  const auto all = named_clusters();
  const auto* const found = std::ranges::find(all, name_or_file, &Named::name);
  if (found != all.end()) return found->cluster;
  const MappedFile file = MappedFile::open(name_or_file);
  return parse_cluster({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()},
                       name_or_file);
}

double latency_us(Traffic traffic, int64_t ranks, const Cluster& cluster) {
  if (ranks <= 1) return 0;
  const int64_t nodes = nodes_of(ranks, cluster);
  const int64_t between = std::min(steps_between_nodes(traffic, nodes), steps_of(traffic, ranks));
  const auto within = static_cast<double>(steps_of(traffic, ranks) - between);
  return cluster.base_latency_us +
         within * (nodes == 1 ? cluster.step_in_node_us : cluster.step_in_many_nodes_us) +
         static_cast<double>(between) * cluster.step_between_nodes_us;
}

double collective_us(Traffic traffic, double bytes, int64_t ranks, const Cluster& cluster) {
  if (ranks <= 1) return 0;
  return bytes / bandwidth(traffic, ranks, cluster) + latency_us(traffic, ranks, cluster);
}

double saturating_bytes(Traffic traffic, int64_t ranks, const Cluster& cluster) {
  if (ranks <= 1) return 0;
  return latency_us(traffic, ranks, cluster) * (1 / kLatencyShare - 1) *
         bus_gb_s(traffic, nodes_of(ranks, cluster), cluster) * 1e3;
}

double compute_us(double operations, bool is_half, double bytes, const Cluster& cluster) {
  const double rate = (is_half ? cluster.half_tflops : cluster.single_tflops) * 1e6;
  return std::max(operations / rate, bytes / (cluster.memory_gb_s * 1e3));
}

}  // namespace litz::machine
