// Functions that a context can record: what they are given, what they return, how they are run.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/program/value.h"
#include "types/tensor.h"

namespace litz::runtime::trees {

class Work;

/// A source of random numbers: draw number i of a seed is the same wherever it is made.
struct Generator {
  uint64_t seed = 0;
  uint64_t drawn = 0;
};

/// Passed on to the function; recordings do not look at it.
using Opaque = std::shared_ptr<const void>;

using Argument = std::variant<std::monostate, Tensor, int64_t, double, bool, std::string,
                              std::shared_ptr<Generator>, Opaque>;

/// Returns the tensor of an argument; null if it is none.
inline const Tensor* tensor_of(const Argument& argument) {
  const auto* const tensor = std::get_if<Tensor>(&argument);
  return tensor != nullptr && tensor->defined() ? tensor : nullptr;
}

/// The place of a call in a computation with gradients.
enum class Mode : uint8_t { inference, forward, backward };

enum class Tier : uint8_t {
  patched,  ///< One recording, whose addresses each call sets.
  fixed,    ///< One recording for each place in a path and each set of fixed addresses.
};

/// What happens to an output that is still held when its step ends.
enum class OutputPolicy : uint8_t {
  fresh,  ///< Nothing: its memory is its own. Only for patched functions; others clone.
  clone,  ///< It moves to memory of its own, with all tensors on it, if callers see it.
  trap,   ///< It ends: reading it is an error.
};

struct InputInfo {
  std::string name;
  std::string source;      ///< Where it comes from: "model.py:12"; empty: unknown.
  bool is_static = false;  ///< It usually keeps its address, as parameters do.
  bool is_mutated = false;
  std::string mutated_by;  ///< The operation, for messages.
};

struct OutputInfo {
  std::string source;      ///< The operation that makes it: "%y = aten.add (model.py:12)".
  bool is_visible = true;  ///< Callers see it; else it is only for a backward function.
  bool is_saved = false;   ///< A backward function will need it.
  bool is_gradient = false;
};

/// A part of a compiled program.
struct ProgramPart {
  std::string label;
  int64_t launches = 0;
  std::string reason;  ///< Why it is not recorded; empty: it is.
};

/// States the work of a call and returns its outputs. It may be called any number of times, and each
/// time must state the same for inputs of the same sizes. It must not keep tensors.
using Body = std::function<std::vector<Value>(Work& work)>;

struct Function {
  std::string name;
  Body body;
  /// It has no body: a compiled program, which records its lists itself (Context::call_program).
  bool is_program = false;
  std::vector<ProgramPart> parts;  ///< Of a program.
  Mode mode = Mode::inference;
  Tier tier = Tier::patched;
  std::vector<InputInfo> inputs;       ///< May have fewer entries than calls have inputs.
  std::vector<OutputInfo> outputs;     ///< Likewise.
  std::optional<OutputPolicy> policy;  ///< Nothing: the context's.
  /// Not recorded, for this reason; empty: recorded.
  std::string skip_reason;
  /// The integers that calls may have for a recording; others run at once. Empty: all.
  std::vector<std::vector<int64_t>> capture_sizes;

  InputInfo input(size_t i) const { return i < inputs.size() ? inputs[i] : InputInfo{}; }

  OutputInfo output(size_t i) const { return i < outputs.size() ? outputs[i] : OutputInfo{}; }
};

struct FunctionId {
  int32_t value = -1;

  auto operator<=>(const FunctionId&) const = default;
};

}  // namespace litz::runtime::trees
