// Gradients of traced functions (litz/compile.h).

#include <algorithm>
#include <numeric>

#include "compiler/api/operator_calls.h"
#include "compiler/api/program_cache.h"
#include "compiler/gradients.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/gradients.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

constexpr size_t kMostJointFunctions = 1024;

/// A function with its derivatives: outputs after its results.
struct JointFunction {
  ir::Program program;
  std::vector<trace::Origin> origins;
  std::vector<std::shared_ptr<Variable>> variables;  ///< Of captured tensors, by input.
  std::vector<size_t> firsts;  ///< By leaf: the first one that is the same argument.
  size_t results = 0;          ///< Of the function.
  /// By cotangent or tangent: the position among inputs; nothing if nothing depends on it.
  std::vector<std::optional<size_t>> given = {};
  /// By leaf its gradient, or by result its tangent: the position among user outputs.
  std::vector<std::optional<size_t>> derivatives = {};
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

/// Callers may write one derivative, which must not be another one or repeat its elements.
void own_outputs(ir::Program& program, std::span<const std::optional<size_t>> positions) {
  ir::Graph& graph = program.graph();
  std::vector<ir::Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  for (const std::optional<size_t>& position : positions) {
    if (!position) continue;
    outputs[*position] = graph.create("aten.clone", {outputs[*position].value()})->output();
  }
  graph.set_outputs(std::move(outputs));
}

JointFunction traced_joint(std::span<const Tensor> leaves, const TracedBody& body,
                           std::vector<size_t> firsts) {
  TracedFunction traced = trace_function(
      leaves, [&](std::span<const Tensor> arguments) { return body(arguments).tensors; }, firsts);
  JointFunction joint{std::move(traced.program), std::move(traced.origins),
                      std::move(traced.variables), std::move(firsts)};
  joint.results = joint.program.outputs.size();
  compiler::make_differentiable(joint.program);
  return joint;
}

/// Arguments that can have derivatives, and their leaves: those that are the same tensor are one
/// argument.
struct Variables {
  std::vector<size_t> inputs;
  std::vector<size_t> leaves;
};

Variables variables_of(const JointFunction& joint) {
  Variables variables;
  size_t argument = 0;
  for (size_t i = 0; i < joint.firsts.size(); ++i) {
    if (joint.firsts[i] != i) continue;
    const size_t position = argument++;
    if (!has_gradient(joint.program.graph().input(position).tensor())) continue;
    variables.inputs.push_back(position);
    variables.leaves.push_back(i);
  }
  return variables;
}

/// The position among a program's results of an output.
size_t among_results(const std::vector<size_t>& outputs, size_t position) {
  return static_cast<size_t>(std::ranges::find(outputs, position) - outputs.begin());
}

/// The function with the gradients of some results, which its program has at these positions.
JointFunction with_gradients(JointFunction joint, std::vector<size_t> of,
                             autodiff::Cotangents cotangents) {
  const Variables variables = variables_of(joint);
  const autodiff::Joint added = compiler::add_gradients(
      joint.program,
      {.inputs = variables.inputs, .outputs = std::move(of), .cotangents = cotangents});
  own_outputs(joint.program, added.gradients);
  joint.given.assign(added.cotangents.begin(), added.cotangents.end());
  const std::vector<size_t> outputs = user_outputs(joint.program);
  joint.derivatives.resize(joint.firsts.size());
  for (size_t i = 0; i < variables.leaves.size(); ++i) {
    if (!added.gradients[i]) continue;
    joint.derivatives[variables.leaves[i]] = among_results(outputs, *added.gradients[i]);
  }
  for (size_t i = 0; i < joint.firsts.size(); ++i) {
    joint.derivatives[i] = joint.derivatives[joint.firsts[i]];
  }
  return joint;
}

/// The results that can have derivatives, by position among the function's results and among the
/// program's outputs.
Variables differentiable_results(const JointFunction& joint) {
  const std::vector<size_t> outputs = user_outputs(joint.program);
  Variables results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ir::Argument& output = joint.program.graph().outputs()[outputs[i]];
    if (!output.is_value() || !output.value().is_tensor()) continue;
    if (!has_gradient(output.value().tensor())) continue;
    results.inputs.push_back(outputs[i]);
    results.leaves.push_back(i);
  }
  return results;
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

/// True if the tensor has the type's dtype and sizes. Sizes that are open stay open.
bool has_type(const Tensor& tensor, const TensorType& type) {
  const auto& traced = TensorAccess::traced(tensor);
  const TensorType own_type =
      traced != nullptr ? traced->value.tensor() : trace::type_of(TensorAccess::own(tensor));
  return own_type.dtype == type.dtype &&
         std::ranges::equal(own_type.sizes, type.sizes,
                            [](Expr a, Expr b) { return known_equal(a, b); });
}

/// Cotangents or tangents, by input of the program.
std::vector<std::pair<size_t, Tensor>> given_inputs(const JointFunction& joint,
                                                    std::span<const Tensor> given) {
  std::vector<std::pair<size_t, Tensor>> inputs;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!joint.given[i]) continue;
    const TensorType& type = joint.program.graph().input(*joint.given[i]).tensor();
    const Tensor& tensor = given[i];
    require(has_type(tensor, type), OwnErrorCode::invalid_argument,
            "a cotangent or tangent must have the type and sizes of what it belongs to:", type);
    inputs.emplace_back(*joint.given[i],
                        call_for_one("aten.clone", {tensor, MemoryFormat::contiguous}));
  }
  return inputs;
}

/// The outputs of a joint function that becomes part of the function around it.
std::vector<Tensor> traced_results(const std::shared_ptr<FunctionTracer>& tracer,
                                   const JointFunction& joint, std::span<const Tensor> leaves,
                                   std::span<const Tensor> given) {
  const std::vector<Tensor> arguments = arguments_among(leaves, joint.firsts);
  std::vector<ir::Value> inputs;
  for (size_t i = 0; i < joint.origins.size(); ++i) {
    if (const auto* tensor = std::get_if<OwnTensor>(&joint.origins[i])) {
      inputs.push_back(tracer->capture(*tensor, joint.variables[i]));
    } else if (const auto* outer = std::get_if<ir::Value>(&joint.origins[i])) {
      inputs.push_back(*outer);
    } else {
      inputs.push_back(value_in(tracer, arguments[i]));
    }
  }
  for (const auto& [position, tensor] : given_inputs(joint, given)) {
    inputs.resize(std::max(inputs.size(), position + 1));
    inputs[position] = value_in(tracer, tensor);
  }
  return add_program(tracer, joint.program, inputs);
}

/// Joint functions outside of compiled ones are traced in each call and compiled once.
std::shared_ptr<compiler::TracedProgram> compiled(ir::Program program) {
  static compiler::ProgramCache programs(kMostJointFunctions);
  return programs.compiled(std::move(program), compiler::traced_options());
}

std::vector<Tensor> run_results(JointFunction joint, std::span<const Tensor> leaves,
                                std::span<const Tensor> given) {
  const std::vector<Tensor> arguments = arguments_among(leaves, joint.firsts);
  std::vector<OwnTensor> inputs;
  for (size_t i = 0; i < joint.origins.size(); ++i) {
    const auto* captured = std::get_if<OwnTensor>(&joint.origins[i]);
    inputs.push_back(captured != nullptr ? *captured : TensorAccess::own(arguments[i]));
  }
  for (const auto& [position, tensor] : given_inputs(joint, given)) {
    inputs.resize(std::max(inputs.size(), position + 1));
    inputs[position] = TensorAccess::own(tensor);
  }
  const std::shared_ptr<compiler::TracedProgram> program = compiled(std::move(joint.program));
  program->require_apart(inputs);
  return shown_tensors(program->run(inputs));
}

/// The results of the function, then its derivatives; zeros like `likes` where nothing depends on
/// anything. `likes` is empty if the results are what derivatives are like.
std::vector<Tensor> results_of(JointFunction joint, std::span<const Tensor> leaves,
                               std::span<const Tensor> given, std::span<const Tensor> likes) {
  const std::vector<std::optional<size_t>> derivatives = joint.derivatives;
  const size_t count = joint.results;
  const std::vector<Tensor> all = is_tracing()
                                      ? traced_results(current_tracer(), joint, leaves, given)
                                      : run_results(std::move(joint), leaves, given);
  std::vector<Tensor> results(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
  for (size_t i = 0; i < derivatives.size(); ++i) {
    results.push_back(derivatives[i]
                          ? all[*derivatives[i]]
                          : call_for_one("aten.zeros_like", {likes.empty() ? all[i] : likes[i]}));
  }
  return results;
}

std::vector<size_t> each_apart(size_t count) {
  std::vector<size_t> firsts(count);
  std::iota(firsts.begin(), firsts.end(), 0);
  return firsts;
}

/// By result: the cotangent or tangent with that number, of results that can have one.
std::vector<Tensor> selected(std::span<const Tensor> all, const std::vector<size_t>& numbers) {
  std::vector<Tensor> chosen;
  for (const size_t i : numbers) chosen.push_back(all[i]);
  return chosen;
}

}  // namespace

std::vector<Tensor> differentiate(std::span<const Tensor> leaves, const TracedBody& body) {
  return raising([&] {
    JointFunction joint = traced_joint(leaves, body, first_equals(leaves));
    const size_t loss = user_outputs(joint.program)[0];
    require_number(joint.program.graph().outputs()[loss]);
    joint = with_gradients(std::move(joint), {loss}, autodiff::Cotangents::ones);
    return results_of(std::move(joint), leaves, {}, leaves);
  });
}

std::vector<Tensor> pull_back(std::span<const Tensor> leaves, std::span<const Tensor> cotangents,
                              const TracedBody& body) {
  return raising([&] {
    JointFunction joint = traced_joint(leaves, body, first_equals(leaves));
    require(cotangents.size() == joint.results, OwnErrorCode::invalid_argument,
            "there must be a cotangent for each of the function's results:", joint.results);
    const Variables results = differentiable_results(joint);
    joint = with_gradients(std::move(joint), results.inputs, autodiff::Cotangents::inputs);
    const std::vector<Tensor> given = selected(cotangents, results.leaves);
    return results_of(std::move(joint), leaves, given, leaves);
  });
}

std::vector<Tensor> push_forward(std::span<const Tensor> leaves, std::span<const Tensor> tangents,
                                 const TracedBody& body) {
  return raising([&] {
    require(tangents.size() == leaves.size(), OwnErrorCode::invalid_argument,
            "there must be a tangent for each tensor of the argument:", leaves.size());
    // A tensor that the argument has twice may have two tangents.
    JointFunction joint = traced_joint(leaves, body, each_apart(leaves.size()));
    const Variables variables = variables_of(joint);
    const Variables results = differentiable_results(joint);
    const compiler::Tangents added = compiler::add_tangents(
        joint.program, {.inputs = variables.inputs, .outputs = results.inputs});
    own_outputs(joint.program, added.outputs);
    joint.given = added.inputs;
    const std::vector<size_t> outputs = user_outputs(joint.program);
    joint.derivatives.resize(joint.results);
    for (size_t i = 0; i < results.leaves.size(); ++i) {
      if (!added.outputs[i]) continue;
      joint.derivatives[results.leaves[i]] = among_results(outputs, *added.outputs[i]);
    }
    const std::vector<Tensor> given = selected(tangents, variables.leaves);
    return results_of(std::move(joint), leaves, given, {});
  });
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
