// Chooses what a joint graph keeps for its backward part, and so what that part computes again.
//
//   %s = aten.sin(%x)          kept: %x (4 bytes an element)
//   %c = aten.cos(%s)    =>    computed again: sin(%x)
//   ... backward reads %x and %s
//
// The choice is a minimum cut. Every value is an edge whose capacity is what keeping it costs; what
// must not be computed again hangs on the source, what the backward part reads on the sink.

#pragma once

#include <functional>
#include <vector>

#include "autodiff/joint_graph.h"

namespace litz::autodiff {

struct SavedOptions {
  /// The share of the memory of the least costly choice that may be kept, from 0 (only inputs) to 1
  /// (that choice). Lower shares compute more again: first whatever limits only speed, then products.
  double memory_budget = 1;
  /// One program runs both parts, so inputs and results live anyway and cost nothing.
  bool is_one_program = false;
  /// Keeps everything that the backward part reads, except what annotations say must be repeated.
  bool keeps_all = false;
  /// The time of a node, in any unit, to choose between products. Empty: their results' bytes.
  std::function<double(const ir::Node&)> time;
  /// Replaces the rule which operators may be computed again at a budget of 1. Empty: pointwise
  /// operators, reductions, copies and fills.
  std::function<bool(const ir::Node&)> is_recomputable;
};

/// The values to keep: results of early nodes and inputs, in graph order. Throws
/// Error{invalid_argument} for a budget out of range, Error{unsupported} for a node that must be
/// repeated and cannot be.
std::vector<ir::Value> choose_saved(const ir::Graph& graph, const JointGraph& joint,
                                    const SavedOptions& options);

}  // namespace litz::autodiff
