#include <map>
#include <utility>

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

/// What the inputs of a part stand for, all of which are tensors.
std::vector<OwnTensor> inputs_of(const FunctionTracer& tracer) {
  std::vector<OwnTensor> inputs;
  for (const trace::Origin& origin : tracer.origins()) {
    inputs.push_back(std::get<OwnTensor>(origin));
  }
  return inputs;
}

}  // namespace

std::shared_ptr<FunctionTracer> FunctionParts::end_part(
    const std::shared_ptr<FunctionTracer>& tracer, const std::string& reason) {
  if (tracer->sizes() != nullptr) throw NeedsNumbers();
  reasons_.push_back(reason);
  tracer->bind_arguments(std::exchange(arguments_, {}));
  LiveValues live(*tracer);
  // Values know their places until the program is finished.
  const std::vector<OwnTensor> captured = inputs_of(*tracer);
  for (const auto& value : live.inputs) value->data = captured[value->value.index()];
  ir::Program stated = tracer->finish(std::move(live.outputs));
  const std::vector<OwnTensor> inputs = inputs_of(*tracer);
  const auto program = programs_.compiled(std::move(stated), options_);
  program->require_apart(inputs);
  const std::vector<OwnTensor> results = program->run(inputs);
  for (size_t i = 0; i < live.made.size(); ++i) live.made[i]->data = results[live.results[i]];
  return std::make_shared<FunctionTracer>(compiler::program_ops());
}

}  // namespace v1
}  // namespace litz
