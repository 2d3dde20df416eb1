#include <algorithm>

#include "compiler/api/operator_calls.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

using Tracers = std::vector<std::shared_ptr<trace::Tracer>>;

Tracers& tracers() {
  thread_local Tracers tracers;
  return tracers;
}

class TraceScope {
 public:
  explicit TraceScope(std::shared_ptr<trace::Tracer> tracer) {
    tracers().push_back(std::move(tracer));
  }

  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

  ~TraceScope() { tracers().pop_back(); }
};

/// The value that stands for one of function `depth` in the functions inside of it, down to the
/// innermost.
ir::Value captured_from(size_t depth, ir::Value value) {
  for (size_t inner = depth + 1; inner < tracers().size(); ++inner) {
    value = tracers()[inner]->capture(value);
  }
  return value;
}

}  // namespace

const std::shared_ptr<trace::Tracer>& current_tracer() {
  static const std::shared_ptr<trace::Tracer> none;
  return tracers().empty() ? none : tracers().back();
}

ir::Value value_in(const std::shared_ptr<trace::Tracer>& tracer, const Tensor& tensor) {
  const auto& traced = TensorAccess::traced(tensor);
  if (traced == nullptr) return tracer->capture(TensorAccess::own(tensor));
  for (size_t depth = 0; depth < tracers().size(); ++depth) {
    if (tracers()[depth] == traced->tracer) return captured_from(depth, traced->value);
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
  return is_traced || compiler::is_same(TensorAccess::own(a), TensorAccess::own(b));
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

TracedFunction trace_function(std::span<const Tensor> leaves, const TensorFunction& body,
                              std::span<const size_t> firsts) {
  const auto tracer = std::make_shared<trace::Tracer>(compiler::program_ops());
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!firsts.empty() && firsts[i] < i) {
      arguments.push_back(arguments[firsts[i]]);
      continue;
    }
    const auto& traced = TensorAccess::traced(leaves[i]);
    TensorType type =
        traced != nullptr ? traced->value.tensor() : trace::type_of(TensorAccess::own(leaves[i]));
    type.offset = 0;
    arguments.push_back(
        TensorAccess::shown(tracer, tracer->add_argument(type, "arg" + std::to_string(i))));
  }
  const TraceScope scope(tracer);
  std::vector<ir::Argument> outputs;
  for (const Tensor& result : body(arguments)) outputs.emplace_back(value_in(tracer, result));
  ir::Program program = tracer->finish(std::move(outputs));
  return {std::move(program), tracer->origins()};
}

std::vector<Tensor> add_program(const std::shared_ptr<trace::Tracer>& tracer,
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
