// Compiled functions whose calls are recorded for gradients: one call in two programs, forward and
// backward. Include it after public_support.h.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// After the library's own names.
#include "compiler/api/tape.h"
#include "litz/compile.h"

namespace litz {
inline namespace v1 {

/// The programs of one function, by the types of arguments and which of them require gradients.
/// Thread-safe. A function that reads elements of what it computes runs operator by operator, each of
/// which is recorded.
class RecordedFunctions {
 public:
  explicit RecordedFunctions(size_t most) : most_(most) {}

  detail::TracedResult call(std::span<const Tensor> tensors, const std::vector<size_t>& firsts,
                            std::string_view values, const detail::TracedBody& body,
                            const compiler::Options& options);

 private:
  struct Function {
    std::shared_ptr<compiler::DifferentiableProgram> program;  ///< Null: operator by operator.
    std::vector<OwnTensor> captured;
    std::vector<std::shared_ptr<Variable>> variables;  ///< Of captured tensors.
    std::shared_ptr<const void> tree;
  };

  std::shared_ptr<Function> find(std::span<const Tensor> tensors, const std::vector<size_t>& firsts,
                                 std::string_view values, const detail::TracedBody& body,
                                 const compiler::Options& options);
  static Function traced(std::span<const Tensor> tensors, const std::vector<size_t>& firsts,
                         const detail::TracedBody& body, const compiler::Options& options);

  size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Function>> functions_;
};

}  // namespace v1
}  // namespace litz
