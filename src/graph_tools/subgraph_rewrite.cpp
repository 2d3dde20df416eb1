// Replaces matches. See subgraph_rewrite.h.

#include "graph_tools/subgraph_rewrite.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph_tools/type_propagation.h"
#include "ir/dependences.h"
#include "ir/graph_data.h"
#include "ir/printer.h"
#include "ir/topological_sort.h"
#include "support/check.h"

namespace litz::ir {
namespace {

bool comes_before(const Node* a, const Node* b) { return a->is_before(*b); }

class Rewriter {
 public:
  Rewriter(Graph& graph, const BuildReplacement& build, const RewriteOptions& options)
      : graph_(graph), build_(build), options_(options) {}

  size_t run(std::vector<Match> matches) {
    has_effects_ = !hidden_dependences(graph_).empty();
    size_t replaced = 0;
    for (Match& match : matches) replaced += replace(match) ? 1 : 0;
    if (!sorted_) sort_topologically(graph_);
    std::erase_if(retyped_, [](const Node* node) { return node->is_erased(); });
    if (!retyped_.empty()) update_types(graph_, retyped_);
    return replaced;
  }

 private:
  bool replace(Match& match) {
    for (Argument& input : match.inputs) {
      if (input.is_value()) input = Argument(current(input.value()));
    }
    std::vector<Node*> sources = match.nodes;
    std::ranges::sort(sources, comes_before);
    Node* place = find_place(match, sources);
    const bool fits = reads_only_before(match, place);
    if ((!fits && has_effects_) || !annotations_merge(sources)) return false;
    std::vector<Value> results;
    {
      const auto scope = graph_.insert_for(place, sources);
      results = build_(graph_, match);
    }
    check_results(match, results);
    sorted_ = sorted_ && fits;
    for (size_t i = 0; i < results.size(); ++i) hand_over(match.outputs[i], results[i]);
    for (auto node = sources.rbegin(); node != sources.rend(); ++node) graph_.erase(*node);
    return true;
  }

  // The current form of a value that may have been replaced.
  Value current(Value value) const {
    for (auto found = moved_.find(value.data()); found != moved_.end();
         found = moved_.find(value.data())) {
      value = found->second;
    }
    return value;
  }

  // No other node among the match's nodes touches the same memory, so any position there is right;
  // the first reader limits it.
  Node* find_place(const Match& match, const std::vector<Node*>& sources) const {
    Node* next = sources.back()->next();
    Node* place = next != nullptr ? next : graph_.return_node();
    for (const Value output : match.outputs) {
      for (Node* user : output.users()) {
        const bool is_source = std::ranges::find(sources, user) != sources.end();
        if (!is_source && user->is_before(*place)) place = user;
      }
    }
    return place;
  }

  static bool reads_only_before(const Match& match, const Node* place) {
    return std::ranges::all_of(match.inputs, [&](const Argument& input) {
      const Node* producer = input.is_value() ? input.value().producer() : nullptr;
      return producer == nullptr || producer->is_before(*place);
    });
  }

  static bool annotations_merge(const std::vector<Node*>& sources) {
    std::vector<const Annotations*> annotations;
    annotations.reserve(sources.size());
    for (const Node* source : sources) annotations.push_back(&source->annotations());
    try {
      merge_annotations(annotations);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void check_results(const Match& match, const std::vector<Value>& results) const {
    check(results.size() == match.outputs.size(),
          "a replacement gives a value for every result of its pattern:", results.size(), "for",
          match.outputs.size());
    for (size_t i = 0; i < results.size(); ++i) {
      const Value old = match.outputs[i];
      check(static_cast<bool>(results[i]), "a replacement must give every result:", i);
      const std::string field =
          forbidden_change(old.type(), results[i].type(), options_.may_change);
      require(field.empty(), ErrorCode::invalid_argument,
              "a replacement must keep the type, or permit the change of", field, "-",
              to_string(old.type()), "to", to_string(results[i].type()));
    }
  }

  void hand_over(Value old, Value now) {
    if (old == now) return;
    if (!(old.type() == now.type())) {
      for (Node* user : old.users()) {
        if (user != graph_.return_node()) retyped_.push_back(user);
      }
    }
    graph_.replace_uses(old, now);
    moved_[old.data()] = now;
    if (old.name().empty() || !now.name().empty()) return;
    std::string name = old.name();
    graph_.set_name(old, "");
    graph_.set_name(now, std::move(name));
  }

  Graph& graph_;
  const BuildReplacement& build_;
  const RewriteOptions& options_;
  bool has_effects_ = false;
  bool sorted_ = true;
  std::unordered_map<const ValueData*, Value> moved_;
  std::vector<Node*> retyped_;  ///< Nodes that read a changed type.
};

/// Copies a graph, possibly from another module, and infers its types.
std::vector<Value> copy_in(Graph& graph, const Graph& body, const Match& match) {
  std::unordered_map<const ValueData*, Argument> map;
  for (size_t i = 0; i < body.input_count(); ++i) {
    map.emplace(body.input(i).data(), match.inputs[i]);
  }
  const auto mapped = [&](const Argument& given) {
    if (given.is_value()) return map.at(given.value().data());
    if (!given.is_value_list()) return given;
    std::vector<Value> values;
    for (const Value value : given.values()) {
      values.push_back(value ? map.at(value.data()).value() : Value());
    }
    return Argument(std::move(values));
  };
  for (const Node* node = body.first(); node != nullptr; node = node->next()) {
    std::vector<Argument> arguments;
    for (const Argument& argument : node->arguments()) arguments.push_back(mapped(argument));
    Node* copy = graph.create(node->op(), std::move(arguments));
    for (const Value output : node->outputs()) {
      map.emplace(output.data(), Argument(copy->output(output.index())));
    }
  }
  std::vector<Value> results;
  for (const Argument& output : body.outputs()) {
    results.push_back(map.at(output.value().data()).value());
  }
  return results;
}

}  // namespace

size_t replace_matches(Graph& graph, const Graph& pattern, const BuildReplacement& build,
                       const RewriteOptions& options) {
  check(!options.match.overlapping, "only matches without common nodes can all be replaced");
  return Rewriter(graph, build, options).run(find_matches(graph, pattern, options.match));
}

size_t replace_matches(Graph& graph, const Graph& pattern, const Graph& replacement,
                       const RewriteOptions& options) {
  require(replacement.input_count() == pattern.input_count() &&
              replacement.outputs().size() == pattern.outputs().size(),
          ErrorCode::invalid_argument,
          "a replacement must have the arguments and results of its pattern:", replacement.name());
  for (const Argument& output : replacement.outputs()) {
    require(output.is_value(), ErrorCode::invalid_argument,
            "a replacement must return values only:", replacement.name());
  }
  return replace_matches(
      graph, pattern,
      [&](Graph& target, const Match& match) { return copy_in(target, replacement, match); },
      options);
}

}  // namespace litz::ir
