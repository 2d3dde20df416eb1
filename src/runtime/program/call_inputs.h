// The inputs of calls of a program: what callers give, together with weights, and the sizes that
// follow.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/input_binding.h"
#include "runtime/program/weights.h"

namespace litz::runtime {

/// What a caller passes for an input that was fixed at export.
Value literal_value(const artifact::Literal& literal);

/// Weights are bound once, as far as their sizes are known; a call looks at what it is given.
class CallInputs {
 public:
  /// All must outlive this and keep their inputs; `pool` is that of the signature's symbols. Throws
  /// Error for weights that are not as the signature declares them.
  CallInputs(const artifact::Signature& signature, const Weights& weights, const ExprPool& pool);

  /// How people call input i.
  const std::string& label(size_t i) const { return signature_.inputs[i].label; }

  /// Finds the values of symbols. Throws Error for inputs that do not fit: count, literals, dtype,
  /// rank, sizes, ranges; guards are not looked at.
  Bindings bind(std::span<const Value> given) const;

  /// A value for each input, given what `bind` has checked; none for what nothing reads.
  std::vector<Value> all(std::span<const Value> given) const;

  /// Where input i, given by callers, stands among what they give.
  size_t position(size_t i) const { return positions_[i]; }

 private:
  const artifact::Signature& signature_;
  const Weights& weights_;
  const ExprPool& pool_;
  std::vector<size_t> positions_;
  std::vector<size_t> literals_;       ///< Inputs that were fixed at export.
  std::vector<DeclaredInput> given_;   ///< As given; those fixed at export bind nothing.
  std::vector<DeclaredInput> sized_;   ///< Weights whose sizes have symbols,
  std::vector<size_t> sized_indices_;  ///< and which inputs they are.
};

}  // namespace litz::runtime
