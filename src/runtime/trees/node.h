// A recording in the tree: the calls that it fits, and how it replays for them.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/trees/function.h"
#include "runtime/trees/recording.h"

namespace litz::runtime::trees {

/// How a replay gives an input to the recording.
enum class InputBinding : uint8_t {
  none,     ///< It is not a tensor of the device.
  fixed,    ///< Declared static: it must have the recorded address.
  managed,  ///< An output of the path: likewise.
  copied,   ///< It is copied to memory of the recording.
  patched,  ///< The recording gets its address.
};

struct NodeInput {
  InputBinding binding = InputBinding::none;
  std::byte* address = nullptr;  ///< Of element 0: fixed and managed ones.
  bool shares_buffer = false;    ///< Other inputs are on its storage.
  Tensor copy;                   ///< copied: where it is copied to.
};

/// Where the memory of an output comes from.
enum class OutputClass : uint8_t {
  value,       ///< Not a tensor.
  persistent,  ///< A constant of the function, or empty.
  input,       ///< It lies in the storage of input `of`.
  output,      ///< In that of output `of`, which is earlier.
  fresh,       ///< In `range` of the pool.
};

struct NodeOutput {
  OutputClass kind = OutputClass::value;
  Value value;  ///< value, persistent
  size_t of = 0;
  Range range;
  DType dtype = DType::f32;
  std::shared_ptr<const Geometry> geometry;
  int64_t offset = 0;  ///< Elements, from the storage; input: bytes from element 0 of the input.
};

/// The outputs of a call in their classes. `inputs` are those that the function got; their storages
/// decide first.
std::vector<NodeOutput> classified(std::span<const Value> outputs, std::span<const Argument> inputs,
                                   const Pool& pool);

/// Why a recording does not fit a call.
enum class Misfit : uint8_t {
  none,
  managed_moved,  ///< A managed input has another address.
  fixed_moved,    ///< A static input has.
  memory_held,    ///< Someone holds memory that the recording writes.
};

struct Misfits {
  Misfit kind = Misfit::none;
  std::vector<size_t> inputs;  ///< Those with another address.
};

struct Node {
  int32_t id = 0;
  FunctionId function;
  size_t variant = 0;  ///< Of the function's sizes.
  Node* parent = nullptr;
  std::vector<std::unique_ptr<Node>> children;  ///< Oldest first.
  Recording recording;
  std::vector<NodeInput> inputs;
  std::vector<NodeOutput> outputs;
  std::vector<size_t> consumed;  ///< Managed inputs that nobody held after the recording.
  uint64_t last_use = 0;
};

/// The inputs of a replay may lie in memory that it writes only if the call alone holds them and they
/// are where the recording had them.
Misfits misfits(const Node& node, std::span<const Argument> inputs, const Pool& pool);

/// "input w (model.py:3) moved from 0x.. to 0x.."
std::string describe(const Misfits& misfits, const Node& node, const Function& function,
                     std::span<const Argument> inputs);

/// Moves everything that the recording has in the pool to free memory, apart from inputs. Only for
/// recordings whose inputs are patched.
void move(Node& node, std::span<const Argument> inputs, Pool& pool);

struct ReplayCosts {
  int64_t copies = 0;
  int64_t copied_bytes = 0;
  int64_t patches = 0;
};

/// Replays in the order of the stream. The recording must fit. Draws random numbers on success.
std::vector<Value> replay(Node& node, std::span<const Argument> inputs, GraphDevice& device,
                          Pool& pool, StreamId stream, ReplayCosts& costs);

/// The number of nodes below.
int64_t descendants(const Node& node);

}  // namespace litz::runtime::trees
