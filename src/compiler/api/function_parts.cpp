#include <map>

#include "compiler/api/operator_calls.h"
#include "compiler/api/program_cache.h"
#include "support/check.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/function_parts.h"

namespace litz {
inline namespace v1 {
namespace {

/// The values that the code may still use. Those that stand for one value get one result.
struct LiveValues {
  std::vector<std::shared_ptr<TracedValue>> inputs;  ///< Values that are inputs of the part.
  std::vector<std::shared_ptr<TracedValue>> made;
  std::vector<size_t> results;  ///< By value that is made: its position among `outputs`.
  std::vector<ir::Argument> outputs;

  explicit LiveValues(const FunctionTracer& tracer) {
    std::map<const ir::ValueData*, size_t> positions;
    for (const std::weak_ptr<TracedValue>& shown : tracer.shown) {
      std::shared_ptr<TracedValue> live = shown.lock();
      if (live == nullptr) continue;
      if (live->value.producer() == nullptr) {
        inputs.push_back(std::move(live));
        continue;
      }
      const auto [found, is_new] = positions.try_emplace(live->value.data(), outputs.size());
      if (is_new) outputs.emplace_back(live->value);
      results.push_back(found->second);
      made.push_back(std::move(live));
    }
  }
};

/// What the inputs of a part stand for in this call.
std::vector<OwnTensor> inputs_of(const FunctionTracer& tracer,
                                 std::span<const OwnTensor> arguments) {
  std::vector<OwnTensor> inputs;
  for (const trace::Origin& origin : tracer.origins()) {
    const auto* captured = std::get_if<OwnTensor>(&origin);
    inputs.push_back(captured != nullptr ? *captured : arguments[inputs.size()]);
  }
  return inputs;
}

/// Tensors that share memory are views of one input of the next part.
void share_storages(FunctionTracer& tracer, const LiveValues& live) {
  std::map<const Storage*, const OwnTensor*> seen;
  for (const auto* values : {&live.inputs, &live.made}) {
    for (const std::shared_ptr<TracedValue>& value : *values) {
      const OwnTensor& tensor = *value->data;
      if (!tensor.defined()) continue;
      const auto [first, is_new] = seen.try_emplace(tensor.storage().get(), &tensor);
      if (!is_new && !compiler::is_same(*first->second, tensor)) tracer.share_storage(tensor);
    }
  }
}

}  // namespace

std::shared_ptr<FunctionTracer> FunctionParts::end_part(
    const std::shared_ptr<FunctionTracer>& tracer, const std::string& reason) {
  if (tracer->sizes() != nullptr) throw NeedsNumbers();
  reasons_.push_back(reason);
  LiveValues live(*tracer);
  const std::vector<OwnTensor> inputs = inputs_of(*tracer, arguments_);
  // Values know their places until the program is compiled.
  for (const auto& value : live.inputs) value->data = inputs[value->value.index()];
  const auto program = programs_.compiled(tracer->finish(std::move(live.outputs)), options_);
  program->require_apart(inputs);
  const std::vector<OwnTensor> results = program->run(inputs);
  for (size_t i = 0; i < live.made.size(); ++i) live.made[i]->data = results[live.results[i]];
  arguments_ = {};
  auto next = std::make_shared<FunctionTracer>(compiler::program_ops());
  share_storages(*next, live);
  return next;
}

}  // namespace v1
}  // namespace litz
