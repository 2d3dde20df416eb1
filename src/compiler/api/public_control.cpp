// Conditions and loops of litz/control.h: calls of higher-order operators with traced child graphs.

#include <algorithm>

#include "compiler/api/operator_calls.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/control.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

/// Traced functions that become child graphs of one call. All take the same operands: those that the call
/// gives to each, and what any of them captures.
class ChildGraphs {
 public:
  explicit ChildGraphs(std::shared_ptr<FunctionTracer> tracer) : tracer_(std::move(tracer)) {}

  /// Traces a function of tensors of these types.
  void add(const TracedBody& body, std::span<const TensorType> types) {
    Child child;
    given_.assign(types.begin(), types.end());
    for (TensorType& type : given_) type.offset = 0;
    child.function = trace_function(given_, [&](std::span<const Tensor> arguments) {
      TracedResult result = body(arguments);
      if (tree_ == nullptr) tree_ = std::move(result.tree);
      return std::move(result.tensors);
    });
    passes::PassContext context{.program = &child.function.program};
    passes::run_pipeline(passes::import_pipeline(), *child.function.program.module, context);
    require(std::ranges::all_of(child.function.program.outputs,
                                [](const auto& output) { return is_user_output(output.kind); }),
            OwnErrorCode::unsupported,
            "a function of a condition or loop must not write tensors from outside");
    for (const trace::Origin& origin : child.function.origins)
      child.operands.push_back(place_of(origin));
    children_.push_back(std::move(child));
  }

  /// The graphs, and then what they capture.
  std::vector<ir::GraphRef> finish() {
    std::vector<TensorType> types = given_;
    for (const ir::Value value : captured_) types.push_back(value.tensor());
    std::vector<ir::GraphRef> graphs;
    for (const Child& child : children_) {
      size_t next = 0;
      std::vector<size_t> places;
      for (const std::optional<size_t>& captured : child.operands) {
        places.push_back(captured ? given_.size() + *captured : next++);
      }
      graphs.push_back(tracer_->add_child(child.function.program, types, places));
    }
    return graphs;
  }

  const std::vector<ir::Value>& captured() const { return captured_; }

  const std::shared_ptr<const void>& tree() const { return tree_; }

 private:
  struct Child {
    TracedFunction function;
    std::vector<std::optional<size_t>>
        operands;  ///< By input: its place in `captured_`, if it is there.
  };

  std::optional<size_t> place_of(const trace::Origin& origin) {
    ir::Value value;
    if (const auto* tensor = std::get_if<OwnTensor>(&origin)) {
      value = tracer_->capture(*tensor);
    } else if (const auto* outer = std::get_if<ir::Value>(&origin)) {
      value = *outer;
    } else {
      return std::nullopt;
    }
    const auto known = std::ranges::find(captured_, value);
    if (known == captured_.end()) captured_.push_back(value);
    return static_cast<size_t>(std::ranges::find(captured_, value) - captured_.begin());
  }

  std::shared_ptr<FunctionTracer> tracer_;
  std::vector<TensorType> given_;
  std::vector<Child> children_;
  std::vector<ir::Value> captured_;
  std::shared_ptr<const void> tree_;  ///< Of the first function's result.
};

/// The tracer of this call: traces inside of it move the list that current_tracer refers to.
std::shared_ptr<FunctionTracer> held_tracer() { return current_tracer(); }

std::vector<ir::Value> values_of(const std::shared_ptr<FunctionTracer>& tracer,
                                 std::span<const Tensor> tensors) {
  std::vector<ir::Value> values;
  for (const Tensor& tensor : tensors) values.push_back(value_in(tracer, tensor));
  return values;
}

std::vector<TensorType> types_of(std::span<const ir::Value> values) {
  std::vector<TensorType> types;
  for (const ir::Value value : values) types.push_back(value.tensor());
  return types;
}

/// The types of one row of each tensor, row-major.
std::vector<TensorType> row_types(std::span<const ir::Value> xs) {
  std::vector<TensorType> types;
  for (const ir::Value x : xs) {
    const TensorType& type = x.tensor();
    require(type.rank() > 0, OwnErrorCode::invalid_argument,
            "a loop must walk along tensors with rows, not", type);
    types.push_back(
        contiguous_type(type.dtype, Sizes(type.sizes.begin() + 1, type.sizes.end()), type.device));
  }
  return types;
}

TracedResult called(const std::shared_ptr<FunctionTracer>& tracer, std::string_view op,
                    std::vector<ir::Argument> arguments, const ChildGraphs& children) {
  TracedResult result{{}, children.tree()};
  for (const ir::Value value : tracer->call(op, std::move(arguments))) {
    result.tensors.push_back(TensorAccess::shown(tracer, value));
  }
  return result;
}

std::vector<TensorType> joined(std::vector<TensorType> first, std::vector<TensorType> second) {
  std::ranges::move(second, std::back_inserter(first));
  return first;
}

/// The call of a loop over rows with one function, of arguments of these types.
TracedResult looped(const std::shared_ptr<FunctionTracer>& tracer, std::string_view op,
                    const TracedBody& body, const std::vector<TensorType>& types,
                    const std::vector<ir::Argument>& lists) {
  ChildGraphs children(tracer);
  children.add(body, types);
  std::vector<ir::Argument> arguments{children.finish()[0]};
  arguments.insert(arguments.end(), lists.begin(), lists.end());
  arguments.emplace_back(children.captured());
  return called(tracer, op, std::move(arguments), children);
}

}  // namespace

TracedResult trace_cond(const Tensor& predicate, std::span<const Tensor> operands,
                        const TracedBody& yes, const TracedBody& no) {
  return raising([&] {
    const auto tracer = held_tracer();
    const ir::Value condition = value_in(tracer, predicate);
    std::vector<ir::Value> values = values_of(tracer, operands);
    ChildGraphs children(tracer);
    children.add(yes, types_of(values));
    children.add(no, types_of(values));
    const std::vector<ir::GraphRef> graphs = children.finish();
    values.insert(values.end(), children.captured().begin(), children.captured().end());
    return called(tracer, "higher_order.cond", {condition, graphs[0], graphs[1], values}, children);
  });
}

TracedResult trace_while(const TracedBody& condition, const TracedBody& body,
                         std::span<const Tensor> carried) {
  return raising([&] {
    const auto tracer = held_tracer();
    const std::vector<ir::Value> values = values_of(tracer, carried);
    ChildGraphs children(tracer);
    children.add(body, types_of(values));  // First, because its result is the loop's.
    children.add(condition, types_of(values));
    const std::vector<ir::GraphRef> graphs = children.finish();
    return called(tracer, "higher_order.while_loop",
                  {graphs[1], graphs[0], values, children.captured()}, children);
  });
}

TracedResult trace_scan(const TracedBody& combine, std::span<const Tensor> carried,
                        std::span<const Tensor> xs) {
  return raising([&] {
    const auto tracer = held_tracer();
    const std::vector<ir::Value> init = values_of(tracer, carried);
    const std::vector<ir::Value> rows = values_of(tracer, xs);
    return looped(tracer, "higher_order.scan", combine, joined(types_of(init), row_types(rows)),
                  {init, rows});
  });
}

TracedResult trace_map(const TracedBody& body, std::span<const Tensor> xs) {
  return raising([&] {
    const auto tracer = held_tracer();
    const std::vector<ir::Value> rows = values_of(tracer, xs);
    return looped(tracer, "higher_order.map_impl", body, row_types(rows), {rows});
  });
}

TracedResult trace_associative_scan(const TracedBody& combine, std::span<const Tensor> xs) {
  return raising([&] {
    const auto tracer = held_tracer();
    const std::vector<ir::Value> rows = values_of(tracer, xs);
    return looped(tracer, "higher_order.associative_scan", combine,
                  joined(row_types(rows), row_types(rows)), {rows});
  });
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
