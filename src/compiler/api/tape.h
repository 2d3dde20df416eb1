// What is recorded of operators that run at once, so that gradients can be computed afterwards.
//
// A variable is a leaf, which collects its gradient, or a result of a recorded call. A call keeps the
// tensors that its gradients need, and the calls of its operands. `backward` joins the backward parts
// of all calls that a result depends on to one program, which is kept for the next pass of the same
// structure. Include it after public_support.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/api/operator_calls.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {

struct Variable;

/// One call whose gradients are recorded.
class RecordedCall {
 public:
  RecordedCall() = default;
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;
  ~RecordedCall();

  /// Null if the call has no gradients, for the reason in `failure`.
  std::shared_ptr<const compiler::DifferentiableProgram> program;
  std::string failure;
  std::vector<std::shared_ptr<Variable>> operands;  ///< By wanted input of the program.
  std::vector<OwnTensor> saved;
  std::vector<uint64_t> writes;  ///< How often each saved tensor was written before.
  std::vector<TensorType> results;
  uint64_t number = 0;  ///< Grows with every call.
  bool is_released = false;
};

struct Variable {
  std::shared_ptr<RecordedCall> call;  ///< Null for a leaf.
  size_t result = 0;
  std::optional<OwnTensor> gradient = std::nullopt;  ///< Of a leaf.
};

/// False in the scope of a NoGrad of this thread.
bool records_gradients();

/// Records a call whose results belong to `program` and may depend on `operands`. Returns a variable
/// for each result; null for those that do not vary.
std::vector<std::shared_ptr<Variable>> record(const std::shared_ptr<RecordedCall>& call,
                                              std::span<const OwnTensor> results);

/// Adds the gradients of a variable by the leaves that it depends on to theirs, weighted by a
/// cotangent. Unless they are retained, tensors that calls keep are released.
void run_backward(const std::shared_ptr<Variable>& variable, const OwnTensor& cotangent,
                  bool retains);

}  // namespace v1
}  // namespace litz
