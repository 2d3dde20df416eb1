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

/// The innermost function that this thread traces; null outside of all.
const std::shared_ptr<trace::Tracer>& current_tracer();

/// The value of a tensor in a traced function: its own, or an input that captures the tensor. Throws
/// OwnError for a value of a function whose trace has ended.
ir::Value value_in(const std::shared_ptr<trace::Tracer>& tracer, const Tensor& tensor);

/// A traced function: its program, and what its inputs stand for.
struct TracedFunction {
  ir::Program program;
  std::vector<trace::Origin> origins;
};

using TensorFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

/// Traces `body` with an argument for each of `leaves`. `firsts` may say that some share the argument
/// of an earlier one.
TracedFunction trace_function(std::span<const Tensor> leaves, const TensorFunction& body,
                              std::span<const size_t> firsts = {});

/// Adds a program to a traced function: its results, after its writes to inputs were made.
std::vector<Tensor> add_program(const std::shared_ptr<trace::Tracer>& tracer,
                                const ir::Program& program, std::span<const ir::Value> inputs);

/// The tensors of a run, as callers get them.
std::vector<Tensor> shown_tensors(std::vector<OwnTensor> tensors);

}  // namespace v1
}  // namespace litz
