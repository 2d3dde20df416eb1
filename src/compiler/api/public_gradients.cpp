// Gradients of traced functions (litz/compile.h).

#include "compiler/api/operator_calls.h"
#include "compiler/api/program_cache.h"
#include "compiler/gradients.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/compile.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

constexpr size_t kMostJointFunctions = 1024;

/// A function with its gradients: after its results, one for each leaf that has one.
struct JointFunction {
  ir::Program program;
  std::vector<trace::Origin> origins;
  std::vector<size_t> firsts;  ///< By leaf: the first one that is the same tensor.
  std::vector<std::optional<size_t>> gradients;  ///< By leaf: the position among user outputs.
};

/// The positions of a program's results, without new contents of inputs.
std::vector<size_t> user_outputs(const ir::Program& program) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (is_user_output(program.outputs[i].kind)) positions.push_back(i);
  }
  return positions;
}

bool has_gradient(const TensorType& type) {
  return is_floating(type.dtype) || is_complex(type.dtype);
}

void require_number(const ir::Argument& output) {
  require(output.is_value() && output.value().is_tensor(), "a gradient is of a tensor");
  const TensorType& type = output.value().tensor();
  require(is_floating(type.dtype) && type.numel().is(1), OwnErrorCode::invalid_argument,
          "a gradient is of one real number, for example a mean; the function returned", type);
}

/// Callers may write one gradient, which must not be another one or repeat its elements.
void own_gradients(ir::Program& program, const autodiff::Joint& joint) {
  ir::Graph& graph = program.graph();
  std::vector<ir::Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  for (const std::optional<size_t>& position : joint.gradients) {
    if (!position) continue;
    outputs[*position] = graph.create("aten.clone", {outputs[*position].value()})->output();
  }
  graph.set_outputs(std::move(outputs));
}

JointFunction joint_function(std::span<const Tensor> leaves, const TracedBody& body) {
  const std::vector<size_t> firsts = first_equals(leaves);
  TracedFunction traced = trace_function(
      leaves, [&](std::span<const Tensor> arguments) { return body(arguments).tensors; }, firsts);
  JointFunction joint{std::move(traced.program), std::move(traced.origins), {}, {}};
  require_number(joint.program.graph().outputs()[0]);
  compiler::make_differentiable(joint.program);
  autodiff::Request request;
  request.outputs = {user_outputs(joint.program)[0]};
  request.cotangents = autodiff::Cotangents::ones;
  // Leaves that are the same tensor are one argument and have one gradient.
  std::vector<size_t> leaf_of_request;
  size_t argument = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (firsts[i] != i) continue;
    const size_t position = argument++;
    if (!has_gradient(joint.program.graph().input(position).tensor())) continue;
    request.inputs.push_back(position);
    leaf_of_request.push_back(i);
  }
  const autodiff::Joint added = compiler::add_gradients(joint.program, request);
  own_gradients(joint.program, added);
  const std::vector<size_t> outputs = user_outputs(joint.program);
  joint.gradients.resize(leaves.size());
  for (size_t i = 0; i < leaf_of_request.size(); ++i) {
    if (!added.gradients[i]) continue;
    const auto position = std::ranges::find(outputs, *added.gradients[i]);
    joint.gradients[leaf_of_request[i]] = static_cast<size_t>(position - outputs.begin());
  }
  for (size_t i = 0; i < leaves.size(); ++i) joint.gradients[i] = joint.gradients[firsts[i]];
  joint.firsts = firsts;
  return joint;
}

/// The leaves that are arguments of their own, in order; they come first among the inputs.
std::vector<Tensor> arguments_among(std::span<const Tensor> leaves,
                                    std::span<const size_t> firsts) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (firsts[i] == i) arguments.push_back(leaves[i]);
  }
  return arguments;
}

/// The results of a joint function that becomes part of the function around it.
std::vector<Tensor> traced_results(const std::shared_ptr<FunctionTracer>& tracer,
                                   const JointFunction& joint, std::span<const Tensor> leaves) {
  const std::vector<Tensor> arguments = arguments_among(leaves, joint.firsts);
  std::vector<ir::Value> inputs;
  for (size_t i = 0; i < joint.origins.size(); ++i) {
    if (const auto* tensor = std::get_if<OwnTensor>(&joint.origins[i])) {
      inputs.push_back(tracer->capture(*tensor));
    } else if (const auto* outer = std::get_if<ir::Value>(&joint.origins[i])) {
      inputs.push_back(*outer);
    } else {
      inputs.push_back(value_in(tracer, arguments[i]));
    }
  }
  return add_program(tracer, joint.program, inputs);
}

/// Joint functions outside of compiled ones are traced in each call and compiled once.
std::shared_ptr<compiler::TracedProgram> compiled(ir::Program program) {
  static compiler::ProgramCache programs(kMostJointFunctions);
  return programs.compiled(std::move(program), compiler::traced_options());
}

std::vector<Tensor> run_results(JointFunction joint, std::span<const Tensor> leaves) {
  const std::vector<Tensor> arguments = arguments_among(leaves, joint.firsts);
  std::vector<OwnTensor> inputs;
  for (size_t i = 0; i < joint.origins.size(); ++i) {
    const auto* captured = std::get_if<OwnTensor>(&joint.origins[i]);
    inputs.push_back(captured != nullptr ? *captured : TensorAccess::own(arguments[i]));
  }
  const std::shared_ptr<compiler::TracedProgram> program = compiled(std::move(joint.program));
  program->require_apart(inputs);
  return shown_tensors(program->run(inputs));
}

}  // namespace

std::vector<Tensor> differentiate(std::span<const Tensor> leaves, const TracedBody& body) {
  return raising([&] {
    JointFunction joint = joint_function(leaves, body);
    const std::vector<std::optional<size_t>> gradients = joint.gradients;
    const std::vector<Tensor> all = is_tracing() ? traced_results(current_tracer(), joint, leaves)
                                                 : run_results(std::move(joint), leaves);
    std::vector<Tensor> results{all[0]};
    for (size_t i = 0; i < leaves.size(); ++i) {
      results.push_back(gradients[i] ? all[*gradients[i]]
                                     : call_for_one("aten.zeros_like", {leaves[i]}));
    }
    return results;
  });
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
