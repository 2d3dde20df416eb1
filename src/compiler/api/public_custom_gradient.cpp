// Functions whose gradients are stated (litz/gradients.h): calls of two graphs.

#include "compiler/api/operator_calls.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tape.h"
#include "compiler/api/tracing.h"
#include "litz/gradients.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

/// What a function captures, as values of the function around it.
std::vector<ir::Value> captured_values(const std::shared_ptr<FunctionTracer>& tracer,
                                       const TracedFunction& function) {
  std::vector<ir::Value> values;
  for (const trace::Origin& origin : function.origins) {
    if (const auto* tensor = std::get_if<OwnTensor>(&origin)) {
      values.push_back(tracer->capture(*tensor));
    } else if (const auto* outer = std::get_if<ir::Value>(&origin)) {
      values.push_back(*outer);
    }
  }
  return values;
}

/// The places of a graph's inputs among operands: those in front, then what it captures.
std::vector<size_t> places_of(size_t front, size_t captured_from, size_t captured) {
  std::vector<size_t> places;
  for (size_t i = 0; i < front; ++i) places.push_back(i);
  for (size_t i = 0; i < captured; ++i) places.push_back(captured_from + i);
  return places;
}

TensorFunction tensors_of_body(const TracedBody& body) {
  return [&](std::span<const Tensor> arguments) { return body(arguments).tensors; };
}

std::vector<TensorType> types_of(std::span<const ir::Value> values) {
  std::vector<TensorType> types;
  for (const ir::Value value : values) types.push_back(value.tensor());
  return types;
}

}  // namespace

std::vector<Tensor> call_with_gradient(std::span<const Tensor> leaves, const TracedBody& body,
                                       const TracedBody& backward) {
  return raising([&] {
    const std::shared_ptr<FunctionTracer> tracer = current_tracer();
    if (tracer == nullptr) {
      const bool is_recorded =
          records_gradients() && std::ranges::any_of(leaves, [](const Tensor& leaf) {
            return TensorAccess::variable(leaf) != nullptr;
          });
      require(!is_recorded, OwnErrorCode::unsupported,
              "a stated gradient is not recorded operator by operator: compile the function that "
              "calls it");
      return body(leaves).tensors;
    }
    // Operands are the leaves, what the function captures, and what the other one captures.
    std::vector<ir::Value> operands;
    for (const Tensor& leaf : leaves) operands.push_back(value_in(tracer, leaf));
    const size_t count = leaves.size();
    TracedFunction forward = trace_function(types_of(operands), tensors_of_body(body));
    const std::vector<ir::Value> of_forward = captured_values(tracer, forward);
    std::vector<TensorType> results;  // And their gradients, which have rows.
    for (const ir::Argument& output : forward.program.graph().outputs()) {
      results.push_back(output.value().tensor());
    }
    for (size_t i = 0, n = results.size(); i < n; ++i) {
      results.push_back(contiguous_type(results[i].dtype, results[i].sizes, results[i].device));
    }
    std::vector<TensorType> stated_types = types_of(operands);
    stated_types.insert(stated_types.end(), results.begin(), results.end());
    TracedFunction stated = trace_function(stated_types, tensors_of_body(backward));
    require(stated.program.graph().outputs().size() == count, OwnErrorCode::invalid_argument,
            "a stated gradient must have a tensor for each of the argument");
    const std::vector<ir::Value> of_stated = captured_values(tracer, stated);
    operands.insert(operands.end(), of_forward.begin(), of_forward.end());
    operands.insert(operands.end(), of_stated.begin(), of_stated.end());
    std::vector<TensorType> types = types_of(operands);
    const ir::GraphRef forward_child =
        tracer->add_child(forward.program, types, places_of(count, count, of_forward.size()));
    // The other one gets the operands, then results and gradients.
    std::vector<size_t> places = places_of(count, types.size(), results.size());
    const std::vector<size_t> captured = places_of(0, count + of_forward.size(), of_stated.size());
    places.insert(places.end(), captured.begin(), captured.end());
    types.insert(types.end(), results.begin(), results.end());
    const ir::GraphRef stated_child = tracer->add_child(stated.program, types, places);
    std::vector<Tensor> made;
    for (const ir::Value value :
         tracer->call("higher_order.custom_gradient", {forward_child, stated_child, operands})) {
      made.push_back(TensorAccess::shown(tracer, value));
    }
    return made;
  });
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
