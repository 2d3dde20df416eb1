#include "compiler/api/differentiable_program.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "autodiff/saved_values.h"
#include "autodiff/split.h"
#include "compiler/api/operator_calls.h"
#include "compiler/gradients.h"
#include "passes/overlap/prices.h"
#include "support/check.h"
#include "trace/tracer.h"

namespace litz::compiler {
namespace {

/// A graph as a program of its own. `mutated` are the inputs that its first outputs go to.
ir::Program program_of(const ir::Graph& graph, std::span<const ir::OutputSpec> mutated) {
  trace::Tracer tracer(program_ops());
  std::vector<ir::Value> inputs;
  for (const ir::Value input : graph.inputs()) {
    inputs.push_back(tracer.add_argument(input.tensor(), input.name()));
  }
  ir::Program program = tracer.finish(tracer.add_graph(graph, inputs));
  std::ranges::copy(mutated, program.outputs.begin());
  return program;
}

bool can_vary(const ir::Argument& output) {
  if (!output.is_value() || !output.value().is_tensor()) return false;
  const DType dtype = output.value().tensor().dtype;
  return is_floating(dtype) || is_complex(dtype);
}

}  // namespace

DifferentiableProgram::DifferentiableProgram(ir::Program program, std::vector<size_t> wanted,
                                             const Options& options)
    : wanted_(std::move(wanted)) {
  make_differentiable(program);
  ir::Graph& graph = program.graph();
  const size_t outputs = program.outputs.size();
  std::vector<ir::OutputSpec> mutated;
  autodiff::Request request{.inputs = wanted_};
  for (size_t i = 0; i < outputs; ++i) {
    if (!is_user_output(program.outputs[i].kind)) {
      mutated.push_back(program.outputs[i]);
    } else if (can_vary(graph.outputs()[i])) {
      request.outputs.push_back(i);
      varying_results_.push_back(i - mutated.size());
    }
  }
  results_ = outputs - mutated.size();
  const autodiff::Joint joint = add_gradients(program, request);
  for (const std::optional<size_t>& gradient : joint.gradients) {
    gradients_.push_back(gradient ? std::optional(*gradient - outputs) : std::nullopt);
  }
  const autodiff::JointGraph view(graph, joint.cotangents);
  const std::vector<ir::Value> saved =
      autodiff::choose_saved(graph, view,
                             {.memory_budget = options.memory_budget.value_or(1),
                              .keeps_all = !options.memory_budget,
                              .time = passes::operations_of});
  const autodiff::Split parts = autodiff::split(graph, joint.cotangents, outputs, saved);
  check(parts.sizes.empty(), "a program of known sizes must keep no sizes");

  // What is kept anyway, as an operand or a result, is no further result.
  ir::Graph& forward = *parts.forward;
  std::vector<ir::Argument> kept(forward.outputs().begin(), forward.outputs().end());
  std::map<const ir::ValueData*, size_t> known;
  for (size_t i = 0; i < results_; ++i) {
    const ir::Argument& result = kept[mutated.size() + i];
    if (result.is_value()) known.emplace(result.value().data(), i);
  }
  std::vector<ir::Argument> results(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(outputs));
  for (size_t i = outputs; i < kept.size(); ++i) {
    const ir::Value value = kept[i].value();
    if (value.producer() == nullptr) {
      sources_.push_back({true, value.index()});
      continue;
    }
    const auto [found, is_new] = known.emplace(value.data(), results.size() - mutated.size());
    if (is_new) results.push_back(kept[i]);
    sources_.push_back({false, found->second});
  }
  forward.set_outputs(std::move(results));
  backward_ = program_of(*parts.backward, {});
  Options how = options;
  how.memory_budget.reset();
  forward_.emplace(program_of(forward, mutated), how);
}

DifferentiableProgram::Outcome DifferentiableProgram::run(std::span<const Tensor> inputs) {
  Outcome outcome{forward_->run(inputs), {}};
  for (const Source& source : sources_) {
    outcome.saved.push_back(source.is_input ? inputs[source.position]
                                            : outcome.results[source.position]);
  }
  outcome.results.resize(results_);
  return outcome;
}

}  // namespace litz::compiler
