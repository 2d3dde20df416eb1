// A cluster on paper: its links, and what collectives cost on them.
//
// The model is analytical: a ring over all ranks, whose slowest link decides the bandwidth, and a
// latency for each step. It compares orders and sizes of collectives; it does not predict a machine.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace litz::machine {

/// What a collective moves, as far as its price depends on it.
enum class Traffic : uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all, point_to_point };

std::string_view name(Traffic traffic);

/// Cards of type hopper in nodes of eight, unless told otherwise.
struct Cluster {
  int64_t ranks_per_node = 8;
  double node_gb_s = 300;    ///< Between the ranks of a node, 10^9 bytes a second.
  double network_gb_s = 25;  ///< Between nodes.
  /// What a ring's low-latency protocol moves in one node, over two nodes, and over more.
  std::array<double, 3> protocol_gb_s{141, 39, 20.4};
  double base_latency_us = 6.6;        ///< Of a collective.
  double step_in_node_us = 0.6;        ///< Of a step of a ring that stays in one node.
  double step_in_many_nodes_us = 1.0;  ///< Of a step in a node of a ring over several nodes.
  double step_between_nodes_us = 2.7;  ///< Of a step to another node.
  double memory_gb_s = 4000;           ///< Of one card.
  double half_tflops = 700;            ///< Products of 16-bit numbers, 10^12 operations a second.
  double single_tflops = 50;           ///< Products of f32.
  int64_t default_ranks = 8;           ///< Of groups whose size the program does not tell.
};

/// A cluster of nodes of eight cards of one generation: volta, ampere, hopper or blackwell. Throws
/// Error{invalid_argument} for other names.
Cluster named_cluster(std::string_view name);

/// A description as JSON: an object with the fields of Cluster by name, and `like`, the name of a
/// cluster that has the fields which are not there. Throws Error for unknown fields and for numbers
/// that are not positive; `origin` names the text.
Cluster parse_cluster(std::string_view json, std::string_view origin);

/// The cluster of that name, or else of the description in that file.
Cluster open_cluster(const std::string& name_or_file);

/// The part of collective_us that does not depend on the number of bytes.
double latency_us(Traffic traffic, int64_t ranks, const Cluster& cluster);
/// Microseconds for `bytes`, the operand's and the result's together; 0 for one rank.
double collective_us(Traffic traffic, double bytes, int64_t ranks, const Cluster& cluster);
/// The bytes from which latency is about 2 % of the time that a ring moves them, so that larger
/// collectives gain little; 0 for one rank.
double saturating_bytes(Traffic traffic, int64_t ranks, const Cluster& cluster);
/// Microseconds for a computation of this many operations and bytes.
double compute_us(double operations, bool is_half, double bytes, const Cluster& cluster);

}  // namespace litz::machine
