// Splits graphs into parts. See split.h.

#include "passes/partition/split.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "ir/dependences.h"
#include "ir/graph_data.h"
#include "ir/printer.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;
using ir::ValueData;

/// A unit of the order: a part, or a node that stays outside.
struct Unit {
  std::string name;  ///< The part's name; empty for a lone node.
  std::vector<Node*> nodes = {};
  std::vector<size_t> readers = {};  ///< Units that depend on it, repeats included.
  size_t waits_for = 0;
  std::vector<Value> operands = {};
  std::vector<Value> results = {};

  bool is_part() const { return !name.empty(); }
};

class Splitter {
 public:
  Splitter(Graph& graph, const SplitOptions& options) : graph_(graph), options_(options) {}

  void add(Node* node, const std::string& part) {
    const size_t next = units_.size();
    const size_t unit = part.empty() ? next : by_name_.try_emplace(part, next).first->second;
    if (unit == next) units_.push_back({.name = part});
    units_[unit].nodes.push_back(node);
    unit_of_.emplace(node, unit);
  }

  std::vector<SplitPart> split() {
    if (by_name_.empty()) return {};
    connect();
    order_ = options_.order == SplitOrder::original ? original_order() : dependency_order();
    find_boundaries();
    return rebuild();
  }

 private:
  void connect() {
    for (size_t i = 0; i < units_.size(); ++i) {
      for (const Node* node : units_[i].nodes) {
        for (size_t k = 0; k < node->input_count(); ++k) {
          if (const Node* producer = node->input(k).producer()) depend(unit_of_.at(producer), i);
        }
      }
    }
    hidden_ = ir::hidden_dependences(graph_);
    for (const auto& [first, second] : hidden_) {
      depend(unit_of_.at(first), unit_of_.at(second));
    }
  }

  void depend(size_t first, size_t second) {
    if (first == second) return;
    units_[first].readers.push_back(second);
    ++units_[second].waits_for;
  }

  std::string spell(size_t unit) const {
    return units_[unit].is_part() ? units_[unit].name : ir::to_string(*units_[unit].nodes.front());
  }

  std::vector<size_t> original_order() const {
    std::vector<size_t> order(units_.size());
    for (size_t i = 0; i < units_.size(); ++i) {
      order[i] = i;
      for (const size_t reader : units_[i].readers) {
        if (i < reader) continue;
        fail(ErrorCode::invalid_argument,
             "parts in original order must not depend on later ones: part", spell(reader),
             "depends on", spell(i));
      }
    }
    return order;
  }

  std::vector<size_t> dependency_order() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].waits_for == 0) ready.push(i);
    }
    std::vector<size_t> order;
    order.reserve(units_.size());
    while (!ready.empty()) {
      const size_t unit = ready.top();
      ready.pop();
      order.push_back(unit);
      for (const size_t reader : units_[unit].readers) {
        if (--units_[reader].waits_for == 0) ready.push(reader);
      }
    }
    if (order.size() < units_.size()) refuse_circle();
    return order;
  }

  // Every waiting unit depends on another waiting one, so walking back finds a cycle.
  [[noreturn]] void refuse_circle() const {
    std::vector<size_t> waits_for(units_.size(), units_.size());
    size_t at = units_.size();
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].waits_for == 0) continue;
      for (const size_t reader : units_[i].readers) waits_for[reader] = i;
      at = i;
    }
    std::vector<size_t> path;
    std::vector<bool> visited(units_.size());
    while (!visited[at]) {
      visited[at] = true;
      path.push_back(at);
      at = waits_for[at];
    }
    path.erase(path.begin(), std::ranges::find(path, at));
    path.push_back(at);
    std::vector<std::string> names;
    for (auto unit = path.rbegin(); unit != path.rend(); ++unit) names.push_back(spell(*unit));
    fail(ErrorCode::invalid_argument,
         "parts must not depend on each other in a circle:", join(names, " -> "));
  }

  void find_boundaries() {
    std::unordered_map<const ValueData*, bool> leaves;
    const auto leave = [&](Value value, size_t reader) {
      const Node* producer = value.producer();
      if (producer == nullptr) return;
      Unit& maker = units_[unit_of_.at(producer)];
      if (unit_of_.at(producer) == reader || !maker.is_part()) return;
      if (leaves.emplace(value.data(), true).second) maker.results.push_back(value);
    };
    for (const size_t i : order_) {
      Unit& unit = units_[i];
      std::unordered_map<const ValueData*, bool> seen;
      for (const Node* node : unit.nodes) {
        for (size_t k = 0; k < node->input_count(); ++k) {
          const Value value = node->input(k);
          leave(value, i);
          const bool inside = value.producer() != nullptr && unit_of_.at(value.producer()) == i;
          if (!inside && seen.emplace(value.data(), true).second) unit.operands.push_back(value);
        }
      }
    }
    const Node& end = *graph_.return_node();
    for (size_t k = 0; k < end.input_count(); ++k) leave(end.input(k), units_.size());
    // Data-dependent sizes leave a part with the values that define them.
    for (const auto& [first, second] : hidden_) {
      if (!ir::has(first->op().traits, ir::Trait::data_dependent)) continue;
      for (const Value output : first->outputs()) leave(output, unit_of_.at(second));
    }
    if (options_.boundary == BoundaryOrder::first_use) return;
    for (Unit& unit : units_) {
      std::ranges::sort(unit.operands, stands_before);
      std::ranges::sort(unit.results, stands_before);
    }
  }

  std::vector<SplitPart> rebuild() {
    std::vector<SplitPart> parts;
    for (const size_t i : order_) {
      const Unit& unit = units_[i];
      if (unit.is_part()) {
        parts.push_back(make_part(unit));
      } else {
        graph_.move_before(unit.nodes.front(), graph_.return_node());
      }
    }
    rewire(parts);
    return parts;
  }

  SplitPart make_part(const Unit& unit) {
    SplitPart part{.name = unit.name};
    std::string name = graph_.name() + "." + options_.prefix + unit.name;
    part.graph = &graph_.module().add_graph(std::move(name));
    std::unordered_map<const ValueData*, Value> map;
    for (const Value operand : unit.operands) {
      map.emplace(operand.data(), part.graph->add_input(operand.name(), operand.type()));
    }
    for (const Node* node : unit.nodes) {
      Node* copy = part.graph->clone(*node, [&](Value value) { return map.at(value.data()); });
      copies_.emplace(node, copy);
      for (const Value output : node->outputs()) {
        map.emplace(output.data(), copy->output(output.index()));
      }
      part.nodes.push_back(node->output_count() > 0 ? node->output().name() : "");
    }
    std::vector<Argument> outputs;
    std::vector<ir::ValueType> types;
    for (const Value result : unit.results) {
      outputs.emplace_back(map.at(result.data()));
      types.push_back(result.type());
    }
    part.graph->set_outputs(std::move(outputs));
    part.call = call(unit, *part.graph, std::move(types));
    return part;
  }

  Node* call(const Unit& unit, const Graph& child, std::vector<ir::ValueType> types) {
    std::vector<Value> operands;
    for (const Value operand : unit.operands) {
      const auto moved = moved_.find(operand.data());
      operands.push_back(moved != moved_.end() ? moved->second : operand);
    }
    const ir::OpInfo* op = graph_.module().ops().find("higher_order.invoke_subgraph");
    check(op != nullptr, "an operator set must know calls of graphs to split with it");
    const auto scope = graph_.insert_for(graph_.return_node(), {});
    Node* made = graph_.create_typed(
        *op, {Argument(ir::GraphRef{child.id()}), Argument(std::move(operands))}, std::move(types));
    graph_.set_location(made, unit.nodes.front()->location());
    for (size_t i = 0; i < unit.results.size(); ++i) {
      moved_.emplace(unit.results[i].data(), made->output(i));
    }
    return made;
  }

  void rewire(std::span<const SplitPart> parts) {
    std::unordered_map<size_t, Node*> calls;
    size_t next = 0;
    for (const size_t i : order_) {
      if (units_[i].is_part()) calls.emplace(i, parts[next++].call);
    }
    const std::vector<std::pair<Node*, Node*>> edges(graph_.order_edges().begin(),
                                                     graph_.order_edges().end());
    for (const auto& [first, second] : edges) {
      const size_t a = unit_of_.at(first);
      const size_t b = unit_of_.at(second);
      if (a == b && units_[a].is_part()) {
        copies_.at(first)->graph().add_order_edge(copies_.at(first), copies_.at(second));
      } else if (units_[a].is_part() || units_[b].is_part()) {
        graph_.add_order_edge(units_[a].is_part() ? calls.at(a) : first,
                              units_[b].is_part() ? calls.at(b) : second);
      }
    }
    for (const size_t i : order_) {
      if (!units_[i].is_part()) continue;
      for (const Value result : units_[i].results) graph_.replace_uses(result, moved(result));
    }
    std::vector<std::pair<Value, std::string>> names;
    for (auto unit = order_.rbegin(); unit != order_.rend(); ++unit) {
      if (!units_[*unit].is_part()) continue;
      for (const Value result : units_[*unit].results) {
        names.emplace_back(moved(result), result.name());
      }
      const std::vector<Node*>& nodes = units_[*unit].nodes;
      for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) graph_.erase(*node);
    }
    for (const auto& [value, name] : names) graph_.set_name(value, name);
  }

  Value moved(Value value) const { return moved_.at(value.data()); }

  Graph& graph_;
  const SplitOptions& options_;
  std::vector<Unit> units_;  ///< Ordered by first node.
  std::map<std::string, size_t> by_name_;
  std::unordered_map<const Node*, size_t> unit_of_;
  std::vector<std::pair<Node*, Node*>> hidden_;
  std::vector<size_t> order_;
  std::unordered_map<const Node*, Node*> copies_;
  std::unordered_map<const ValueData*, Value> moved_;  ///< Maps values to results of calls.
};

}  // namespace

bool stands_before(Value a, Value b) {
  const Node* first = a.producer();
  const Node* second = b.producer();
  if (first == second) return a.index() < b.index();
  if (first == nullptr || second == nullptr) return first == nullptr;
  return first->is_before(*second);
}

std::vector<SplitPart> split_graph(Graph& graph, const PartOf& part_of,
                                   const SplitOptions& options) {
  Splitter splitter(graph, options);
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    const int64_t part = part_of(*node);
    splitter.add(node, part < 0 ? "" : std::to_string(part));
  }
  return splitter.split();
}

std::vector<SplitPart> split_by_tags(Graph& graph, std::span<const std::string> tags,
                                     const std::function<std::string_view(const Node&)>& tag_of,
                                     const SplitOptions& options) {
  std::map<std::string_view, size_t> rank;
  for (size_t i = 0; i < tags.size(); ++i) {
    require(!tags[i].empty() && rank.emplace(tags[i], i).second, ErrorCode::invalid_argument,
            "tags must be distinct words:", quote(tags[i]));
  }
  Splitter splitter(graph, options);
  size_t last = 0;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    const auto found = rank.find(tag_of(*node));
    // Spelling a node takes time linear in the graph, so it happens only on failure.
    if (found == rank.end()) {
      fail(ErrorCode::invalid_argument, "every node must have one of the tags", join(tags, ", "),
           "-", ir::node_context(*node));
    }
    if (found->second < last) {
      fail(ErrorCode::invalid_argument,
           "tags must not decrease along the graph:", tags[found->second], "after", tags[last], "-",
           ir::node_context(*node));
    }
    last = found->second;
    splitter.add(node, tags[last]);
  }
  return splitter.split();
}

}  // namespace litz::passes
