// Splits a joint graph into a forward and a backward graph that run at different times.
//
//   joint(%x, %g) -> (%y, %dx)   =>   forward(%x) -> (%y, saved ..., sizes ...)
//                                     backward(saved ..., %g, sizes ...) -> (%dx)

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::autodiff {

struct Split {
  ir::Graph* forward = nullptr;   ///< The joint graph's inputs without cotangents, in order.
  ir::Graph* backward = nullptr;  ///< The outputs behind the forward ones.
  std::vector<ir::Value> saved;   ///< Values of the joint graph that go from one to the other.
  std::vector<Expr> sizes;        ///< Sizes that they and cotangents do not tell.
};

/// Makes both graphs in the joint graph's module; that one stays as it is. `cotangents` are positions
/// of inputs; the first `forward_outputs` outputs are those of the forward graph. The backward graph
/// repeats what it needs besides `saved` (saved_values.h). What is saved and read by nobody is left out.
Split split(const ir::Graph& joint, std::span<const size_t> cotangents, size_t forward_outputs,
            std::span<const ir::Value> saved);

}  // namespace litz::autodiff
