#include "passes/overlap/timeline.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "expr/estimate.h"
#include "ir/alias_classes.h"
#include "ir/collectives.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;
using machine::Traffic;

struct Row {
  std::string_view name;
  Traffic traffic;
};

// Forms of one operator begin with its name.
constexpr std::array kTraffic{
    Row{"_c10d_functional.all_gather", Traffic::all_gather},
    Row{"_c10d_functional.all_reduce", Traffic::all_reduce},
    Row{"_c10d_functional.all_to_all", Traffic::all_to_all},
    Row{"_c10d_functional.broadcast", Traffic::all_gather},
    Row{"_c10d_functional.irecv", Traffic::point_to_point},
    Row{"_c10d_functional.isend", Traffic::point_to_point},
    Row{"_c10d_functional.reduce_scatter", Traffic::reduce_scatter},
};

double bytes_of(const TensorType& type) {
  return estimate(type.numel()) * static_cast<double>(item_size(type.dtype));
}

double bytes_of(Value value) { return value.is_tensor() ? bytes_of(value.tensor()) : 0; }

double bytes_of(const Node& node) {
  double bytes = 0;
  for (size_t i = 0; i < node.input_count(); ++i) bytes += bytes_of(node.input(i));
  for (const Value output : node.outputs()) bytes += bytes_of(output);
  return bytes;
}

/// Multiplications and additions of a matrix product; 0 for other operators.
double product_operations(const Node& node) {
  constexpr std::array<std::string_view, 6> kProducts{"aten.mm",     "aten.bmm",   "aten.matmul",
                                                      "aten.linear", "aten.addmm", "aten.baddbmm"};
  if (std::ranges::find(kProducts, node.op().name()) == kProducts.end()) return 0;
  // The first operand of addmm and baddbmm is added.
  const size_t left = node.op().name().find("add") != std::string_view::npos ? 1 : 0;
  const TensorType& type = node.input(left).tensor();
  if (type.rank() == 0) return 0;
  return 2 * estimate(node.output().tensor().numel()) * estimate(type.sizes.back());
}

bool is_start(const Node& node) { return has(node.op().traits, Trait::collective_start); }

bool is_wait(const Node& node) { return has(node.op().traits, Trait::collective_wait); }

/// Follows computation and the groups' collectives along the graph.
class Clock {
 public:
  Clock(const ir::Graph& graph, const machine::Cluster& cluster) : prices_(graph, cluster) {}

  void visit(const Node& node) {
    if (is_start(node)) return start(node);
    if (is_wait(node)) return wait(node);
    const double time = prices_.compute_us(node);
    if (time == 0) return;
    line_.events.push_back({&node, now_, now_ + time, 0});
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
    line_.events.push_back({&node, begin, free, 0});
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

std::optional<Traffic> traffic_of(const Node& node) {
  if (!is_start(node)) return std::nullopt;
  for (const Row& row : kTraffic) {
    if (node.op().name().starts_with(row.name)) return row.traffic;
  }
  return std::nullopt;
}

std::map<std::string, int64_t> group_sizes(const ir::Graph& graph) {
  std::map<std::string, int64_t> sizes;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!is_start(*node) || node->op().schema.find("group_size") < 0) continue;
    const Expr size = node->scalar("group_size");
    if (size.is_constant()) sizes.emplace(ir::collective_group(*node), size.constant());
  }
  return sizes;
}

NodePrices::NodePrices(const ir::Graph& graph, const machine::Cluster& cluster)
    : cluster_(cluster), group_sizes_(group_sizes(graph)) {}

double NodePrices::compute_us(const Node& node) const {
  if (has(node.op().traits, Trait::view) || node.output_count() == 0) return 0;
  const auto* type = std::get_if<TensorType>(&node.output().type());
  if (type == nullptr) return 0;
  return machine::compute_us(product_operations(node), is_half(type->dtype), bytes_of(node),
                             cluster_);
}

double NodePrices::collective_us(const Node& start) const {
  const std::optional<Traffic> traffic = traffic_of(start);
  if (!traffic) return 0;
  const auto known = group_sizes_.find(ir::collective_group(start));
  const int64_t ranks = known != group_sizes_.end() ? known->second : cluster_.default_ranks;
  return machine::collective_us(*traffic, bytes_of(start), ranks, cluster_);
}

Timeline timeline(const ir::Graph& graph, const machine::Cluster& cluster) {
  Clock clock(graph, cluster);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) clock.visit(*node);
  return std::move(clock).finish();
}

double peak_bytes(const ir::Graph& graph) {
  const ir::AliasClasses aliases(graph);
  constexpr size_t kAlways = SIZE_MAX;

  struct Memory {
    double bytes = 0;
    size_t made = kAlways;  // Position of the node that made it; kAlways: an input.
    size_t last = 0;        // Of the last one that needs it.
  };

  std::vector<Memory> memories(aliases.class_count());
  std::vector<uint32_t> same(aliases.class_count());  // A wait's result is that of its collective.
  for (uint32_t i = 0; i < same.size(); ++i) same[i] = i;
  const auto memory_of = [&](Value value) -> Memory* {
    if (!value || !value.is_tensor()) return nullptr;
    return &memories[same[aliases.class_of(value)]];
  };
  size_t at = 0;
  for (const Node* node = graph.first(); node != nullptr; node = node->next(), ++at) {
    const auto need = [&](Value value) {
      if (Memory* memory = memory_of(value)) memory->last = at;
    };
    for (size_t i = 0; i < node->input_count(); ++i) need(node->input(i));
    const Node* start = is_wait(*node) ? node->input(0).producer() : nullptr;
    if (start != nullptr && is_start(*start)) {
      same[aliases.class_of(node->output())] = same[aliases.class_of(node->input(0))];
      for (size_t i = 0; i < start->input_count(); ++i) need(start->input(i));
      continue;
    }
    for (const Value output : node->outputs()) {
      Memory* memory = memory_of(output);
      const bool is_new = memory != nullptr && aliases.base(output) == output;
      if (!is_new) continue;
      *memory = {memory->bytes + bytes_of(output), at, at};
    }
  }
  for (const ir::Argument& output : graph.outputs()) {
    if (!output.is_value()) continue;
    if (Memory* memory = memory_of(output.value())) memory->last = at;
  }
  std::vector<double> change(at + 2);
  for (const Memory& memory : memories) {
    if (memory.made == kAlways) continue;
    change[memory.made] += memory.bytes;
    change[memory.last + 1] -= memory.bytes;
  }
  double live = 0;
  double peak = 0;
  for (const double bytes : change) peak = std::max(peak, live += bytes);
  return peak;
}

}  // namespace litz::passes
