// A traced program that is ready to run on tensors. Results that are operands or views of them share
// their memory, as in PyTorch; all others have memory of their own.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/executable.h"
#include "ir/program.h"
#include "types/tensor.h"

namespace litz::compiler {

class TracedProgram {
 public:
  /// Compiles the program, unless all its results are views. All its inputs must be tensors.
  TracedProgram(ir::Program program, const Options& options);

  /// The results for these inputs. Those that the program writes are changed. Undefined tensors stand
  /// for results that are None. Thread-safe like Executable::run.
  std::vector<Tensor> run(std::span<const Tensor> inputs);

  /// Throws Error{unsupported} if an input that the program writes shares elements with another input:
  /// the program would read the other one as it was before.
  void require_apart(std::span<const Tensor> inputs) const;

  /// Null if the program only makes views.
  const Executable* executable() const { return executable_ ? &*executable_ : nullptr; }

 private:
  struct ViewResult {
    size_t input = 0;
    TensorType from;  ///< The input's type.
    TensorType to;
  };

  static std::optional<ViewResult> view_result(const ir::Graph& graph, const ir::Argument& output);
  Tensor view_of(const Tensor& operand, const ViewResult& view) const;

  std::vector<std::optional<ViewResult>> views_;  ///< By result.
  std::optional<Executable> executable_;
  std::vector<size_t> written_;  ///< Inputs that the program changes.
  bool draws_ = false;
};

/// Programs that begin from now on draw the random numbers of this seed, from the first on.
void seed_random_numbers(uint64_t seed);

}  // namespace litz::compiler
