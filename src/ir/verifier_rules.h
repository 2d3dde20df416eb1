// The parts of the verifier: a list of findings, and groups of rules that add to it.

#pragma once

#include <string>
#include <vector>

#include "ir/alias_classes.h"
#include "ir/graph.h"

namespace litz::ir {

/// Collects errors of a graph, as texts with the node, its source line and the pass that last
/// changed it.
class Findings {
 public:
  Findings(const Graph& graph, size_t limit) : graph_(graph), limit_(limit) {}

  /// Adds a finding unless the condition holds, and returns the condition. `node` may be null.
  bool expect(bool holds, const Node* node, const std::string& what);

  void add(const Node* node, const std::string& what) { expect(false, node, what); }

  /// Allows printing nodes in full; before, findings name only their operators.
  void allow_printing() { printing_ = true; }

  bool empty() const { return texts_.empty(); }

  std::vector<std::string> take() { return std::move(texts_); }

 private:
  const Graph& graph_;
  size_t limit_;
  bool printing_ = false;
  std::vector<std::string> texts_;
};

/// Checks that annotations fit their keys, and that a joint graph can be partitioned as they
/// demand.
void check_annotations(const Graph& graph, const AliasClasses& aliases, Findings& findings);

/// Checks that every result of a collective has one wait, and is not read before it.
void check_waits(const Graph& graph, Findings& findings);

/// Checks that memory is not used between a collective and its wait, nor after it was donated; with
/// `overwritten`, nor through an older value after a write.
void check_memory(const Graph& graph, const AliasClasses& aliases, bool overwritten,
                  Findings& findings);

}  // namespace litz::ir
