// A graph as schedulers see it: what is placed as one, what it takes, and what must come before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

enum class UnitKind : uint8_t { work, start, wait };

inline constexpr uint32_t kNoUnit = UINT32_MAX;

struct Unit {
  UnitKind kind = UnitKind::work;
  std::vector<uint32_t> nodes;  ///< Positions in the graph, ascending; several for a region.
  double us = 0;                ///< Of work; of a collective until its result is there.
  bool is_heavy = false;        ///< Collectives are hidden behind it in the first place.
  uint32_t start = kNoUnit;     ///< Of a wait.
  uint32_t group = 0;           ///< Of a start: the number of its group.
  uint32_t key = 0;             ///< Of a start: equal for those that one bucket may hold.
  double latency_us = 0;        ///< Of a start.
  double bytes = 0;             ///< Of a start: what it moves while it is in flight.
};

struct UnitOptions {
  bool keeps_order = false;    ///< Starts of a group keep their order.
  bool joins_regions = false;  ///< Neighbours that fusion makes one kernel are one unit.
};

/// Dependences are those of `fixed_dependences`, and the order of transfers between two ranks and
/// of calls with collectives among all starts. Units are numbered by their first node.
struct Units {
  Units(const ir::Graph& graph, const PriceOptions& prices, const UnitOptions& options = {});

  std::vector<ir::Node*> nodes_of(const std::vector<uint32_t>& units) const;

  std::vector<ir::Node*> nodes;  ///< In graph order.
  std::vector<Unit> all;
  std::vector<std::vector<uint32_t>> needs;      ///< Without repeats.
  std::vector<std::vector<uint32_t>> needed_by;  ///< The reverse.
  std::vector<uint32_t> order;                   ///< One in which needs come first.
  size_t group_count = 0;
};

/// Moves the nodes of a graph into an order that has all of them.
void arrange(ir::Graph& graph, const std::vector<ir::Node*>& order);

/// Pairs of nodes that keep their order besides operands, for the order of `options`.
std::vector<std::pair<ir::Node*, ir::Node*>> kept_dependences(const ir::Graph& graph,
                                                              bool keeps_order);

}  // namespace litz::passes
