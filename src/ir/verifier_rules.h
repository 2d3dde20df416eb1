// What the verifier is made of: a list of findings, and groups of rules that add to it.

#pragma once

#include <string>
#include <vector>

#include "ir/alias_classes.h"
#include "ir/graph.h"

namespace litz::ir {

/// Collects what is wrong with a graph, as texts with the node, its source line and the pass that
/// last touched it.
class Findings {
 public:
  Findings(const Graph& graph, size_t limit) : graph_(graph), limit_(limit) {}

  /// Adds a finding unless the condition holds, which is returned. `node` may be null.
  bool expect(bool holds, const Node* node, const std::string& what);

  void add(const Node* node, const std::string& what) { expect(false, node, what); }

  /// Nodes may be printed: before that, only their operators are named.
  void allow_printing() { printing_ = true; }

  bool empty() const { return texts_.empty(); }

  std::vector<std::string> take() { return std::move(texts_); }

 private:
  const Graph& graph_;
  size_t limit_;
  bool printing_ = false;
  std::vector<std::string> texts_;
};

/// Annotations fit their keys, and what they ask of the partition of a joint graph can be done.
void check_annotations(const Graph& graph, const AliasClasses& aliases, Findings& findings);

/// Every result of a collective has one wait, and is not read before it.
void check_waits(const Graph& graph, Findings& findings);

/// Memory is not used between a collective and its wait, nor after it was given away; with
/// `overwritten`, nor through an older value after it was written.
void check_memory(const Graph& graph, const AliasClasses& aliases, bool overwritten,
                  Findings& findings);

}  // namespace litz::ir
