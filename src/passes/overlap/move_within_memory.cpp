#include "passes/overlap/move_within_memory.h"

#include <algorithm>
#include <functional>

#include "passes/overlap/live_memory.h"
#include "passes/overlap/units.h"

namespace litz::passes {
namespace {

using ir::Node;

/// An order of nodes in which one after the other moves, with the memory at each place.
class Mover {
 public:
  Mover(ir::Graph& graph, const MoveOptions& options)
      : graph_(graph), options_(options), units_(graph, options.prices, {.keeps_order = true}) {
    const MemoryUse use(graph);
    LiveMemory memory(use);
    for (uint32_t i = 0; i < units_.all.size(); ++i) {
      live_.push_back(memory.live() + memory.allocated(i));
      made_.push_back(memory.allocated(i));
      freed_.push_back(memory.freed(i));
      memory.run(i);
      order_.push_back(i);
      place_.push_back(i);
    }
    allowed_ = memory.peak() * (1 + options.extra_share);
  }

  std::vector<MovedCollective> raise() {
    std::vector<MovedCollective> moved;
    for (uint32_t i = 0; i < units_.all.size(); ++i) {
      if (units_.all[i].kind == UnitKind::start) moved.push_back(move(i, i, -1));
    }
    arrange(graph_, units_.nodes_of(order_));
    return moved;
  }

  std::vector<MovedCollective> sink() {
    std::vector<MovedCollective> moved;
    for (uint32_t i = static_cast<uint32_t>(units_.all.size()); i-- > 0;) {
      if (units_.all[i].kind == UnitKind::wait) moved.push_back(move(units_.all[i].start, i, +1));
    }
    std::ranges::reverse(moved);
    arrange(graph_, units_.nodes_of(order_));
    return moved;
  }

 private:
  /// Computation between a start and its first wait.
  double covered(uint32_t start) const {
    double sum = 0;
    for (size_t at = place_[start] + 1; at < order_.size(); ++at) {
      const Unit& unit = units_.all[order_[at]];
      if (unit.kind == UnitKind::wait && unit.start == start) break;
      if (unit.kind == UnitKind::work) sum += unit.us;
    }
    return sum;
  }

  MovedCollective move(uint32_t start, uint32_t unit, int step) {
    MovedCollective moved;
    moved.start = units_.nodes[units_.all[start].nodes[0]];
    const double time = units_.all[start].us * options_.collective_factor;
    const double wanted = time * (1 + options_.extra_overlap);
    double hidden = covered(start);
    moved.exposed_before_us = std::max(0.0, time - hidden);
    moved.limit = "None";
    if (moved.exposed_before_us > 0) {
      const double bytes = step < 0 ? made_[unit] : freed_[unit];
      while (true) {
        if (hidden >= wanted) {
          moved.limit = "unexposed by runtime estimations";
          break;
        }
        moved.limit = limit(unit, step, bytes);
        if (!moved.limit.empty()) break;
        hidden += pass(unit, step, bytes);
        ++moved.moves;
      }
    }
    moved.exposed_us = std::max(0.0, time - hidden);
    return moved;
  }

  /// Why a unit cannot pass its neighbour; empty if it can.
  std::string limit(uint32_t unit, int step, double bytes) const {
    const size_t at = place_[unit];
    if (step < 0 ? at == 0 : at + 1 == order_.size()) return "None";
    const uint32_t other = order_[at + static_cast<size_t>(step)];
    const auto& related = step < 0 ? units_.needs[unit] : units_.needed_by[unit];
    if (units_.all[other].kind != UnitKind::work) return "collective ordering";
    if (std::ranges::binary_search(related, other)) {
      const Node& node = *units_.nodes[units_.all[other].nodes[0]];
      return "data dependency on %" + std::string(node.output().name());
    }
    return live_[other] + bytes > allowed_ ? "peak memory" : "";
  }

  /// Returns the time of what it passed.
  double pass(uint32_t unit, int step, double bytes) {
    const size_t at = place_[unit];
    const uint32_t other = order_[at + static_cast<size_t>(step)];
    std::swap(order_[at], order_[at + static_cast<size_t>(step)]);
    std::swap(place_[unit], place_[other]);
    live_[other] += bytes;
    return units_.all[other].us;
  }

  ir::Graph& graph_;
  const MoveOptions& options_;
  Units units_;
  std::vector<double> live_;   // By unit: the most that is live while it runs.
  std::vector<double> made_;   // By unit.
  std::vector<double> freed_;  // By unit.
  std::vector<uint32_t> order_;
  std::vector<size_t> place_;  // By unit.
  double allowed_ = 0;
};

}  // namespace

std::vector<MovedCollective> raise_starts_within(ir::Graph& graph, const MoveOptions& options) {
  return Mover(graph, options).raise();
}

std::vector<MovedCollective> sink_waits_within(ir::Graph& graph, const MoveOptions& options) {
  return Mover(graph, options).sink();
}

}  // namespace litz::passes
