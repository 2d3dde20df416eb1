// Finds the places in a graph that look like a pattern, which is itself a graph.
//
//   graph @pattern(%a: f32[], %b: f32[]) -> (f32[]) {      graph @main(...) {
//     %m = aten.mul.Tensor(%a, %b)                           %p = aten.mul.Tensor(%x, %y)
//     %r = aten.add.Tensor(%m, %a)                           %q = aten.add.Tensor(%p, %x)     <- here
//     return %r
//   }
//
// Arguments of the pattern are wildcards: each stands for one value, and a scalar argument also for
// a literal. Everything else has to be equal: operators, literals, which result is used where. Types
// do not count; `accept` may look at them. Literals need no care about spelling, since calls hold
// every argument of their schema.
//
// The search starts at the pattern's sinks, walks operands in lock-step, and comes to the next sink
// through what it shares with those before. A match is dropped when a value inside of it is read
// outside (unless the pattern returns it), when replacing it by one node would close a cycle, or
// when memory is written in between that it touches.

#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct Match {
  std::vector<Node*> nodes;      ///< By node of the pattern in its order; each once.
  std::vector<Argument> inputs;  ///< By argument of the pattern: a value or an attribute.
  std::vector<Value> outputs;    ///< By result of the pattern.
};

struct MatchOptions {
  bool at_inputs = false;       ///< Arguments of the pattern match arguments of the graph only.
  bool at_outputs = false;      ///< The pattern's return matches the graph's return only.
  bool overlapping = false;     ///< Otherwise a node is in the first match that has it.
  bool any_literal = false;     ///< Literals of the pattern stand for any literal.
  bool distinct_inputs = true;  ///< Two arguments of the pattern stand for different values.
  std::function<bool(const Match&)> accept;  ///< Empty: all. Refused matches leave nodes to others.
  /// Nodes compared at most; a pattern of unrelated pieces may need their product. Beyond it the
  /// search throws Error{limit_exceeded}.
  size_t max_steps = 20'000'000;
};

/// In graph order of the node that matches the pattern's first sink. The pattern may belong to
/// another module with the same operator set; its results are values, and every node of it leads to
/// one, else Error{invalid_argument}.
std::vector<Match> find_matches(const Graph& graph, const Graph& pattern,
                                const MatchOptions& options = {});

}  // namespace litz::ir
