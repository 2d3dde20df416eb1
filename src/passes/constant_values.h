// Finds the values of a graph that are the same in every call: weights that no node writes, and
// what is computed from them alone.

#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "passes/graph_passes.h"

namespace litz::passes {

/// Inputs of the program's main graph whose data no call changes: parameters, buffers and constants
/// that are not the target of a mutation and share no storage with one. Ascending; empty for other
/// graphs and without a program.
std::vector<size_t> constant_inputs(const ir::Graph& graph, const PassContext& context);

/// True for nodes that only compute equal results from equal operands: no effects, random numbers,
/// uninitialised memory or child graphs; only tensors of constant sizes.
bool is_pure(const ir::Node& node);

class ConstantValues {
 public:
  /// Sweeps once over the graph.
  ConstantValues(const ir::Graph& graph, const PassContext& context);

  bool contains(ir::Value value) const { return values_.contains(value.data()); }

  bool empty() const { return values_.empty(); }

 private:
  // For lookup only, since its order is not deterministic.
  std::unordered_set<const ir::ValueData*> values_;
};

/// The elements of constant values of the program's main graph, which the context's evaluator
/// computes.
std::vector<Tensor> evaluate_constants(ir::Graph& graph, const PassContext& context,
                                       std::span<const ir::Value> values);

}  // namespace litz::passes
