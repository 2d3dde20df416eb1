#include "compiler/execution/run_graph.h"

#include <algorithm>

#include "compiler/execution/plan_runner.h"
#include "compiler/program_signature.h"
#include "lowering/expand_calls.h"
#include "lowering/lower.h"
#include "ops/op_table.h"
#include "ops/random_streams.h"
#include "passes/graph_passes.h"
#include "runtime/program/input_binding.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

bool needs_decomposition(const ir::Graph& graph) {
  return std::ranges::any_of(graph.in_order(), [](const ir::Node* node) {
    return node->op().definition != nullptr &&
           std::holds_alternative<ops::Decompose>(ops::definition(node->op()).impl);
  });
}

}  // namespace

std::vector<Tensor> run_graph_as(ir::Graph& graph, std::span<const Tensor> inputs,
                                 const KernelSetOptions& options) {
  if (needs_decomposition(graph)) {
    passes::PassContext context;
    passes::decompose(graph, context);
  }
  lowering::LoweredProgram lowered = lowering::lower(graph);
  lowering::expand_calls(lowered);
  const PlanRunner runner(std::move(lowered), graph.module().exprs(), options);
  std::vector<runtime::DeclaredInput> declared;
  for (const ir::Value input : graph.inputs()) {
    declared.push_back({input.name(), value_type(input.type())});
  }
  std::vector<Leaf> leaves(inputs.begin(), inputs.end());
  require(leaves.size() == declared.size(),
          "a graph must be given all of its inputs:", leaves.size(), declared.size());
  Bindings bindings;
  runtime::bind_inputs(declared, leaves, graph.module().exprs(), bindings);
  if (const auto seed = graph.module().exprs().find_symbol(ops::kSeedSymbol)) {
    bindings.set(seed->symbol(), 0);
  }
  std::vector<Tensor> results;
  for (Leaf& result : runner.run(std::move(leaves), bindings)) {
    if (auto* tensor = std::get_if<Tensor>(&result)) results.push_back(std::move(*tensor));
  }
  return results;
}

std::vector<Tensor> run_graph(ir::Graph& graph, std::span<const Tensor> inputs) {
  return run_graph_as(graph, inputs, {.compile = false});
}

}  // namespace litz::compiler
