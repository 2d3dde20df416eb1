// What an order of nodes must keep of the one before it.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

/// Made from a graph before its nodes move.
class ScheduleRules {
 public:
  /// Of a group, all starts keep their order if `keeps_order` is set.
  ScheduleRules(const ir::Graph& graph, const PriceOptions& prices, bool keeps_order);

  /// The first rule that the order breaks now; empty if there is none:
  /// - operands and other dependences come first, and so does every start before its waits
  /// - groups start the collectives that they started before, transfers in their order
  /// - peak memory is at most `allowed_peak`
  /// - computation waits no longer than before
  std::string broken(const ir::Graph& graph, double allowed_peak) const;

 private:
  std::vector<std::pair<ir::Node*, ir::Node*>> kept_;
  std::map<std::string, std::vector<uint32_t>> starts_;  ///< By group: ids of nodes, ascending.
  PriceOptions prices_;
  double exposed_us_ = 0;
};

}  // namespace litz::passes
