// A program in two parts that run at different times: the forward part, which keeps what gradients
// need, and the graph of the backward part, which becomes a part of a larger program (tape.h).

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/api/traced_program.h"
#include "ir/program.h"
#include "types/tensor.h"

namespace litz::compiler {

class DifferentiableProgram {
 public:
  /// The gradients are those of all floating and complex results by the `wanted` inputs, which are
  /// positions. All inputs are tensors of known sizes. Throws Error{unsupported} if there are none.
  DifferentiableProgram(ir::Program program, std::vector<size_t> wanted, const Options& options);

  struct Outcome {
    std::vector<Tensor> results;
    std::vector<Tensor> saved;  ///< Operands, results, or values in between.
  };

  /// Like TracedProgram::run.
  Outcome run(std::span<const Tensor> inputs);

  void require_apart(std::span<const Tensor> inputs) const { forward_->require_apart(inputs); }

  /// Takes the saved tensors, then a cotangent for each of `varying_results`; returns `gradients`.
  const ir::Program& backward() const { return backward_; }

  /// The results that gradients may depend on, by position; none if they are constant.
  std::span<const size_t> varying_results() const { return varying_results_; }

  std::span<const size_t> wanted() const { return wanted_; }

  /// By wanted input: the position among the backward part's outputs; nothing if no result depends
  /// on it.
  std::span<const std::optional<size_t>> gradients() const { return gradients_; }

 private:
  /// Where a saved tensor comes from: an input, or one of the forward part's results.
  struct Source {
    bool is_input = false;
    size_t position = 0;
  };

  std::vector<size_t> wanted_;
  std::vector<size_t> varying_results_;
  std::vector<std::optional<size_t>> gradients_;
  std::vector<Source> sources_;  ///< By saved tensor.
  size_t results_ = 0;           ///< Of the program itself.
  std::optional<TracedProgram> forward_;
  ir::Program backward_;
};

}  // namespace litz::compiler
