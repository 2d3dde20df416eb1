// Searches for culprits. See culprit_search.h.

#include "graph_tools/culprit_search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/effects.h"
#include "ir/graph_data.h"
#include "ir/graph_outline.h"
#include "ir/printer.h"
#include "support/check.h"
#include "types/compare.h"

namespace litz::ir {
namespace {

/// The nodes [begin, end).
struct Range {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

/// A graph of the module with the lifetime of this object.
class Cutting {
 public:
  Cutting(std::span<Node* const> nodes, bool all_results)
      : excerpt_(copy_nodes(nodes, nodes.front()->graph().name() + ".range", all_results)) {}

  ~Cutting() { excerpt_.graph->module().erase_graph({excerpt_.graph->id()}); }

  Cutting(const Cutting&) = delete;
  Cutting& operator=(const Cutting&) = delete;

  const Excerpt& operator*() const { return excerpt_; }

 private:
  Excerpt excerpt_;
};

class Search {
 public:
  Search(Graph& graph, const RunGraph& candidate, const SearchOptions& options)
      : nodes_(graph.in_order()), candidate_(candidate), options_(options) {
    const size_t end = std::min(options.end, nodes_.size());
    all_ = {std::min(options.begin, end), end};
  }

  /// Computes every value with the reference; false with a message if the graph is bad.
  bool prepare(Graph& graph, std::span<const Tensor> inputs, const RunGraph& reference) {
    try {
      require(inputs.size() == graph.input_count(), ErrorCode::invalid_argument,
              "every argument must be given:", inputs.size(), "for", graph.input_count());
      EffectWalk effects;
      for (const Node* node : nodes_) {
        const std::vector<Value> outputs = node->outputs();
        const bool passes_tensors =
            std::ranges::all_of(outputs, [](Value output) { return output.is_tensor(); });
        if (passes_tensors && !effects.has_effects(*node)) continue;
        fail(
            ErrorCode::invalid_argument,
            "nodes that are run again must have no effects and pass tensors:", node_context(*node));
      }
      for (size_t i = 0; i < inputs.size(); ++i) values_[graph.input(i).data()] = inputs[i];
      if (nodes_.empty()) return true;
      const Cutting whole(nodes_, true);
      const std::vector<Tensor> results = reference(*(*whole).graph, gathered(*whole));
      require(results.size() == (*whole).results.size(), ErrorCode::invalid_argument,
              "a run must give every result:", results.size(), "for", (*whole).results.size());
      for (size_t i = 0; i < results.size(); ++i) {
        values_[(*whole).results[i].data()] = results[i];
      }
      return true;
    } catch (const std::exception& error) {
      found_.outcome = SearchOutcome::bad_graph;
      found_.message = error.what();
      return false;
    }
  }

  void run() {
    switch (options_.strategy) {
      case SearchStrategy::sequential:
        return sequential();
      case SearchStrategy::binary:
        binary(all_);
        return;
      case SearchStrategy::accumulate:
        return accumulate();
      case SearchStrategy::block:
        return block();
    }
  }

  Culprits finish() {
    if (found_.nodes.empty() && found_.outcome != SearchOutcome::bad_graph) {
      found_.outcome = SearchOutcome::passes;
      found_.message.clear();
    }
    std::ranges::sort(found_.nodes, [](Node* a, Node* b) { return a->is_before(*b); });
    return std::move(found_);
  }

 private:
  std::vector<Tensor> gathered(const Excerpt& excerpt) const {
    std::vector<Tensor> tensors;
    tensors.reserve(excerpt.operands.size());
    for (const Value operand : excerpt.operands) tensors.push_back(values_.at(operand.data()));
    return tensors;
  }

  bool fails(Range range) {
    if (range.size() == 0) return false;
    const std::span<Node* const> all(nodes_);
    // Returns only values that leave the range, so that the candidate may fuse the others.
    const Cutting cut(all.subspan(range.begin, range.size()), false);
    ++found_.runs;
    std::vector<Tensor> results;
    try {
      results = candidate_(*(*cut).graph, gathered(*cut));
    } catch (const std::exception& error) {
      found_.outcome = SearchOutcome::run_failure;
      found_.message = error.what();
      return true;
    }
    const std::optional<std::string> difference = first_difference(*cut, results);
    if (!difference) return false;
    found_.outcome = SearchOutcome::mismatch;
    found_.message = *difference;
    return true;
  }

  std::optional<std::string> first_difference(const Excerpt& cut,
                                              std::span<const Tensor> results) const {
    if (results.size() != cut.results.size()) {
      return std::to_string(results.size()) + " results, not " + std::to_string(cut.results.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Comparison comparison =
          compare(results[i], values_.at(cut.results[i].data()), options_.rtol, options_.atol);
      if (comparison.matches()) continue;
      return node_context(*cut.results[i].producer()) + ": " + comparison.message();
    }
    return std::nullopt;
  }

  void add(Range range) {
    found_.nodes.insert(found_.nodes.end(), nodes_.begin() + static_cast<ptrdiff_t>(range.begin),
                        nodes_.begin() + static_cast<ptrdiff_t>(range.end));
  }

  void sequential() {
    for (size_t i = all_.begin; i < all_.end; ++i) {
      if (!fails({i, i + 1})) continue;
      add({i, i + 1});
      if (!options_.find_all) return;
    }
  }

  // True if it found a culprit.
  bool binary(Range range) {
    if (!fails(range)) return false;
    if (range.size() == 1) {
      add(range);
      return true;
    }
    const size_t middle = range.begin + range.size() / 2;
    bool found = binary({range.begin, middle});
    if (!found || options_.find_all) found = binary({middle, range.end}) || found;
    if (!found) add(range);  // They only fail together.
    return true;
  }

  void accumulate() {
    size_t begin = all_.begin;
    for (size_t end = begin + 1; end <= all_.end; ++end) {
      if (!fails({begin, end})) continue;
      add({end - 1, end});
      if (!options_.find_all) return;
      begin = end;
    }
  }

  // If a range fails, so do longer ones with the same beginning or the same end.
  void block() {
    if (!fails(all_)) return;
    size_t low = all_.begin + 1;
    size_t high = all_.end;  // The prefix up to here fails.
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (fails({all_.begin, middle})) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const size_t end = high;
    low = all_.begin;  // The range from here fails.
    high = end - 1;
    while (low < high) {
      const size_t middle = low + (high - low + 1) / 2;
      if (fails({middle, end})) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    add({low, end});
  }

  std::vector<Node*> nodes_;
  Range all_;
  const RunGraph& candidate_;
  const SearchOptions& options_;
  std::unordered_map<const ValueData*, Tensor> values_;  ///< The reference's values.
  Culprits found_;
};

}  // namespace

Culprits find_culprits(Graph& graph, std::span<const Tensor> inputs, const RunGraph& reference,
                       const RunGraph& candidate, const SearchOptions& options) {
  Search search(graph, candidate, options);
  if (search.prepare(graph, inputs, reference)) search.run();
  return search.finish();
}

}  // namespace litz::ir
