// Reverse mode: adds to a graph the gradients of its inputs.
//
//   graph @main(%x: f32[3]) -> (f32[3]) {        graph @main(%x: f32[3], %g: f32[3]) -> (f32[3], f32[3]) {
//     %y = aten.exp(%x) : f32[3]            =>     %y = aten.exp(%x) : f32[3]
//     return %y                                    %d = aten.mul.Tensor(%g, %y) : f32[3]
//   }                                              return %y, %d
//                                                }
//
// The graph must be functional, and its operators must have gradients (ops/gradients): see
// passes/differentiable_form.h. The result is a graph like any other, so it can be differentiated
// again.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace litz::autodiff {

/// What depends on the outputs: they are multiplied by cotangents, and the sum is the loss.
enum class Cotangents : uint8_t {
  inputs,  ///< New inputs of the graph, one for each output.
  ones,    ///< The loss is the sum of the elements of the outputs.
};

struct Request {
  std::vector<size_t> inputs;   ///< Positions of the inputs that get gradients.
  std::vector<size_t> outputs;  ///< Positions of the outputs that the loss depends on.
  Cotangents cotangents = Cotangents::inputs;
};

struct Joint {
  std::vector<size_t> cotangents;  ///< Positions of the new inputs, one for each output.
  /// For each requested input, the position of its gradient among the outputs; nothing if no output
  /// depends on it.
  std::vector<std::optional<size_t>> gradients;
};

/// Adds the gradients after the outputs. Throws Error{unsupported}, which names the operator, the
/// node and its source line, if the loss depends on something that is not differentiable.
Joint add_gradients(ir::Graph& graph, const Request& request);

}  // namespace litz::autodiff
