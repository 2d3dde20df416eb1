#include "autodiff/recompute.h"

#include <unordered_map>
#include <unordered_set>

namespace litz::autodiff {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

bool is_view(const Node& node) { return has(node.op().traits, ir::Trait::view); }

class Repetition {
 public:
  Repetition(Graph& graph, const SavedOptions& options) : graph_(graph), joint_(graph) {
    for (const Value value : choose_saved(graph, joint_, options)) saved_.insert(value.data());
  }

  size_t run() {
    for (const EarlyNode& each : joint_.early()) {
      if (is_between(each) && is_saved(*each.node)) compute_early(each.node);
    }
    const std::span<const EarlyNode> all = joint_.early();
    for (size_t i = all.size(); i-- > 0;) {
      if (is_between(all[i]) && !is_early_.contains(all[i].node)) compute_late(all[i].node);
    }
    for (Node* node : graph_.in_order()) {
      const EarlyNode* early = joint_.find(node);
      if (early == nullptr || (is_between(*early) && !is_early_.contains(node))) read_again(node);
    }
    return copies_.size();
  }

 private:
  /// What only the backward part reads stands in it, though it could be computed before.
  static bool is_between(const EarlyNode& each) { return !each.is_forward; }

  bool is_saved(const Node& node) const {
    for (const Value output : node.outputs()) {
      if (saved_.contains(output.data())) return true;
    }
    return false;
  }

  /// Moves a node of the backward part, and what it needs, behind its last operand.
  void compute_early(Node* node) {
    if (!is_early_.insert(node).second) return;
    Node* last = nullptr;
    for (size_t i = 0; i < node->input_count(); ++i) {
      Node* producer = node->input(i).producer();
      if (producer == nullptr) continue;
      const EarlyNode* early = joint_.find(producer);
      if (early != nullptr && is_between(*early)) compute_early(producer);
      if (last == nullptr || last->is_before(*producer)) last = producer;
    }
    Node* position = last == nullptr ? graph_.first() : last->next();
    if (position != node) graph_.move_before(node, position);
  }

  /// Moves a node that only the backward part reads in front of its first reader. Earlier, what it
  /// reads would be computed again too early as well.
  void compute_late(Node* node) {
    Node* first = nullptr;
    for (const Value output : node->outputs()) {
      for (Node* user : output.users()) {
        if (first == nullptr || user->is_before(*first)) first = user;
      }
    }
    if (first != nullptr && node->next() != first) graph_.move_before(node, first);
  }

  /// True for kept values and their views, which need no memory of their own.
  bool is_available(Value value) const {
    for (;;) {
      const Node* producer = value.producer();
      if (producer == nullptr || saved_.contains(value.data())) return true;
      const EarlyNode* early = joint_.find(producer);
      if (early == nullptr || (is_between(*early) && !is_early_.contains(producer))) return true;
      if (!is_view(*producer) || producer->input_count() == 0) return false;
      value = producer->input(0);
    }
  }

  void read_again(Node* node) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Value operand = node->input(i);
      if (!is_available(operand)) graph_.set_input(node, i, copy_before(node, operand));
    }
  }

  /// The value computed again, by copies in front of the reader where there are none yet. Without
  /// recursion, since chains may be as long as the program.
  Value copy_before(Node* reader, Value value) {
    std::vector<Node*> todo{value.producer()};
    while (!todo.empty()) {
      Node* node = todo.back();
      const size_t before = todo.size();
      if (!copies_.contains(node)) {
        for (size_t i = 0; i < node->input_count(); ++i) {
          const Value operand = node->input(i);
          if (!is_available(operand) && !copies_.contains(operand.producer())) {
            todo.push_back(operand.producer());
          }
        }
        if (todo.size() > before) continue;
        const auto scope = graph_.insert_for(reader, {});
        Node* copy = graph_.clone(*node, [&](Value operand) { return again(operand); });
        mark_backward(copy, kRecomputedNode);
        copies_.emplace(node, copy);
      }
      todo.pop_back();
    }
    return again(value);
  }

  Value again(Value value) const {
    const auto copy = copies_.find(value.producer());
    return copy == copies_.end() || is_available(value) ? value
                                                        : copy->second->output(value.index());
  }

  Graph& graph_;
  JointGraph joint_;
  std::unordered_set<const ir::ValueData*> saved_;
  std::unordered_set<const Node*> is_early_;  ///< Of those between, what is computed early.
  std::unordered_map<const Node*, Node*> copies_;
};

}  // namespace

bool has_checkpoints(const Graph& graph) {
  bool has_backward = false;
  bool has_marks = false;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    has_backward = has_backward || node->annotations().contains(kBackwardAnnotation);
    has_marks = has_marks || must_recompute(*node);
  }
  return has_backward && has_marks;
}

size_t recompute(Graph& graph, const SavedOptions& options) {
  return Repetition(graph, options).run();
}

}  // namespace litz::autodiff
