#include "compiler/gradients.h"

#include <algorithm>
#include <string>

#include "passes/differentiable_form.h"
#include "passes/pass_driver.h"
#include "support/check.h"

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

}  // namespace

void make_differentiable(ir::Program& program, bool verify) {
  passes::PassContext context{.program = &program};
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

}  // namespace litz::compiler
