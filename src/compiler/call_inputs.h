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

/// Weights are bound once, as far as their sizes are known; a call looks at what it is given.
class CallInputs {
 public:
  /// Both must outlive this and keep their inputs. Throws Error for weights that are not as the
  /// graph declares them.
  CallInputs(const ir::Program& program, const Weights& weights);

  /// How people call input i of the main graph.
  const std::string& label(size_t i) const { return labels_[i]; }

  /// Finds the values of symbols. Throws Error for inputs that do not fit: count, literals, dtype,
  /// rank, sizes, ranges; guards are not looked at.
  Bindings bind(std::span<const Leaf> given) const;

  /// One leaf an input of the main graph, of what `bind` has checked; monostate where nothing reads
  /// it.
  std::vector<Leaf> all(std::span<const Leaf> given) const;

  /// Where input i of the main graph, given by callers, stands among what they give.
  size_t position(size_t i) const { return positions_[i]; }

 private:
  const ir::Program& program_;
  const Weights& weights_;
  std::vector<std::string> labels_;
  std::vector<size_t> positions_;
  std::vector<size_t> literals_;       ///< Inputs that were fixed at export.
  std::vector<DeclaredInput> given_;   ///< As given; those fixed at export bind nothing.
  std::vector<DeclaredInput> sized_;   ///< Weights whose sizes have symbols,
  std::vector<size_t> sized_indices_;  ///< and which inputs they are.
};

}  // namespace litz::compiler
