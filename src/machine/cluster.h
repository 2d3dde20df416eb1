// A cluster on paper: its links, and what collectives cost on them.
//
// The model is analytical: a ring over all ranks, whose slowest link decides the bandwidth, and a
// latency for each step. It compares orders and sizes of collectives; it does not predict a machine.

#pragma once

#include <cstdint>
#include <string_view>

namespace litz::machine {

/// What a collective moves, as far as its price depends on it.
enum class Traffic : uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all, point_to_point };

/// Generations of cards, by the bandwidth of their low-latency protocol.
enum class CardGeneration : uint8_t { volta, ampere, hopper, blackwell };

/// Throws Error{invalid_argument} for other names than those of the enumerators.
CardGeneration parse_card_generation(std::string_view text);

struct Cluster {
  CardGeneration cards = CardGeneration::hopper;
  int64_t ranks_per_node = 8;
  double node_gb_s = 300;     ///< Between the ranks of a node, 10^9 bytes a second.
  double network_gb_s = 25;   ///< Between nodes.
  double memory_gb_s = 4000;  ///< Of one card.
  double half_tflops = 700;   ///< Products of 16-bit numbers, 10^12 operations a second.
  double single_tflops = 50;  ///< Products of f32.
  int64_t default_ranks = 8;  ///< Of groups whose size the program does not tell.
};

/// The part of collective_us that does not depend on the number of bytes.
double latency_us(Traffic traffic, int64_t ranks, const Cluster& cluster);
/// Microseconds for `bytes`, the operand's and the result's together; 0 for one rank.
double collective_us(Traffic traffic, double bytes, int64_t ranks, const Cluster& cluster);
/// Microseconds for a computation of this many operations and bytes.
double compute_us(double operations, bool is_half, double bytes, const Cluster& cluster);

}  // namespace litz::machine
