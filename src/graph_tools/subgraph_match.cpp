// Searches for patterns. See subgraph_match.h.

#include "graph_tools/subgraph_match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "graph_tools/compiled_pattern.h"
#include "ir/dependences.h"
#include "ir/graph_data.h"
#include "ir/structural_equal.h"
#include "support/check.h"

namespace litz::ir {
namespace {

bool comes_before(const Node* a, const Node* b) { return a->is_before(*b); }

/// Decides whether one node may replace a match.
class Contraction {
 public:
  explicit Contraction(const Graph& graph) {
    for (const auto& [first, second] : hidden_dependences(graph)) {
      later_[first].push_back(second);
      earlier_[second].push_back(first);
    }
  }

  bool is_legal(const std::unordered_set<const Node*>& members, const Node* first,
                const Node* last) const {
    return !touches_between(members, first, last) && !closes_cycle(members, last);
  }

 private:
  using Edges = std::unordered_map<const Node*, std::vector<const Node*>>;

  static std::span<const Node* const> of(const Edges& edges, const Node* node) {
    const auto found = edges.find(node);
    return found != edges.end() ? found->second : std::span<const Node* const>();
  }

  // Effects of other nodes between the members leave no clear position for one node.
  bool touches_between(const std::unordered_set<const Node*>& members, const Node* first,
                       const Node* last) const {
    if (later_.empty()) return false;
    const auto lies_between = [&](const Node* other) {
      return !members.contains(other) && first->is_before(*other) && other->is_before(*last);
    };
    return std::ranges::any_of(members, [&](const Node* member) {
      return std::ranges::any_of(of(later_, member), lies_between) ||
             std::ranges::any_of(of(earlier_, member), lies_between);
    });
  }

  // A path that leaves the members and returns lies before their last one.
  bool closes_cycle(const std::unordered_set<const Node*>& members, const Node* last) const {
    std::vector<const Node*> stack;
    std::unordered_set<const Node*> seen;
    bool closes = false;
    const auto go = [&](const Node* next, bool from_member) {
      if (members.contains(next)) {
        closes = closes || !from_member;
      } else if (next->is_before(*last) && seen.insert(next).second) {
        stack.push_back(next);
      }
    };
    const auto leave = [&](const Node* node, bool is_member) {
      for (const Value output : node->outputs()) {
        for (const Node* user : output.users()) go(user, is_member);
      }
      for (const Node* next : of(later_, node)) go(next, is_member);
    };
    for (const Node* member : members) leave(member, true);
    while (!stack.empty() && !closes) {
      const Node* node = stack.back();
      stack.pop_back();
      leave(node, false);
    }
    return closes;
  }

  Edges later_;
  Edges earlier_;
};

// By node id: the number of nodes on the longest path from the node up to an argument, inclusive.
std::vector<size_t> heights(const Graph& graph) {
  std::vector<size_t> height;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    size_t below = 0;
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Node* producer = node->input(i).producer();
      if (producer != nullptr) below = std::max(below, height[producer->id()]);
    }
    if (node->id() >= height.size()) height.resize(node->id() + size_t{1});
    height[node->id()] = below + 1;
  }
  return height;
}

class Matcher {
 public:
  Matcher(const Graph& graph, const Graph& pattern, const MatchOptions& options)
      : graph_(graph),
        pattern_(pattern),
        options_(options),
        contraction_(graph),
        nodes_(pattern_.node_count()),
        inputs_(pattern.input_count()) {}

  std::vector<Match> run() {
    if (options_.at_outputs) {
      if (unify_returns()) take_if_right();
      return std::move(found_);
    }
    // Otherwise, chains would be walked down from each of their nodes.
    const std::vector<size_t> height = heights(graph_);
    const Node* sink = pattern_.sinks().front();
    const size_t least = heights(pattern_.graph())[sink->id()];
    for (Node* candidate : graph_.in_order(sink->op().name())) {
      if (height[candidate->id()] < least) continue;
      taken_one_ = false;
      try_sink(0, candidate);
    }
    return std::move(found_);
  }

 private:
  // An assignment, recorded for undoing.
  struct Assigned {
    const Node* node = nullptr;  ///< In the pattern; null: an argument.
    size_t index = 0;
  };

  void step() {
    require(++steps_ <= options_.max_steps, ErrorCode::limit_exceeded,
            "a pattern must be found in fewer steps; its pieces may share too little:",
            options_.max_steps, "in @" + pattern_.graph().name());
  }

  bool unify_returns() {
    const std::span<const Argument> wanted = pattern_.graph().outputs();
    const std::span<const Argument> given = graph_.outputs();
    if (wanted.size() != given.size()) return false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!given[i].is_value() || !unify(wanted[i].value(), given[i].value())) return false;
    }
    return true;
  }

  // Tries all ways to match this sink and the later ones.
  void try_sink(size_t sink, Node* candidate) {
    const size_t mark = trail_.size();
    if (unify_nodes(pattern_.sinks()[sink], candidate)) {
      if (sink + 1 == pattern_.sinks().size()) {
        take_if_right();
      } else {
        for (Node* next : candidates(sink + 1)) {
          try_sink(sink + 1, next);
          if (taken_one_ && !options_.overlapping) break;
        }
      }
    }
    undo(mark);
  }

  std::vector<Node*> candidates(size_t sink) {
    const PatternLink& link = pattern_.links()[sink];
    const Node* known = pattern_.sinks()[sink];
    if (Node* same = nodes_[pattern_.index(*known)]) return {same};
    const Value from = link.from ? matched(link.from) : Value();
    if (!from) return callers_of(known->op().name());
    std::vector<Value> values{from};
    std::vector<Node*> nodes;
    for (const PatternStep& way : link.steps) {
      nodes.clear();
      std::unordered_set<const Node*> seen;
      for (const Value value : values) {
        for (const UseSite& use : value.uses()) {
          step();
          const bool fits = use.argument == way.argument && use.element == way.element &&
                            use.user != graph_.return_node() &&
                            use.user->op().name() == way.reader->op().name();
          if (fits && seen.insert(use.user).second) nodes.push_back(use.user);
        }
      }
      values.clear();
      for (const Node* node : nodes) {
        if (way.result < node->output_count()) values.push_back(node->output(way.result));
      }
    }
    std::ranges::sort(nodes, comes_before);
    return nodes;
  }

  const std::vector<Node*>& callers_of(std::string_view op) {
    const auto [known, is_new] = by_op_.try_emplace(op);
    if (is_new) known->second = graph_.in_order(op);
    return known->second;
  }

  // The value matched to `value`; null for a literal.
  Value matched(Value value) const {
    if (const Node* producer = value.producer()) {
      return nodes_[pattern_.index(*producer)]->output(value.index());
    }
    const std::optional<Argument>& input = inputs_[value.index()];
    return input && input->is_value() ? input->value() : Value();
  }

  bool unify(Value wanted, Value given) {
    const Node* producer = wanted.producer();
    if (producer == nullptr) return unify_input(wanted.index(), Argument(given));
    return given.producer() != nullptr && wanted.index() == given.index() &&
           unify_nodes(producer, given.producer());
  }

  bool unify_input(size_t index, const Argument& given) {
    std::optional<Argument>& slot = inputs_[index];
    if (slot) return *slot == given;
    if (given.is_value()) {
      if (options_.at_inputs && given.value().producer() != nullptr) return false;
      if (options_.distinct_inputs && !used_.insert(given.value().data()).second) return false;
    } else if (options_.at_inputs || !is_scalar(pattern_.graph().input(index).type())) {
      return false;
    }
    slot = given;
    trail_.push_back({nullptr, index});
    return true;
  }

  // Walks the operands in lock-step with an explicit stack, since patterns may be long chains.
  bool unify_nodes(const Node* wanted, Node* given) {
    std::vector<std::pair<const Node*, Node*>> open{{wanted, given}};
    while (!open.empty()) {
      const auto [pattern, node] = open.back();
      open.pop_back();
      step();
      Node* const slot = nodes_[pattern_.index(*pattern)];
      if (slot == node) continue;
      if (slot != nullptr || !assign(pattern, node)) return false;
      for (size_t i = 0; i < pattern->arguments().size(); ++i) {
        if (!unify_arguments(pattern->arguments()[i], node->arguments()[i], open)) return false;
      }
    }
    return true;
  }

  bool assign(const Node* pattern, Node* node) {
    const bool fits = pattern->op().name() == node->op().name() &&
                      pattern->output_count() == node->output_count() &&
                      pattern->arguments().size() == node->arguments().size() &&
                      (options_.overlapping || !taken_.contains(node)) &&
                      members_.insert(node).second;
    if (!fits) return false;
    nodes_[pattern_.index(*pattern)] = node;
    trail_.push_back({pattern, pattern_.index(*pattern)});
    return true;
  }

  bool unify_arguments(const Argument& wanted, const Argument& given,
                       std::vector<std::pair<const Node*, Node*>>& open) {
    if (wanted.is_attribute()) {
      return given.is_attribute() && unify_literals(wanted.attribute(), given.attribute());
    }
    if (wanted.is_value() && given.is_attribute()) {
      return wanted.value().producer() == nullptr && unify_input(wanted.value().index(), given);
    }
    const std::span<const Value> wants = wanted.values();
    const std::span<const Value> gives = given.values();
    if (given.is_attribute() || wanted.is_value() != given.is_value() ||
        wants.size() != gives.size()) {
      return false;
    }
    for (size_t i = 0; i < wants.size(); ++i) {
      if (!wants[i] || !gives[i]) {
        if (wants[i] || gives[i]) return false;
      } else if (wants[i].producer() == nullptr) {
        if (!unify_input(wants[i].index(), Argument(gives[i]))) return false;
      } else {
        if (gives[i].producer() == nullptr || wants[i].index() != gives[i].index()) return false;
        open.emplace_back(wants[i].producer(), gives[i].producer());
      }
    }
    return true;
  }

  bool unify_literals(const Attribute& wanted, const Attribute& given) const {
    const auto* child = std::get_if<GraphRef>(&wanted);
    const auto* other = std::get_if<GraphRef>(&given);
    if (child != nullptr && other != nullptr) {
      return structurally_equal(pattern_.graph().module().graph(*child),
                                graph_.module().graph(*other));
    }
    return options_.any_literal || is_identical(wanted, given);
  }

  void undo(size_t mark) {
    while (trail_.size() > mark) {
      const Assigned last = trail_.back();
      trail_.pop_back();
      if (last.node != nullptr) {
        members_.erase(nodes_[last.index]);
        nodes_[last.index] = nullptr;
      } else {
        if (inputs_[last.index]->is_value()) used_.erase(inputs_[last.index]->value().data());
        inputs_[last.index].reset();
      }
    }
  }

  void take_if_right() {
    if (leaks()) return;
    const auto [first, last] = std::ranges::minmax_element(nodes_, comes_before);
    if (!contraction_.is_legal(members_, *first, *last)) return;
    Match match;
    match.nodes = nodes_;
    for (const std::optional<Argument>& input : inputs_) {
      match.inputs.push_back(input.value_or(Argument()));
    }
    for (const Argument& output : pattern_.graph().outputs()) {
      match.outputs.push_back(matched(output.value()));
    }
    if (options_.accept && !options_.accept(match)) return;
    if (!options_.overlapping) taken_.insert(members_.begin(), members_.end());
    taken_one_ = true;
    found_.push_back(std::move(match));
  }

  // True if nodes outside the match read a value that the pattern does not return.
  bool leaks() const {
    for (const Node* pattern = pattern_.graph().first(); pattern != nullptr;
         pattern = pattern->next()) {
      const Node* node = nodes_[pattern_.index(*pattern)];
      for (const Value output : pattern->outputs()) {
        if (pattern_.returns(output)) continue;
        for (const Node* user : node->output(output.index()).users()) {
          if (!members_.contains(user)) return true;
        }
      }
    }
    return false;
  }

  const Graph& graph_;
  const CompiledPattern pattern_;
  const MatchOptions& options_;
  const Contraction contraction_;
  size_t steps_ = 0;
  std::vector<Node*> nodes_;                     ///< By node of the pattern; null: open.
  std::vector<std::optional<Argument>> inputs_;  ///< By argument of the pattern.
  std::unordered_set<const Node*> members_;      ///< The same nodes: each once.
  std::unordered_set<const ValueData*> used_;    ///< By arguments of the pattern.
  std::vector<Assigned> trail_;
  std::map<std::string_view, std::vector<Node*>> by_op_;
  std::unordered_set<const Node*> taken_;  ///< Nodes of earlier matches.
  bool taken_one_ = false;                 ///< Set if the current first sink has a match.
  std::vector<Match> found_;
};

}  // namespace

std::vector<Match> find_matches(const Graph& graph, const Graph& pattern,
                                const MatchOptions& options) {
  return Matcher(graph, pattern, options).run();
}

}  // namespace litz::ir
