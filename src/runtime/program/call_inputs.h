// The inputs of a program's calls: values from callers together with weights, and the sizes that
// follow from them.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/input_binding.h"
#include "runtime/program/weights.h"

namespace litz::runtime {

/// The value that a caller passes for an input that was fixed at export.
Value literal_value(const artifact::Literal& literal);

/// Weights are bound once, as far as their sizes are known. A call checks only the values from
/// callers.
class CallInputs {
 public:
  /// All arguments must outlive this and keep their inputs; `pool` is that of the signature's
  /// symbols. Throws Error for weights that do not match the signature.
  CallInputs(const artifact::Signature& signature, const Weights& weights, const ExprPool& pool);

  /// The name of input i in errors.
  const std::string& label(size_t i) const { return signature_.inputs[i].label; }

  /// Returns the values of symbols. Throws Error for inputs that do not fit: count, literals,
  /// dtype, rank, sizes, ranges. Does not check guards.
  Bindings bind(std::span<const Value> given) const {
    Bindings bindings;
    bind(given, bindings);
    return bindings;
  }

  /// The same, added to `bindings`, whose memory is enough if it was for an earlier call.
  void bind(std::span<const Value> given, Bindings& bindings) const;

  /// Returns a value for each input, from values that `bind` has checked; none for unused inputs.
  std::vector<Value> all(std::span<const Value> given) const;

  const ExprPool& pool() const { return pool_; }

  /// The position of input i among the values from callers.
  size_t position(size_t i) const { return positions_[i]; }

 private:
  const artifact::Signature& signature_;
  const Weights& weights_;
  const ExprPool& pool_;
  std::vector<size_t> positions_;
  std::vector<size_t> literals_;      ///< Inputs that were fixed at export.
  std::vector<DeclaredInput> given_;  ///< As given by callers; inputs fixed at export bind nothing.
  std::vector<DeclaredInput> sized_;  ///< Weights whose sizes have symbols.
  std::vector<size_t> sized_indices_;  ///< The inputs of these weights.
};

}  // namespace litz::runtime
