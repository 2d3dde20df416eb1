// Finds the nodes that make two ways of running a graph differ.
//
// The reference runs the graph once and keeps every value. Then the candidate runs ranges of nodes,
// each copied into its own graph with the reference's values as inputs, so that earlier mistakes do
// not count. The strategy chooses the ranges. The caller supplies the functions that run graphs: an
// interpreter and an accelerator, two back ends, two versions of a pass.
//
// Related: the wrong pass or kernel (compiler/bisect/bisect.h), a smaller program (minimize.h).

#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "types/tensor.h"

namespace litz::ir {

/// Returns the results of a graph. May throw anything.
using RunGraph = std::function<std::vector<Tensor>(Graph&, std::span<const Tensor> inputs)>;

enum class SearchStrategy : uint8_t {
  sequential,  ///< Each node alone. Misses errors that need several nodes.
  binary,      ///< Halves recursively while they fail; a range whose halves both pass is a culprit.
  accumulate,  ///< Growing ranges: the node that makes a range fail.
  block,       ///< The shortest range that fails: first finds its end, then its beginning.
};

enum class SearchOutcome : uint8_t {
  passes,       ///< The candidate agrees with the reference.
  bad_graph,    ///< The reference cannot run the graph, or it cannot be cut into ranges.
  run_failure,  ///< The candidate threw.
  mismatch,     ///< Results differ.
};

struct SearchOptions {
  SearchStrategy strategy = SearchStrategy::binary;
  bool find_all = false;  ///< Otherwise the search ends at the first culprit. Not for `block`.
  size_t begin = 0;       ///< Searches nodes [begin, end) in graph order.
  size_t end = std::numeric_limits<size_t>::max();
  double rtol = 0;
  double atol = 0;
};

struct Culprits {
  SearchOutcome outcome = SearchOutcome::passes;
  std::vector<Node*> nodes;  ///< In graph order; none for `passes` and `bad_graph`.
  std::string message;       ///< From the last range that failed, or why the graph is bad.
  size_t runs = 0;           ///< How often the candidate ran.
};

/// The nodes of the graph must have no effects and pass only tensors to each other. The graph stays
/// unchanged. Never throws when the runners throw.
Culprits find_culprits(Graph& graph, std::span<const Tensor> inputs, const RunGraph& reference,
                       const RunGraph& candidate, const SearchOptions& options = {});

}  // namespace litz::ir
