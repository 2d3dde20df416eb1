#include "passes/overlap/schedule_rules.h"

#include <algorithm>

#include "ir/collectives.h"
#include "ir/printer.h"
#include "passes/overlap/live_memory.h"
#include "passes/overlap/timeline.h"
#include "passes/overlap/units.h"

namespace litz::passes {
namespace {

using ir::Node;

// Sums of the same times in another order.
constexpr double kRounding = 1e-9;

std::map<std::string, std::vector<uint32_t>> starts_by_group(const ir::Graph& graph) {
  std::map<std::string, std::vector<uint32_t>> starts;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (has(node->op().traits, ir::Trait::collective_start)) {
      starts[ir::collective_group(*node)].push_back(node->id());
    }
  }
  for (auto& [group, ids] : starts) std::ranges::sort(ids);
  return starts;
}

std::string wrong_order(const Node& first, const Node& second) {
  return "a node must come after what it depends on: " + ir::to_string(second) + " before " +
         ir::to_string(first);
}

}  // namespace

ScheduleRules::ScheduleRules(const ir::Graph& graph, const PriceOptions& prices, bool keeps_order)
    : kept_(kept_dependences(graph, keeps_order)),
      starts_(starts_by_group(graph)),
      prices_(prices),
      exposed_us_(timeline(graph, prices).exposed_us) {}

std::string ScheduleRules::broken(const ir::Graph& graph, double allowed_peak) const {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Node* producer = node->input(i).producer();
      if (producer != nullptr && !producer->is_before(*node)) return wrong_order(*producer, *node);
    }
  }
  for (const auto& [first, second] : kept_) {
    if (!first->is_before(*second)) return wrong_order(*first, *second);
  }
  if (starts_by_group(graph) != starts_) return "groups must start the collectives of before";
  const double peak = peak_bytes(graph);
  if (peak > allowed_peak) {
    return "peak memory must be at most " + std::to_string(allowed_peak) +
           " bytes: " + std::to_string(peak);
  }
  const double exposed = timeline(graph, prices_).exposed_us;
  if (exposed > exposed_us_ + kRounding * (1 + exposed_us_)) {
    return "computation must not wait longer than " + std::to_string(exposed_us_) +
           " us: " + std::to_string(exposed);
  }
  return "";
}

}  // namespace litz::passes
