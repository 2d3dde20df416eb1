// The best of some orders. See schedule.h.

#include "passes/overlap/schedule.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "passes/overlap/list_scheduler.h"
#include "passes/overlap/live_memory.h"
#include "passes/overlap/opportunities.h"
#include "passes/overlap/schedule_rules.h"
#include "passes/overlap/timeline.h"
#include "passes/overlap/units.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
// A schedule that needs too much memory is made again with less room for what it starts early.
constexpr int kMostAttempts = 4;
// Less is the error of sums.
constexpr double kNothing_us = 1e-6;

double allowed_peak(double peak, const OverlapOptions& options) {
  if (!options.extra_bytes && !options.extra_share) return kUnlimited;
  const double share = options.extra_share.value_or(0);
  require(options.extra_bytes.value_or(0) >= 0 && share >= 0,
          "extra memory of a schedule must not be negative:", share);
  return peak + std::max(options.extra_bytes.value_or(0), share * peak);
}

bool has_collectives(const ir::Graph& graph) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (has(node->op().traits, Trait::collective_start)) return true;
  }
  return false;
}

}  // namespace

size_t OverlapReport::exposed() const {
  return static_cast<size_t>(std::ranges::count_if(
      collectives, [](const auto& each) { return each.exposed_us > kNothing_us; }));
}

size_t OverlapReport::bad_exposed() const {
  return static_cast<size_t>(std::ranges::count_if(collectives, [](const auto& each) {
    return each.exposed_us > kNothing_us && each.can_be_hidden;
  }));
}

OverlapReport describe_overlap(const ir::Graph& graph, const PriceOptions& prices) {
  OverlapReport report;
  const Timeline line = timeline(graph, prices);
  std::vector<std::vector<const Node*>> hiding = hidden_by(line);
  for (size_t i = 0; i < line.events.size(); ++i) {
    const TimelineEvent& event = line.events[i];
    if (!event.is_collective) continue;
    OverlappedCollective& each = report.collectives.emplace_back();
    each.start = graph.find_node(event.node->id());
    each.us = event.end - event.begin;
    each.exposed_us = event.exposed;
    each.hidden_by = std::move(hiding[i]);
  }
  report.exposed_us = report.exposed_before_us = line.exposed_us;
  report.peak = report.peak_before = peak_bytes(graph);
  return report;
}

OverlapReport schedule_collectives(ir::Graph& graph, const OverlapOptions& options) {
  if (!has_collectives(graph)) return describe_overlap(graph, options.prices);
  const ScheduleRules rules(graph, options.prices, options.keeps_order);
  const double exposed_before = timeline(graph, options.prices).exposed_us;
  const double peak_before = peak_bytes(graph);
  const double allowed = allowed_peak(peak_before, options);
  const Units units(graph, options.prices, {options.keeps_order, options.joins_regions});
  const MemoryUse memory(graph);
  ListLimits limits{options.overlap_factor, options.in_flight_bytes, options.prefetch_distance,
                    std::nullopt, options.assumes_buckets};
  if (allowed < kUnlimited) limits.peak_bytes = allowed;
  bool found = false;
  for (int attempt = 0; attempt < kMostAttempts && !found; ++attempt) {
    arrange(graph, units.nodes_of(list_schedule(units, memory, limits)));
    found = peak_bytes(graph) <= allowed &&
            timeline(graph, options.prices).exposed_us <= exposed_before;
    if (!limits.peak_bytes) break;
    *limits.peak_bytes -= (allowed - peak_before) / (kMostAttempts - 1);
  }
  if (!found) arrange(graph, units.nodes);
  const std::string broken = rules.broken(graph, allowed);
  check(broken.empty(), "a schedule keeps its rules:", broken);
  OverlapReport report = describe_overlap(graph, options.prices);
  find_opportunities(graph, options.prices, report);
  report.exposed_before_us = exposed_before;
  report.peak_before = peak_before;
  report.allowed_peak = allowed;
  return report;
}

void keep_overlap(ir::Graph& graph, const OverlapReport& report) {
  for (const OverlappedCollective& each : report.collectives) {
    for (const Node* hiding : each.hidden_by) {
      Node* between = graph.find_node(hiding->id());
      if (each.start->is_before(*between)) graph.add_order_edge(each.start, between);
      for (const ir::Value output : each.start->outputs()) {
        for (Node* wait : output.users()) {
          const bool waits = has(wait->op().traits, Trait::collective_wait);
          if (waits && between->is_before(*wait)) graph.add_order_edge(between, wait);
        }
      }
    }
  }
}

}  // namespace litz::passes
