// A traced program that is ready to run on tensors. Results that are operands or views of them share
// their memory, as in PyTorch, and so do results that are views of one another; all others have memory of
// their own.

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
  /// Compiles the program, unless all its results are views. All its inputs must be tensors. Without
  /// Options::device, it runs where its inputs lie: on the card, if some lie on one.
  TracedProgram(ir::Program program, const Options& options);

  /// The results for these inputs, under the numbers that they give to the program's symbols. Inputs
  /// that the program writes are changed. Undefined tensors stand for results that are None.
  /// Thread-safe like Executable::run.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const Bindings& sizes = {});

  /// Throws Error{unsupported} if an input that the program writes shares elements with another input:
  /// the program would read the other one as it was before.
  void require_apart(std::span<const Tensor> inputs) const;

  /// Null if the program only makes views.
  const Executable* executable() const { return executable_ ? &*executable_ : nullptr; }

 private:
  struct View {
    size_t index = 0;  ///< Of what it is a view.
    TensorType from;
    TensorType to;
  };

  /// How a result comes from what a program still makes: that itself, a view of it, or a view of an input.
  struct Result {
    size_t index = 0;
    std::optional<View> of_input = std::nullopt;
    std::optional<View> of_made = std::nullopt;
  };

  static std::vector<Result> share_results(ir::Program& program);
  static Tensor view_of(const Tensor& operand, const View& view, const Bindings& sizes);

  std::shared_ptr<ExprPool> exprs_;  ///< For the types of views.
  std::vector<Result> results_;
  std::optional<Executable> executable_;
  std::vector<size_t> written_;  ///< Inputs that the program changes.
  bool draws_ = false;
};

/// Programs that begin from now on draw the random numbers of this seed, from the first on.
void seed_random_numbers(uint64_t seed);

}  // namespace litz::compiler
