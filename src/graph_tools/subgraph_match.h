// Finds the matches of a pattern in a graph; the pattern is itself a graph.
//
//   graph @pattern(%a: f32[], %b: f32[]) -> (f32[]) {      graph @main(...) {
//     %m = aten.mul.Tensor(%a, %b)                           %p = aten.mul.Tensor(%x, %y)
//     %r = aten.add.Tensor(%m, %a)                           %q = aten.add.Tensor(%p, %x)     <- here
//     return %r
//   }
//
// Arguments of the pattern are wildcards: each matches one value, and a scalar argument also a
// literal. Everything else must be equal: operators, literals, and which result is used where.
// Types are ignored; `accept` may check them. Spellings of literals do not matter, since calls hold
// every argument of their schema.
//
// The search starts at the pattern's sinks, walks operands in lock-step, and reaches the next sink
// through nodes shared with earlier ones. A match is dropped if a value inside is read outside
// (unless the pattern returns it), if replacing it by one node would close a cycle, or if memory
// that it touches is written in between.

#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct Match {
  std::vector<Node*> nodes;      ///< By node of the pattern, in its order; each once.
  std::vector<Argument> inputs;  ///< By argument of the pattern: a value or an attribute.
  std::vector<Value> outputs;    ///< By result of the pattern.
};

struct MatchOptions {
  bool at_inputs = false;       ///< Arguments of the pattern only match arguments of the graph.
  bool at_outputs = false;      ///< The pattern's return only matches the graph's return.
  bool overlapping = false;     ///< Otherwise a node belongs to its first match only.
  bool any_literal = false;     ///< Literals of the pattern match any literal.
  bool distinct_inputs = true;  ///< Two arguments of the pattern match different values.
  std::function<bool(const Match&)> accept;  ///< Empty: all. Rejected matches free their nodes.
  /// Limits the number of compared nodes, since a pattern of unrelated pieces may need their
  /// product. Beyond it the search throws Error{limit_exceeded}.
  size_t max_steps = 20'000'000;
};

/// Returns matches in graph order of the node that matches the pattern's first sink. The pattern
/// may belong to another module with the same operator set. Its results must be values, and every
/// node of it must lead to one, else Error{invalid_argument}.
std::vector<Match> find_matches(const Graph& graph, const Graph& pattern,
                                const MatchOptions& options = {});

}  // namespace litz::ir
