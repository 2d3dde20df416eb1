// Prices along the order of a graph. See timeline.h.

#include "passes/overlap/timeline.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "ir/collectives.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;

/// Follows computation and the groups' collectives along the graph.
class Clock {
 public:
  Clock(const ir::Graph& graph, const PriceOptions& options) : prices_(graph, options) {}

  void visit(const Node& node) {
    if (has(node.op().traits, Trait::collective_start)) return start(node);
    if (has(node.op().traits, Trait::collective_wait)) return wait(node);
    const double time = prices_.compute_us(node);
    if (time == 0) return;
    line_.events.push_back({&node, now_, now_ + time, 0, now_, false});
    line_.compute_us += time;
    now_ += time;
  }

  Timeline finish() && {
    for (const TimelineEvent& event : line_.events) now_ = std::max(now_, event.end);
    line_.total_us = now_;
    line_.exposed_us = line_.total_us - line_.compute_us;
    return std::move(line_);
  }

 private:
  void start(const Node& node) {
    double& free = free_[ir::collective_group(node)];
    const double time = prices_.collective_us(node);
    const double begin = std::max(now_, free);
    free = begin + time;
    line_.communication_us += time;
    running_.emplace(&node, line_.events.size());
    line_.events.push_back({&node, begin, free, 0, now_, true});
  }

  void wait(const Node& node) {
    if (node.input_count() == 0) return;
    const auto found = running_.find(node.input(0).producer());
    if (found == running_.end()) return;
    TimelineEvent& event = line_.events[found->second];
    event.exposed += std::max(0.0, event.end - now_);
    now_ = std::max(now_, event.end);
  }

  NodePrices prices_;
  Timeline line_;
  double now_ = 0;
  std::map<std::string, double> free_;               // By group: when its last collective ends.
  std::unordered_map<const Node*, size_t> running_;  // The event of a start; for lookup only.
};

}  // namespace

Timeline timeline(const ir::Graph& graph, const PriceOptions& options) {
  Clock clock(graph, options);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) clock.visit(*node);
  return std::move(clock).finish();
}

std::vector<std::vector<const Node*>> hidden_by(const Timeline& line) {
  std::vector<size_t> computations;  // Ascending in time, since one stream runs them.
  for (size_t i = 0; i < line.events.size(); ++i) {
    if (!line.events[i].is_collective) computations.push_back(i);
  }
  std::vector<std::vector<const Node*>> hiding(line.events.size());
  for (size_t i = 0; i < line.events.size(); ++i) {
    const TimelineEvent& event = line.events[i];
    if (!event.is_collective) continue;
    auto at = std::partition_point(computations.begin(), computations.end(),
                                   [&](size_t k) { return line.events[k].end <= event.begin; });
    for (; at != computations.end() && line.events[*at].begin < event.end; ++at) {
      hiding[i].push_back(line.events[*at].node);
    }
  }
  return hiding;
}

}  // namespace litz::passes
