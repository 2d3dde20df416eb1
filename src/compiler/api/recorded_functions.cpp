#include "compiler/api/recorded_functions.h"

#include <utility>

#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

std::string key_of(std::span<const Tensor> tensors, const std::vector<size_t>& firsts,
                   std::string_view values) {
  std::string key(values);
  for (size_t i = 0; i < tensors.size(); ++i) {
    key += "; " + std::to_string(firsts[i]) + " " +
           to_string(trace::type_of(TensorAccess::own(tensors[i])));
    if (TensorAccess::variable(tensors[i]) != nullptr) key += " varies";
  }
  return key;
}

}  // namespace

RecordedFunctions::Function RecordedFunctions::traced(std::span<const Tensor> tensors,
                                                      const std::vector<size_t>& firsts,
                                                      const detail::TracedBody& body,
                                                      const compiler::Options& options) {
  Function function;
  TracedFunction traced;
  try {
    traced = trace_function(
        tensors,
        [&](std::span<const Tensor> arguments) {
          detail::TracedResult result = body(arguments);
          function.tree = std::move(result.tree);
          return std::move(result.tensors);
        },
        firsts);
  } catch (const Error&) {
    return {};  // If it is the caller's mistake, it fails in the same way without a trace.
  } catch (const OwnError&) {
    return {};
  }
  std::vector<size_t> wanted;
  size_t input = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (firsts[i] != i) continue;
    if (TensorAccess::variable(tensors[i]) != nullptr) wanted.push_back(input);
    ++input;
  }
  for (size_t i = input; i < traced.origins.size(); ++i) {
    function.captured.push_back(std::get<OwnTensor>(traced.origins[i]));
    function.variables.push_back(traced.variables[i]);
    if (traced.variables[i] != nullptr) wanted.push_back(i);
  }
  function.program = std::make_shared<compiler::DifferentiableProgram>(std::move(traced.program),
                                                                       std::move(wanted), options);
  return function;
}

std::shared_ptr<RecordedFunctions::Function> RecordedFunctions::find(
    std::span<const Tensor> tensors, const std::vector<size_t>& firsts, std::string_view values,
    const detail::TracedBody& body, const compiler::Options& options) {
  std::string key = key_of(tensors, firsts, values);
  const std::lock_guard lock(mutex_);
  if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
  require(functions_.size() < most_, OwnErrorCode::limit_exceeded,
          "a compiled function must be called with at most", most_,
          "different signatures: pad its arguments to a few sizes");
  auto function = std::make_shared<Function>(traced(tensors, firsts, body, options));
  return functions_.emplace(std::move(key), std::move(function)).first->second;
}

detail::TracedResult RecordedFunctions::call(std::span<const Tensor> tensors,
                                             const std::vector<size_t>& firsts,
                                             std::string_view values,
                                             const detail::TracedBody& body,
                                             const compiler::Options& options) {
  const std::shared_ptr<Function> function = find(tensors, firsts, values, body, options);
  if (function->program == nullptr) return body(tensors);
  std::vector<OwnTensor> inputs;
  auto call = std::make_shared<RecordedCall>();
  const auto add = [&](const OwnTensor& tensor, const std::shared_ptr<Variable>& variable) {
    inputs.push_back(tensor);
    if (variable != nullptr) call->operands.push_back(variable);
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (firsts[i] == i) add(TensorAccess::own(tensors[i]), TensorAccess::variable(tensors[i]));
  }
  for (size_t i = 0; i < function->captured.size(); ++i) {
    add(function->captured[i], function->variables[i]);
  }
  function->program->require_apart(inputs);
  compiler::DifferentiableProgram::Outcome outcome = function->program->run(inputs);
  call->program = function->program;
  call->saved = std::move(outcome.saved);
  const auto variables = record(std::move(call), outcome.results);
  std::vector<Tensor> results;
  for (size_t i = 0; i < variables.size(); ++i) {
    results.push_back(TensorAccess::shown(std::move(outcome.results[i]), variables[i]));
  }
  return {std::move(results), function->tree};
}

}  // namespace v1
}  // namespace litz
