// Gradients of programs: the joint program of a forward and a backward computation.

#pragma once

#include "autodiff/reverse.h"
#include "ir/program.h"

namespace litz::compiler {

/// Brings a program to the form that `add_gradients` takes. New contents of inputs become outputs
/// in front of the others.
void make_differentiable(ir::Program& program, bool verify = false);

/// Adds the gradients of inputs, as outputs, and the cotangents, as inputs. The request names inputs
/// and outputs of the program's main graph.
autodiff::Joint add_gradients(ir::Program& program, const autodiff::Request& request);

}  // namespace litz::compiler
