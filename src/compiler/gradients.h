// Gradients of programs: the joint program of a forward and a backward computation.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "autodiff/reverse.h"
#include "ir/program.h"

namespace litz::compiler {

/// Brings a program to the form that `add_gradients` takes. New contents of inputs become outputs
/// in front of the others.
void make_differentiable(ir::Program& program, bool verify = false);

/// Adds the gradients of inputs, as outputs, and the cotangents, as inputs. The request names inputs
/// and outputs of the program's main graph.
autodiff::Joint add_gradients(ir::Program& program, const autodiff::Request& request);

struct Tangents {
  /// For each requested input, the position of its tangent among the inputs; nothing if no output
  /// depends on it.
  std::vector<std::optional<size_t>> inputs;
  /// For each requested output, the position of its tangent among the outputs; nothing if it depends
  /// on no requested input.
  std::vector<std::optional<size_t>> outputs;
};

/// Forward mode: adds tangents of inputs, as inputs, and the tangents of outputs that follow from
/// them, as outputs. Gradients are linear in cotangents, so the gradients of gradients by cotangents
/// are tangents: what has a second derivative has a tangent.
Tangents add_tangents(ir::Program& program, const autodiff::Request& request);

}  // namespace litz::compiler
