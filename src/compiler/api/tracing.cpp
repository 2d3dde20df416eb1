#include <algorithm>

#include "compiler/api/operator_calls.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

/// A function that this thread traces.
struct OpenTrace {
  std::shared_ptr<FunctionTracer> tracer;
  Breaker* breaker = nullptr;
  bool records = false;
  bool has_run_part = false;
};

std::vector<OpenTrace>& open_traces() {
  thread_local std::vector<OpenTrace> traces;
  return traces;
}

/// The value that stands for one of function `depth` in the functions inside of it, down to the
/// innermost.
ir::Value captured_from(size_t depth, ir::Value value) {
  for (size_t inner = depth + 1; inner < open_traces().size(); ++inner) {
    value = open_traces()[inner].tracer->capture(value);
  }
  return value;
}

}  // namespace

TraceScope::TraceScope(std::shared_ptr<FunctionTracer> tracer, Breaker* breaker, bool records) {
  open_traces().push_back({std::move(tracer), breaker, records});
}

TraceScope::~TraceScope() { open_traces().pop_back(); }

const std::shared_ptr<FunctionTracer>& current_tracer() {
  static const std::shared_ptr<FunctionTracer> none;
  return open_traces().empty() ? none : open_traces().back().tracer;
}

bool end_current_part(const std::string& reason) {
  if (open_traces().empty() || open_traces().back().breaker == nullptr) return false;
  OpenTrace& open = open_traces().back();
  open.tracer = open.breaker->end_part(open.tracer, reason);
  open.has_run_part = true;
  return true;
}

ir::Value value_in(const std::shared_ptr<FunctionTracer>& tracer, const Tensor& tensor) {
  const auto& traced = TensorAccess::traced(tensor);
  if (traced == nullptr) {
    const std::shared_ptr<Variable>& variable = TensorAccess::variable(tensor);
    if (variable != nullptr && open_traces().front().records) {
      require(
          !open_traces().front().has_run_part, OwnErrorCode::unsupported,
          "a function that reads elements of what it computes must not use a tensor whose gradient "
          "is recorded after that: pass the tensor to it");
      throw CapturesVariable();
    }
    return tracer->capture(TensorAccess::own(tensor), variable);
  }
  for (size_t depth = 0; depth < open_traces().size(); ++depth) {
    if (open_traces()[depth].tracer == traced->tracer) return captured_from(depth, traced->value);
  }
  fail(
      OwnErrorCode::invalid_argument,
      "a tensor of a traced function must not be used after its trace: a function must return what "
      "it computes instead of storing it outside");
}

namespace {

const void* memory_of(const Tensor& tensor) {
  const auto& traced = TensorAccess::traced(tensor);
  if (traced != nullptr) return traced->value.data();
  return TensorAccess::own(tensor).storage().get();
}

bool are_same(const Tensor& a, const Tensor& b) {
  const bool is_traced = TensorAccess::traced(a) != nullptr;
  if (memory_of(a) != memory_of(b) || is_traced != (TensorAccess::traced(b) != nullptr))
    return false;
  return is_traced || (compiler::is_same(TensorAccess::own(a), TensorAccess::own(b)) &&
                       TensorAccess::variable(a) == TensorAccess::variable(b));
}

}  // namespace

std::vector<size_t> detail::first_equals(std::span<const Tensor> tensors) {
  std::vector<std::pair<const void*, size_t>> by_memory;
  by_memory.reserve(tensors.size());
  std::vector<size_t> firsts(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    firsts[i] = i;
    by_memory.emplace_back(memory_of(tensors[i]), i);
  }
  std::ranges::sort(by_memory);
  for (size_t k = 1; k < by_memory.size(); ++k) {
    const auto [memory, i] = by_memory[k];
    for (size_t before = k; before-- > 0 && by_memory[before].first == memory;) {
      if (are_same(tensors[by_memory[before].second], tensors[i]))
        firsts[i] = by_memory[before].second;
    }
  }
  return firsts;
}

std::vector<Tensor> traced_arguments(const std::shared_ptr<FunctionTracer>& tracer,
                                     std::span<const TensorType> types,
                                     std::span<const size_t> firsts) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!firsts.empty() && firsts[i] < i) {
      arguments.push_back(arguments[firsts[i]]);
      continue;
    }
    const ir::Value argument = tracer->add_argument(types[i], "arg" + std::to_string(i));
    arguments.push_back(TensorAccess::shown(tracer, argument));
  }
  return arguments;
}

TracedFunction trace_function(std::span<const Tensor> leaves, const TensorFunction& body,
                              std::span<const size_t> firsts) {
  std::vector<TensorType> types;
  for (const Tensor& leaf : leaves) {
    const auto& traced = TensorAccess::traced(leaf);
    // Of a value of the function around it, views count from the same place there.
    types.push_back(traced != nullptr ? traced->value.tensor()
                                      : trace::type_of(TensorAccess::own(leaf)));
  }
  return trace_function(types, body, firsts);
}

TracedFunction trace_function(std::span<const TensorType> types, const TensorFunction& body,
                              std::span<const size_t> firsts) {
  const auto& around = current_tracer();
  const auto tracer = std::make_shared<FunctionTracer>(
      compiler::program_ops(), around == nullptr ? nullptr : around->sizes());
  const std::vector<Tensor> arguments = traced_arguments(tracer, types, firsts);
  const TraceScope scope(tracer);
  std::vector<ir::Argument> outputs;
  for (const Tensor& result : body(arguments)) outputs.emplace_back(value_in(tracer, result));
  ir::Program program = tracer->finish(std::move(outputs));
  std::vector<std::shared_ptr<Variable>> variables;
  for (const std::shared_ptr<void>& owner : tracer->owners()) {
    variables.push_back(std::static_pointer_cast<Variable>(owner));
  }
  return {std::move(program), tracer->origins(), std::move(variables)};
}

std::vector<Tensor> add_program(const std::shared_ptr<FunctionTracer>& tracer,
                                const ir::Program& program, std::span<const ir::Value> inputs) {
  const std::vector<ir::Argument> outputs = tracer->add_program(program, inputs);
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ir::OutputSpec& output = program.outputs[i];
    if (!outputs[i].is_value() || !outputs[i].value().is_tensor()) continue;
    if (is_mutation(output.kind)) {
      tracer->call("aten.copy_", {inputs[static_cast<size_t>(output.input)], outputs[i].value()});
    } else {
      results.push_back(TensorAccess::shown(tracer, outputs[i].value()));
    }
  }
  return results;
}

std::vector<Tensor> shown_tensors(std::vector<OwnTensor> tensors) {
  std::vector<Tensor> shown;
  shown.reserve(tensors.size());
  for (OwnTensor& tensor : tensors) shown.push_back(TensorAccess::shown(std::move(tensor)));
  return shown;
}

}  // namespace v1
}  // namespace litz
