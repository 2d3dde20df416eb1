// Runs a graph by itself, without a program around it: for tests of operators and passes.

#pragma once

#include <span>
#include <vector>

#include "compiler/kernels/kernel_set.h"
#include "ir/graph.h"
#include "types/tensor.h"

namespace litz::compiler {

/// Decomposes what must be, lowers and runs the graph on tensors (scalars are not taken;
/// results that are not tensors are left out). The graph is changed by decomposition. Throws Error
/// as Executable does.
std::vector<Tensor> run_graph_as(ir::Graph& graph, std::span<const Tensor> inputs,
                                 const KernelSetOptions& options);
/// The same, interpreted.
std::vector<Tensor> run_graph(ir::Graph& graph, std::span<const Tensor> inputs);

}  // namespace litz::compiler
