#include "passes/overlap/units.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <unordered_map>

#include "ir/child_graphs.h"
#include "ir/collectives.h"
#include "passes/bucketing/ancestors.h"
#include "passes/bucketing/selection.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;

bool is_start(const Node& node) { return has(node.op().traits, Trait::collective_start); }

bool is_wait(const Node& node) { return has(node.op().traits, Trait::collective_wait); }

/// Called graphs with collectives keep their place among all starts.
class CallsWithCollectives {
 public:
  bool operator()(const Node& node) {
    if (!has(node.op().traits, Trait::higher_order)) return false;
    return std::ranges::any_of(ir::child_graphs(node),
                               [&](const ir::Graph* child) { return contains(*child); });
  }

 private:
  bool contains(const ir::Graph& graph) {
    const auto [known, is_new] = known_.try_emplace(graph.id(), false);
    if (!is_new) return known->second;
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (is_start(*node) || is_wait(*node) || (*this)(*node)) return known_[graph.id()] = true;
    }
    return false;
  }

  std::unordered_map<uint32_t, bool> known_;
};

/// What fusion may make part of one kernel.
bool is_fusible(const Node& node) {
  if (is_start(node) || is_wait(node) || node.output_count() == 0) return false;
  if (has(node.op().traits, Trait::side_effect | Trait::higher_order | Trait::data_dependent)) {
    return false;
  }
  return has(node.op().traits, Trait::view | Trait::pointwise | Trait::copy);
}

/// Connected fusible nodes between two that are not.
class Regions {
 public:
  Regions(std::span<Node* const> nodes, std::span<const std::pair<uint32_t, uint32_t>> edges)
      : parent_(nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    std::vector<uint32_t> run(nodes.size());
    uint32_t runs = 0;
    for (size_t i = 0; i < nodes.size(); ++i) run[i] = is_fusible(*nodes[i]) ? runs : ++runs;
    for (const auto& [first, second] : edges) {
      const bool joins =
          run[first] == run[second] && is_fusible(*nodes[first]) && is_fusible(*nodes[second]);
      if (joins) parent_[find(second)] = find(first);
    }
    computing_.resize(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (!has(nodes[i]->op().traits, Trait::view)) ++computing_[find(i)];
    }
  }

  /// The node that stands for the region of a node: itself outside of regions.
  uint32_t region(uint32_t node) {
    const uint32_t root = find(node);
    return computing_[root] < 2 ? node : root;
  }

 private:
  uint32_t find(uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  std::vector<uint32_t> parent_;
  std::vector<uint32_t> computing_;  ///< By root: nodes that are no views.
};

/// Reads what comes from outside once, and writes what is read outside once.
double region_us(std::span<Node* const> nodes, const Unit& unit, const PriceOptions& prices) {
  std::unordered_map<const Node*, bool> inside;  // For lookup only.
  for (const uint32_t node : unit.nodes) inside.emplace(nodes[node], true);
  std::set<std::pair<const Node*, size_t>> read;  // For lookup only; inputs have no producer.
  double bytes = 0;
  for (const uint32_t at : unit.nodes) {
    const Node& node = *nodes[at];
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Value input = node.input(i);
      if (inside.contains(input.producer())) continue;
      if (read.emplace(input.producer(), input.index()).second) bytes += bytes_of(input);
    }
    for (const Value output : node.outputs()) {
      const auto users = output.users();
      const bool is_read_outside =
          std::ranges::any_of(users, [&](const Node* user) { return !inside.contains(user); });
      if (is_read_outside && !has(node.op().traits, Trait::view)) bytes += bytes_of(output);
    }
  }
  return machine::compute_us(0, false, bytes, prices.cluster);
}

class UnitBuilder {
 public:
  UnitBuilder(const ir::Graph& graph, const PriceOptions& options, const UnitOptions& choices,
              Units& units)
      : graph_(graph), options_(options), prices_(graph, options), units_(units) {
    units.nodes = graph.in_order();
    position_.reserve(units.nodes.size());
    for (uint32_t i = 0; i < units.nodes.size(); ++i) position_.emplace(units.nodes[i], i);
    find_edges(choices.keeps_order);
    make_units(choices.joins_regions);
    connect();
  }

 private:
  void find_edges(bool keeps_order) {
    for (uint32_t i = 0; i < units_.nodes.size(); ++i) {
      const Node& node = *units_.nodes[i];
      for (size_t k = 0; k < node.input_count(); ++k) {
        if (const Node* producer = node.input(k).producer()) add_edge(producer, i);
      }
    }
    for (const auto& [first, second] : kept_dependences(graph_, keeps_order)) {
      add_edge(first, position_.at(second));
    }
  }

  void add_edge(const Node* first, uint32_t second) {
    edges_.emplace_back(position_.at(first), second);
  }

  void make_units(bool joins_regions) {
    unit_of_.resize(units_.nodes.size(), kNoUnit);
    Regions regions(units_.nodes, joins_regions ? edges_ : decltype(edges_)());
    std::unordered_map<uint32_t, uint32_t> unit_of_region;  // For lookup only.
    for (uint32_t i = 0; i < units_.nodes.size(); ++i) {
      const auto [known, is_new] =
          unit_of_region.try_emplace(regions.region(i), static_cast<uint32_t>(units_.all.size()));
      unit_of_[i] = known->second;
      if (is_new) {
        units_.all.push_back(unit(*units_.nodes[i]));
      }
      units_.all[known->second].nodes.push_back(i);
    }
    for (Unit& unit : units_.all) {
      if (unit.nodes.size() > 1) unit.us = region_us(units_.nodes, unit, options_);
    }
    units_.group_count = groups_.size();
  }

  Unit unit(const Node& node) {
    Unit unit;
    if (is_start(node)) {
      unit.kind = UnitKind::start;
      unit.us = prices_.collective_us(node);
      unit.latency_us = prices_.latency_us(node);
      unit.group = number(groups_, ir::collective_group(node));
      const auto kind = bucketed_kind(node);
      unit.key = number(keys_, kind ? bucket_key(node, *kind, BucketMode::plain)
                                    : "alone " + std::to_string(node.id()));
      for (size_t i = 0; i < node.input_count(); ++i) unit.bytes += bytes_of(node.input(i));
      for (const Value output : node.outputs()) unit.bytes += bytes_of(output);
    } else if (is_wait(node)) {
      const Node* start = node.input_count() > 0 ? node.input(0).producer() : nullptr;
      if (start == nullptr || !is_start(*start)) return unit;  // Started outside of the graph.
      unit.kind = UnitKind::wait;
      unit.start = unit_of_[position_.at(start)];
    } else {
      unit.us = prices_.compute_us(node);
      unit.is_heavy = unit.us > 0 && prices_.is_heavy(node);
    }
    return unit;
  }

  static uint32_t number(std::map<std::string, uint32_t>& numbers, const std::string& text) {
    return numbers.try_emplace(text, static_cast<uint32_t>(numbers.size())).first->second;
  }

  void connect() {
    units_.needs.resize(units_.all.size());
    units_.needed_by.resize(units_.all.size());
    for (const auto& [first, second] : edges_) {
      if (unit_of_[first] != unit_of_[second]) {
        units_.needs[unit_of_[second]].push_back(unit_of_[first]);
      }
    }
    for (uint32_t i = 0; i < units_.all.size(); ++i) {
      std::vector<uint32_t>& needs = units_.needs[i];
      std::ranges::sort(needs);
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      for (const uint32_t need : needs) units_.needed_by[need].push_back(i);
    }
    sort();
  }

  /// Regions may need units that begin behind them.
  void sort() {
    std::vector<size_t> waiting;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < units_.all.size(); ++i) {
      waiting.push_back(units_.needs[i].size());
      if (waiting[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
      const uint32_t unit = ready.top();
      ready.pop();
      units_.order.push_back(unit);
      for (const uint32_t user : units_.needed_by[unit]) {
        if (--waiting[user] == 0) ready.push(user);
      }
    }
    check(units_.order.size() == units_.all.size(), "units must not need each other");
  }

  const ir::Graph& graph_;
  const PriceOptions& options_;
  NodePrices prices_;
  Units& units_;
  std::unordered_map<const Node*, uint32_t> position_;  // For lookup only.
  std::vector<std::pair<uint32_t, uint32_t>> edges_;    // Between positions.
  std::vector<uint32_t> unit_of_;                       // By position.
  std::map<std::string, uint32_t> groups_;
  std::map<std::string, uint32_t> keys_;
};

}  // namespace

Units::Units(const ir::Graph& graph, const PriceOptions& prices, const UnitOptions& options) {
  const UnitBuilder builder(graph, prices, options, *this);
}

std::vector<Node*> Units::nodes_of(const std::vector<uint32_t>& units) const {
  std::vector<Node*> found;
  found.reserve(nodes.size());
  for (const uint32_t unit : units) {
    for (const uint32_t node : all[unit].nodes) found.push_back(nodes[node]);
  }
  return found;
}

void arrange(ir::Graph& graph, const std::vector<Node*>& order) {
  Node* place = graph.first();
  for (Node* node : order) {
    if (node == place) {
      place = place->next();
    } else {
      graph.move_before(node, place == nullptr ? graph.return_node() : place);
    }
  }
}

std::vector<std::pair<Node*, Node*>> kept_dependences(const ir::Graph& graph, bool keeps_order) {
  std::vector<std::pair<Node*, Node*>> pairs = fixed_dependences(graph);
  CallsWithCollectives has_collectives;
  Node* fixed = nullptr;              // The last transfer or call with collectives.
  std::vector<Node*> since;           // Starts after it.
  std::map<std::string, Node*> last;  // By group.
  for (Node* node : graph.in_order()) {
    const bool starts = is_start(*node);
    const bool is_fixed = starts ? traffic_of(*node).value_or(machine::Traffic::point_to_point) ==
                                       machine::Traffic::point_to_point
                                 : has_collectives(*node);
    if (!starts && !is_fixed) continue;
    if (fixed != nullptr) pairs.emplace_back(fixed, node);
    if (starts && keeps_order) {
      Node*& before = last[ir::collective_group(*node)];
      if (before != nullptr) pairs.emplace_back(before, node);
      before = node;
    }
    if (!is_fixed) {
      since.push_back(node);
      continue;
    }
    for (Node* start : since) pairs.emplace_back(start, node);
    since.clear();
    fixed = node;
  }
  return pairs;
}

}  // namespace litz::passes
