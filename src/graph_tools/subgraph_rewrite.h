// Replaces every match of a pattern.
//
//   @pattern(%x)     { %a = aten.neg(%x)  %b = aten.neg(%a)  return %b }
//   @replacement(%x) { return %x }
//
// Matches may be adjacent: a reader of a match that is already replaced reads the new value. New
// nodes go behind their operands; if that is behind a reader, the graph is sorted once at the end.
// They get the merged annotations, the source location and the history of the nodes that they
// replace.

#pragma once

#include <functional>
#include <vector>

#include "graph_tools/replacement.h"
#include "graph_tools/subgraph_match.h"

namespace litz::ir {

/// Creates nodes at the insertion point, and returns a value per result of the pattern. The inputs
/// of the match are up to date; its nodes still exist, so their attributes and types can be read.
using BuildReplacement = std::function<std::vector<Value>(Graph&, const Match&)>;

struct RewriteOptions {
  MatchOptions match;
  /// Permitted changes of the types that readers see; later types follow. Other changes throw.
  TypeChange may_change = TypeChange::none;
};

/// Returns the number of matches replaced. Skips matches whose annotations must not be merged and,
/// in graphs with effects, those that would need a sort. If `build` throws, or a type changes
/// without permission, earlier matches stay replaced, and dead-code elimination can remove the
/// nodes built for this one.
size_t replace_matches(Graph& graph, const Graph& pattern, const BuildReplacement& build,
                       const RewriteOptions& options = {});

/// The same with a replacement graph that has the arguments and results of the pattern. Its types
/// are inferred for the actual operands.
size_t replace_matches(Graph& graph, const Graph& pattern, const Graph& replacement,
                       const RewriteOptions& options = {});

}  // namespace litz::ir
