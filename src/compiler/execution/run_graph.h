// Runs a graph without a program around it, for tests of operators and passes.

#pragma once

#include <span>
#include <vector>

#include "compiler/kernels/kernel_set.h"
#include "ir/graph.h"
#include "types/tensor.h"

namespace litz::compiler {

/// Decomposes the graph where necessary, which changes it, lowers it and runs it on tensors. It
/// does not accept scalars, and omits results that are not tensors. Throws Error as Executable
/// does.
std::vector<Tensor> run_graph_as(ir::Graph& graph, std::span<const Tensor> inputs,
                                 const KernelSetOptions& options);
/// The same with the interpreter.
std::vector<Tensor> run_graph(ir::Graph& graph, std::span<const Tensor> inputs);

}  // namespace litz::compiler
