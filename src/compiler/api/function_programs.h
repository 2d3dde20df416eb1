// The programs of one compiled function (litz/compile.h), by the calls that they are for. Include it after
// public_support.h.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/api/traced_program.h"
#include "expr/guard.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/compile.h"

namespace litz {
inline namespace v1 {

/// What is equal for calls that differ only in sizes and strides.
struct CallKind {
  std::string values;
  std::vector<size_t> firsts;  ///< See first_equals.
  std::vector<OwnDType> dtypes;
  std::vector<litz::Device> devices;
  std::vector<size_t> ranks;

  CallKind(std::span<const Tensor> tensors, std::vector<size_t> their_firsts,
           std::string_view their_values);

  bool operator==(const CallKind&) const = default;
};

/// A program of a whole function.
struct FunctionProgram {
  std::vector<TensorType> types;  ///< By argument.
  std::vector<Guard> guards;
  std::optional<compiler::TracedProgram> program;
  std::vector<OwnTensor> captured;
  bool captures_variables = false;  ///< Calls are recorded while gradients are (tape.h).
  std::shared_ptr<const void> tree;
  std::atomic<uint64_t> calls = 0;

  explicit FunctionProgram(std::vector<TensorType> its_types) : types(std::move(its_types)) {}

  /// The numbers that a call gives to the program's symbols; nothing if the program is for other calls.
  std::optional<Bindings> fit(std::span<const Tensor> tensors) const;
  /// Why not, in words; empty if it fits.
  std::string misfit(std::span<const Tensor> tensors) const;
  FunctionReport::Program report() const;
};

/// Calls of one kind: their programs, and which sizes have differed.
struct CallFamily {
  CallKind kind;
  std::vector<std::vector<int64_t>> first_sizes;
  std::vector<std::vector<bool>> dynamic;  ///< Sizes that are symbols in programs to come.
  std::vector<std::vector<bool>> fixed;    ///< Sizes that cannot be symbols.
  std::vector<std::shared_ptr<FunctionProgram>> programs;
  std::string why_fixed;            ///< Why no size can be a symbol; empty if some can.
  std::vector<std::string> breaks;  ///< Why the function runs in parts; empty if it does not.
  std::atomic<uint64_t> calls_in_parts = 0;

  CallFamily(CallKind its_kind, std::span<const Tensor> tensors, DynamicSizes mode);

  /// Notes that sizes of another call may differ from those of the first one.
  void note_sizes(std::span<const Tensor> tensors, DynamicSizes mode);
  bool is_dynamic() const;
  /// By dimension of a tensor: whether its size is a symbol in programs to come.
  std::vector<bool> open_sizes(size_t tensor) const;
  /// From now on these sizes are numbers wherever a tensor of the call has them: true if any was open.
  /// Throws OwnError if the user said that one is dynamic.
  bool fix(const std::vector<int64_t>& sizes, std::span<const Tensor> tensors);
  /// From now on all sizes are numbers.
  void fix_all(std::string why);
  /// The arguments, with the sizes of the first call.
  std::string text() const;
};

}  // namespace v1
}  // namespace litz
