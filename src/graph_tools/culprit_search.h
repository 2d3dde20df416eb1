// Finds the nodes that make one way of running a graph differ from another.
//
// The reference runs the graph once and keeps every value. Then the candidate runs ranges of nodes,
// each cut out into a graph of its own and fed with the reference's values, so that a mistake before
// the range does not count. How ranges are chosen is the strategy. Graphs are run by functions that
// the caller supplies: an interpreter and an accelerator, two back ends, two versions of a pass.
//
// Not here: which pass or kernel is wrong (compiler/bisect/bisect.h), a smaller program (minimize.h).

#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "types/tensor.h"

namespace litz::ir {

/// Gives the results of a graph. May throw anything.
using RunGraph = std::function<std::vector<Tensor>(Graph&, std::span<const Tensor> inputs)>;

enum class SearchStrategy : uint8_t {
  sequential,  ///< Every node by itself. Misses what needs several nodes to go wrong.
  binary,      ///< Halves, halves of halves while they fail; a range whose halves both pass is one.
  accumulate,  ///< Longer and longer ranges: the node with which a range begins to fail.
  block,       ///< The shortest range that fails, its end sought first, then its beginning.
};

enum class SearchOutcome : uint8_t {
  passes,       ///< The candidate agrees with the reference.
  bad_graph,    ///< The reference itself cannot run the graph, or it cannot be cut into ranges.
  run_failure,  ///< The candidate threw.
  mismatch,     ///< Results differ.
};

struct SearchOptions {
  SearchStrategy strategy = SearchStrategy::binary;
  bool find_all = false;  ///< Otherwise the search ends with the first culprit. Not for `block`.
  size_t begin = 0;       ///< Nodes [begin, end) in graph order are searched.
  size_t end = std::numeric_limits<size_t>::max();
  double rtol = 0;
  double atol = 0;
};

struct Culprits {
  SearchOutcome outcome = SearchOutcome::passes;
  std::vector<Node*> nodes;  ///< In graph order; none for `passes` and `bad_graph`.
  std::string message;       ///< Of the last range that failed, or why the graph is bad.
  size_t runs = 0;           ///< Of the candidate.
};

/// Needs a graph whose nodes have no effects and pass tensors to each other. The graph stays as it
/// is. Never throws for what the runners throw.
Culprits find_culprits(Graph& graph, std::span<const Tensor> inputs, const RunGraph& reference,
                       const RunGraph& candidate, const SearchOptions& options = {});

}  // namespace litz::ir
