#include "made_up_program.h"

#include <algorithm>
#include <vector>

#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "support/check.h"
#include "types/compare.h"
#include "types/fill.h"

namespace litz::check_tool {
namespace {

// Allows for other orders of the same sums.
constexpr double kRelative = 1e-4;
constexpr double kAbsolute = 1e-5;

/// Chooses a size: constants unchanged, symbols as small as allowed but at least 2, since 0 and 1
/// are special cases.
int64_t made_up_size(Expr size) {
  Bindings bindings;
  if (size.is_constant()) return size.constant();
  for (const SymbolId symbol : free_symbols(size)) {
    const Interval range = bounds(size.pool()->symbol_expr(symbol));
    bindings.set(symbol, std::clamp<int64_t>(2, range.lo, range.hi));
  }
  return evaluate(size, bindings);
}

/// Small positive numbers that depend only on the name, since passes add and remove inputs.
Tensor made_up(const ir::Value input) {
  const uint64_t seed = fill_seed(input.name());
  const TensorType& type = input.tensor();
  std::vector<int64_t> sizes;
  for (const Expr size : type.sizes) sizes.push_back(made_up_size(size));
  if (is_floating(type.dtype)) return fill_floats(type.dtype, std::move(sizes), seed, 0.5F, 1.0F);
  return fill_integers(type.dtype, std::move(sizes), seed, 2);
}

ir::Graph& main_of(ir::Module& module) {
  ir::Graph* main = module.find_graph("main");
  require(main != nullptr, "a program needs a graph @main");
  return *main;
}

/// By name, so that both graphs get the same inputs; data that passes computed comes from the
/// program.
std::vector<Tensor> inputs_of(ir::Graph& graph, const ir::Program* program) {
  std::vector<Tensor> inputs;
  for (const ir::Value input : graph.inputs()) {
    require(input.is_tensor(),
            "--same-results needs a graph whose inputs are all tensors:", input.name());
    const bool has_data = program != nullptr && program->inputs[input.index()].data.defined();
    if (has_data) {
      inputs.push_back(program->inputs[input.index()].data);
    } else {
      inputs.push_back(made_up(input));
    }
  }
  return inputs;
}

}  // namespace

ir::Program made_up_program(std::unique_ptr<ir::Module> module) {
  const ir::Graph& main = main_of(*module);
  ir::Program program;
  program.main = {main.id()};
  program.functional = true;
  for (const ir::Value input : main.inputs()) {
    const std::string& name = input.name();
    ir::InputSpec spec;
    if (name.starts_with("p_")) spec.kind = ir::InputKind::parameter;
    if (name.starts_with("b_")) spec.kind = ir::InputKind::buffer;
    if (name.starts_with("c_")) spec.kind = ir::InputKind::constant;
    spec.target = name;
    if (spec.kind != ir::InputKind::user) spec.data = made_up(input);
    program.inputs.push_back(std::move(spec));
  }
  program.outputs.resize(main.outputs().size());
  program.module = std::move(module);
  return program;
}

std::string result_difference(std::string_view text, std::shared_ptr<const ir::OpSet> ops,
                              ir::Module& module, const ir::Program* program) {
  ir::Program before = made_up_program(ir::read_module(text, std::move(ops)));
  const std::vector<Tensor> expected =
      compiler::run_graph(before.graph(), inputs_of(before.graph(), &before));
  ir::Graph& after = main_of(module);
  const std::vector<Tensor> actual = compiler::run_graph(after, inputs_of(after, program));
  if (actual.size() != expected.size()) return "@main must return as much as before";
  for (size_t i = 0; i < actual.size(); ++i) {
    const Comparison comparison = compare(actual[i], expected[i], kRelative, kAbsolute);
    if (!comparison.matches()) {
      return "result " + std::to_string(i) + " is not what it was: " + comparison.message();
    }
  }
  return "";
}

}  // namespace litz::check_tool
