// Replaces every match of a pattern by something else.
//
//   @pattern(%x)     { %a = aten.neg(%x)  %b = aten.neg(%a)  return %b }
//   @replacement(%x) { return %x }
//
// Matches may touch: what reads the result of a match that is already replaced reads the new value.
// New nodes stand behind their operands; where that is behind a reader, the graph is sorted once at
// the end. They get the merged annotations, the place in the source and the history of the nodes
// that they replace.

#pragma once

#include <functional>
#include <vector>

#include "graph_tools/replacement.h"
#include "graph_tools/subgraph_match.h"

namespace litz::ir {

/// Creates nodes at the insertion point, and gives a value per result of the pattern. The inputs of
/// the match are up to date; its nodes are still there, to look at their attributes and types.
using BuildReplacement = std::function<std::vector<Value>(Graph&, const Match&)>;

struct RewriteOptions {
  MatchOptions match;
  /// What readers may see change of the types; types further on follow. Other changes throw.
  TypeChange may_change = TypeChange::none;
};

/// The number of matches replaced. Matches whose annotations must not be merged are left alone, and
/// so are, in graphs with effects, those that would need a sort. When `build` throws, or a type
/// changes that must not, the matches before it are replaced, and the nodes built for this one are
/// left to be eliminated as dead code.
size_t replace_matches(Graph& graph, const Graph& pattern, const BuildReplacement& build,
                       const RewriteOptions& options = {});

/// The same with a graph that has the arguments and results of the pattern. Its types are those that
/// its operators infer for the actual operands.
size_t replace_matches(Graph& graph, const Graph& pattern, const Graph& replacement,
                       const RewriteOptions& options = {});

}  // namespace litz::ir
