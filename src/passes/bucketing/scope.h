// Which collectives gather parameters or scatter gradients.

#pragma once

#include <unordered_set>

#include "ir/graph.h"
#include "passes/bucketing/bucketing.h"

namespace litz::passes {

/// A collective that may be joined with others: one operand, one result, one wait.
struct BucketMember {
  ir::Node* start = nullptr;
  ir::Node* wait = nullptr;
  bool keeps_convert = false;  ///< A conversion before it is needed where it is.

  ir::Value operand() const { return start->input(0); }
};

/// An annotation `collective_role` on the collective decides ("parameter_gather",
/// "gradient_scatter"), then the pattern of the scope.
class ScopeFilter {
 public:
  /// O(V + E) for `fsdp_recursive`, O(1) for the others. Later edits of what is above gathers and
  /// behind scatters are not seen.
  ScopeFilter(const ir::Graph& graph, BucketScope scope);

  bool operator()(const BucketMember& member, Bucketed kind) const;

 private:
  bool gathers_parameter(const ir::Node& start) const;
  bool scatters_gradient(const BucketMember& member) const;
  void find_single_inputs(const ir::Graph& graph);
  void find_returned(const ir::Graph& graph);

  BucketScope scope_;
  std::unordered_set<const ir::Node*> of_one_input_;  ///< Exactly one graph input is above them.
  std::unordered_set<const ir::Node*> is_returned_;   ///< Reach only results, by single operands.
};

}  // namespace litz::passes
