// What a joint graph computes when: the forward part, the backward part, and what is between them.
//
// The backward part is what depends on cotangents. Reverse mode marks the nodes that it makes by the
// annotation `backward`; what reads their results is a part of it, too, such as the update of an
// optimizer. Everything else can be computed before: the forward part, and what only the backward
// part reads, such as the cosine in the gradient of a sine.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace litz::autodiff {

/// Marks a node that depends on cotangents.
inline constexpr std::string_view kBackwardAnnotation = "backward";
inline constexpr std::string_view kGradientNode = "gradient";
/// Marks a node that repeats one of the forward part for the backward part.
inline constexpr std::string_view kRecomputedNode = "recomputed";

void mark_backward(ir::Node* node, std::string_view as);

/// True if the annotation `recompute` says that the backward part repeats the node.
bool must_recompute(const ir::Node& node);

/// One node of the part that depends on no cotangent.
struct EarlyNode {
  ir::Node* node = nullptr;
  bool is_forward = false;  ///< A result of the forward part depends on it.
  int64_t distance = 0;     ///< The least of its results: see JointGraph::distance.
};

/// A snapshot: it is not updated when the graph changes.
class JointGraph {
 public:
  /// `cotangents` are positions of inputs.
  explicit JointGraph(const ir::Graph& graph, std::span<const size_t> cotangents = {});

  bool is_backward(const ir::Node& node) const { return backward_.contains(&node); }

  /// In graph order.
  std::span<const EarlyNode> early() const { return early_; }

  /// Null for nodes of the backward part and the terminator.
  const EarlyNode* find(const ir::Node* node) const;

  /// The number of nodes from the value to the backward part, at least 1 for forward values; 0 for
  /// those that only the backward part reads.
  int64_t distance(ir::Value value) const;
  /// True if a node of the backward part reads the value.
  bool is_read_backward(ir::Value value) const;
  /// True if it depends on no cotangent.
  bool is_early(ir::Value value) const;

 private:
  void find_forward(const ir::Graph& graph);
  void find_distances();

  std::unordered_set<const ir::Node*> backward_;
  std::unordered_set<const ir::ValueData*> cotangents_;
  std::vector<EarlyNode> early_;
  std::unordered_map<const ir::Node*, size_t> numbers_;
};

/// Bytes of a value's elements, if it is a tensor; sizes that only a call knows are estimated.
int64_t bytes_of(ir::Value value);

}  // namespace litz::autodiff
