#include "compiler/gradients.h"

#include <algorithm>
#include <string>

#include "ir/dead_code.h"
#include "passes/differentiable_form.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "trace/call_sizes.h"

namespace litz::compiler {

namespace {

// As in PyTorch: after a write, it would not be clear which contents a gradient is for.
void require_unwritten(const ir::Program& program, const autodiff::Request& request) {
  for (const ir::OutputSpec& output : program.outputs) {
    if (!ir::is_mutation(output.kind)) continue;
    const auto input = static_cast<size_t>(output.input);
    require(std::ranges::count(request.inputs, input) == 0, ErrorCode::unsupported,
            "an input that the program writes in place has no gradient:",
            program.graph().input(input).name());
  }
}

// Removes outputs, and the inputs that only they read. Returns where the others went.
struct Kept {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
};

template <typename Spec>
std::vector<size_t> positions_after(const std::vector<Spec>& specs,
                                    const std::vector<size_t>& removed) {
  std::vector<size_t> positions;
  size_t next = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    positions.push_back(next);
    if (std::ranges::count(removed, i) == 0) ++next;
  }
  return positions;
}

Kept remove(ir::Program& program, const std::vector<size_t>& inputs,
            const std::vector<size_t>& outputs) {
  ir::Graph& graph = program.graph();
  const Kept kept{positions_after(program.inputs, inputs),
                  positions_after(program.outputs, outputs)};
  std::vector<ir::Argument> results;
  std::vector<ir::OutputSpec> specs;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (std::ranges::count(outputs, i) > 0) continue;
    results.push_back(graph.outputs()[i]);
    specs.push_back(program.outputs[i]);
  }
  graph.set_outputs(std::move(results));
  program.outputs = std::move(specs);
  ir::eliminate_dead_code(graph);
  for (size_t k = inputs.size(); k-- > 0;) {
    graph.erase_input(inputs[k]);
    program.inputs.erase(program.inputs.begin() + static_cast<ptrdiff_t>(inputs[k]));
  }
  return kept;
}

}  // namespace

void make_differentiable(ir::Program& program, bool verify) {
  passes::PassContext context{.program = &program};
  const trace::RecalledSizes sizes(program.module->exprs());
  passes::run_pipeline(passes::differentiable_pipeline(), *program.module, context,
                       {.verify_each = verify});
}

autodiff::Joint add_gradients(ir::Program& program, const autodiff::Request& request) {
  ir::Graph& graph = program.graph();
  require_unwritten(program, request);
  autodiff::Joint joint = autodiff::add_gradients(graph, request);
  for (const size_t i : joint.cotangents) {
    program.inputs.push_back({.kind = ir::InputKind::user, .label = graph.input(i).name()});
  }
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    if (!joint.gradients[i]) continue;
    program.outputs.push_back({.kind = ir::OutputKind::gradient,
                               .label = "gradient of " + graph.input(request.inputs[i]).name()});
  }
  return joint;
}

Tangents add_tangents(ir::Program& program, const autodiff::Request& request) {
  autodiff::Request reverse = request;
  reverse.cotangents = autodiff::Cotangents::inputs;
  const autodiff::Joint joint = add_gradients(program, reverse);
  make_differentiable(program);
  autodiff::Request forward{.inputs = joint.cotangents};
  for (const std::optional<size_t> gradient : joint.gradients) {
    if (gradient) forward.outputs.push_back(*gradient);
  }
  const autodiff::Joint twice = add_gradients(program, forward);
  const Kept kept = remove(program, joint.cotangents, forward.outputs);
  Tangents tangents;
  size_t next = 0;
  for (const std::optional<size_t> gradient : joint.gradients) {
    tangents.inputs.push_back(gradient ? std::optional(kept.inputs[twice.cotangents[next++]])
                                       : std::nullopt);
  }
  for (const std::optional<size_t> tangent : twice.gradients) {
    tangents.outputs.push_back(tangent ? std::optional(kept.outputs[*tangent]) : std::nullopt);
  }
  return tangents;
}

}  // namespace litz::compiler
