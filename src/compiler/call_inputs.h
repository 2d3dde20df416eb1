// The inputs of calls of a program: what callers give, together with weights, and the sizes that
// follow.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/input_binding.h"
#include "compiler/weights.h"
#include "ir/program.h"

namespace litz::compiler {

/// True when calls give this input; weights and tokens they do not.
bool is_given_by_caller(ir::InputKind kind);

/// A call's inputs, checked.
struct BoundCall {
  std::vector<Leaf> inputs;  ///< One an input of the main graph; monostate where nothing reads it.
  Bindings bindings;
};

class CallInputs {
 public:
  /// Both must outlive this and keep their inputs.
  CallInputs(const ir::Program& program, const Weights& weights);

  /// How people call input i of the main graph.
  const std::string& label(size_t i) const { return labels_[i]; }

  /// Puts given leaves and weights together and finds the values of symbols. Throws Error for inputs
  /// that do not fit: count, literals, dtype, rank, sizes, ranges; guards are not looked at.
  BoundCall bind(std::span<const Leaf> given) const;

 private:
  std::vector<Leaf> all_inputs(std::span<const Leaf> given) const;

  const ir::Program& program_;
  const Weights& weights_;
  std::vector<std::string> labels_;
  std::vector<DeclaredInput> bound_;   ///< Those that bind symbols,
  std::vector<size_t> bound_indices_;  ///< and which they are.
};

}  // namespace litz::compiler
