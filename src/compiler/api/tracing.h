// The functions that this thread traces, the innermost last. Include it after public_support.h.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {

/// A function that is being traced, or the part of one up to its next break.
class FunctionTracer final : public trace::Tracer {
 public:
  using Tracer::Tracer;

  /// The values that tensors of the program stand for, some of which are gone.
  std::vector<std::weak_ptr<TracedValue>> shown;
};

/// Makes it possible to end a part of the function that is traced: runs what was traced so far, gives
/// data to the values that are still in use, and returns the tracer of the next part.
class Breaker {
 public:
  virtual ~Breaker() = default;
  virtual std::shared_ptr<FunctionTracer> end_part(const std::shared_ptr<FunctionTracer>& tracer,
                                                   const std::string& reason) = 0;
};

/// Thrown through a function that uses a tensor whose gradient is recorded: its call must be recorded.
struct CapturesVariable {};

/// Traces what this thread computes during its life.
class TraceScope {
 public:
  /// Without a breaker, values have no data until the trace has ended. `records`: gradients are recorded
  /// around the function, which CapturesVariable leaves if it needs that.
  explicit TraceScope(std::shared_ptr<FunctionTracer> tracer, Breaker* breaker = nullptr,
                      bool records = false);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
};

/// The innermost function that this thread traces; null outside of all.
const std::shared_ptr<FunctionTracer>& current_tracer();

/// Ends the current part of the function that is traced, if it is one that can be: returns whether.
bool end_current_part(const std::string& reason);

/// What the operators that this thread states are marked with: see litz/region.h.
const ir::Annotations& current_annotations();

/// The value of a tensor in a traced function: its own, or an input that captures the tensor. Throws
/// OwnError for a value of a function whose trace has ended.
ir::Value value_in(const std::shared_ptr<FunctionTracer>& tracer, const Tensor& tensor);

/// A traced function: its program, and what its inputs stand for.
struct TracedFunction {
  ir::Program program;
  std::vector<trace::Origin> origins;
  std::vector<std::shared_ptr<Variable>> variables =
      {};  ///< Of captured tensors, by input (tape.h).
};

using TensorFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

/// Traces `body` with an argument for each of `leaves`. `firsts` may say that some share the argument
/// of an earlier one.
TracedFunction trace_function(std::span<const Tensor> leaves, const TensorFunction& body,
                              std::span<const size_t> firsts = {});

/// The same with arguments of these types.
TracedFunction trace_function(std::span<const TensorType> types, const TensorFunction& body,
                              std::span<const size_t> firsts = {});

/// Tensors for the arguments of a traced function, of these types.
std::vector<Tensor> traced_arguments(const std::shared_ptr<FunctionTracer>& tracer,
                                     std::span<const TensorType> types,
                                     std::span<const size_t> firsts);

/// Adds a program to a traced function: its results, after its writes to inputs were made.
std::vector<Tensor> add_program(const std::shared_ptr<FunctionTracer>& tracer,
                                const ir::Program& program, std::span<const ir::Value> inputs);

/// The tensors of a run, as callers get them.
std::vector<Tensor> shown_tensors(std::vector<OwnTensor> tensors);

}  // namespace v1
}  // namespace litz
