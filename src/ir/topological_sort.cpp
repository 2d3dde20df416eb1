// In-place topological sort. See topological_sort.h.

#include "ir/topological_sort.h"

#include <functional>
#include <queue>
#include <unordered_map>

#include "ir/printer.h"
#include "support/check.h"

namespace litz::ir {
namespace {

constexpr size_t kShownNodes = 8;

class Sorter {
 public:
  Sorter(const Graph& graph, std::span<const std::pair<Node*, Node*>> extra)
      : nodes_(graph.in_order()) {
    position_.reserve(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) position_.emplace(nodes_[i]->id(), i);
    waiting_.resize(nodes_.size());
    readers_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (size_t k = 0; k < nodes_[i]->input_count(); ++k) {
        if (const Node* producer = nodes_[i]->input(k).producer()) edge(position(*producer), i);
      }
    }
    for (const auto& [first, second] : graph.order_edges()) {
      edge(position(*first), position(*second));
    }
    for (const auto& [first, second] : extra) edge(position(*first), position(*second));
  }

  std::vector<Node*> earliest() { return complete(run_ready()); }

  bool has_cycle() { return run_ready().size() < nodes_.size(); }

  std::vector<Node*> after_inputs() {
    std::vector<Node*> order;
    std::vector<bool> visited(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      visited[i] = true;
      if (waiting_[i] > 0) continue;  // Runs after the last of its inputs.
      // Depth first, in the old order: waiting readers come before any later node.
      std::vector<size_t> stack{i};
      while (!stack.empty()) {
        const size_t next = stack.back();
        stack.pop_back();
        order.push_back(nodes_[next]);
        for (size_t k = readers_[next].size(); k-- > 0;) {
          const size_t reader = readers_[next][k];
          if (--waiting_[reader] == 0 && visited[reader]) stack.push_back(reader);
        }
      }
    }
    return complete(std::move(order));
  }

 private:
  std::vector<Node*> run_ready() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (waiting_[i] == 0) ready.push(i);
    }
    std::vector<Node*> order;
    while (!ready.empty()) {
      const size_t i = ready.top();
      ready.pop();
      order.push_back(nodes_[i]);
      for (const size_t reader : readers_[i]) {
        if (--waiting_[reader] == 0) ready.push(reader);
      }
    }
    return order;
  }

  size_t position(const Node& node) const { return position_.at(node.id()); }

  void edge(size_t first, size_t second) {
    readers_[first].push_back(second);
    ++waiting_[second];
  }

  std::vector<Node*> complete(std::vector<Node*> order) const {
    if (order.size() == nodes_.size()) return order;
    std::string stuck;
    size_t shown = 0;
    for (size_t i = 0; i < nodes_.size() && shown < kShownNodes; ++i) {
      if (waiting_[i] == 0) continue;
      stuck += "\n  " + to_string(*nodes_[i]);
      ++shown;
    }
    check(false, "a sortable graph has no cycles; this graph has cycles through", stuck);
    return order;
  }

  std::vector<Node*> nodes_;
  std::unordered_map<uint32_t, size_t> position_;
  std::vector<size_t> waiting_;  ///< Edges from nodes that did not run yet.
  std::vector<std::vector<size_t>> readers_;
};

}  // namespace

bool sort_topologically(Graph& graph, SortRule rule,
                        std::span<const std::pair<Node*, Node*>> extra) {
  Sorter sorter(graph, extra);
  const std::vector<Node*> order =
      rule == SortRule::earliest ? sorter.earliest() : sorter.after_inputs();
  bool moved = false;
  Node* place = graph.first();
  for (Node* node : order) {
    if (node == place) {
      place = place->next();
    } else {
      graph.move_before(node, place);
      moved = true;
    }
  }
  return moved;
}

bool is_acyclic(const Graph& graph) { return !Sorter(graph, {}).has_cycle(); }

}  // namespace litz::ir
