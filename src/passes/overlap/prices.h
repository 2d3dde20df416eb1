// What the nodes of a graph cost on a cluster, in microseconds.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ir/graph.h"
#include "machine/cluster.h"
#include "machine/measured_times.h"

namespace litz::passes {

/// What a collective moves; nothing for other nodes.
std::optional<machine::Traffic> traffic_of(const ir::Node& node);

/// The ranks of groups, as far as the graph's collectives tell.
std::map<std::string, int64_t> group_sizes(const ir::Graph& graph);

/// Multiplications and additions of products, convolutions and attention, and of the graphs that a
/// node calls; 0 for other operators, whose time goes into memory traffic.
double operations_of(const ir::Node& node);

/// Microseconds of a computation or a collective; nothing for nodes that it does not know.
using Estimator = std::function<std::optional<double>(const ir::Node&)>;

struct PriceOptions {
  PriceOptions() = default;

  PriceOptions(const machine::Cluster& given) : cluster(given) {}  // NOLINT: the usual case.

  machine::Cluster cluster;
  /// If positive: the number of ranks of the program's largest groups, in place of their own.
  int64_t world = 0;
  bool estimate_is_heavy = true;  ///< Computations that `estimate` knows count as heavy.
  Estimator estimate;             ///< First choice. Empty: knows nothing.
  std::shared_ptr<const machine::MeasuredTimes> measured;  ///< Second choice; may be null.
};

/// Prices of the nodes of one graph.
class NodePrices {
 public:
  NodePrices(const ir::Graph& graph, const PriceOptions& options);

  /// Microseconds of a node other than a collective or a wait; 0 for views.
  double compute_us(const ir::Node& node) const;
  /// Microseconds from a collective's start until its result is there.
  double collective_us(const ir::Node& start) const;
  /// The part of it that does not depend on sizes.
  double latency_us(const ir::Node& start) const;
  /// True for nodes that multiply, and for those whose time the estimator states: collectives are
  /// hidden behind them in the first place.
  bool is_heavy(const ir::Node& node) const;
  int64_t ranks_of(const ir::Node& start) const;

 private:
  std::optional<double> measured_us(const machine::MeasuredKind& kind, double amount) const;

  PriceOptions options_;
  std::map<std::string, int64_t> group_sizes_;
  int64_t largest_ = 0;
};

/// Bytes of a value's elements, if it is a tensor; sizes that only a call knows are estimated.
double bytes_of(ir::Value value);

}  // namespace litz::passes
