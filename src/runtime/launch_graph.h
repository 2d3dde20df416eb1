// Graphs of launches: built once, made executable at addresses, launched many times.
//
// Every pointer of a node is a `Ref`: a buffer's number and a byte offset. Buffers get their
// addresses when the graph is instantiated and may get others later by a patch, so an address is a
// property of a launch, not of a graph.
//
//   GraphDevice -- begin() --> GraphBuilder -- instantiate() --> GraphExec -- patch(), launch()
//
// A graph may be instantiated more than once, each time with other addresses.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/kernel_abi.h"
#include "support/check.h"

namespace litz::runtime {

struct StreamId {
  int32_t value = 0;  ///< Stream 0 always exists.

  auto operator<=>(const StreamId&) const = default;
};

struct KernelId {
  int32_t value = -1;
};

/// A node of a graph or of a body nested in it.
struct NodeId {
  int32_t body = 0;  ///< 0 is the graph itself.
  int32_t index = -1;

  bool operator==(const NodeId&) const = default;
};

/// The number that a graph's author gave a buffer; small and dense, since it indexes a table.
using BufferId = int32_t;
/// For a Ref whose offset is an address that never changes.
inline constexpr BufferId kFixedAddress = -1;

/// A place in memory.
struct Ref {
  BufferId buffer = kFixedAddress;
  int64_t offset = 0;

  static Ref fixed(const void* address) {
    return {kFixedAddress, static_cast<int64_t>(reinterpret_cast<intptr_t>(address))};
  }

  bool operator==(const Ref&) const = default;
};

/// Bytes that a node reads or writes.
struct Access {
  Ref begin;
  size_t bytes = 0;
  bool is_write = false;
};

/// One launch of a kernel. Accesses may be left out where no checking mode is used.
struct KernelLaunch {
  KernelId kernel;
  std::span<const Ref> pointers;
  std::span<const int64_t> scalars;
  std::span<const int64_t> extents;  ///< Host: iterations of each phase.
  std::span<const Access> accesses;
  /// Host: picoseconds that an iteration of each phase takes, roughly; where left out, 1000 each.
  std::span<const int64_t> costs = {};
};

/// What a call node runs: a function of the device's library, or one that the compiling process
/// supplies.
class NodeCall {
 public:
  virtual ~NodeCall() = default;
  NodeCall(const NodeCall&) = delete;
  NodeCall& operator=(const NodeCall&) = delete;

  /// Runs on the addresses of the node's pointers and on its scalars, as they are in this launch.
  virtual void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) = 0;

 protected:
  NodeCall() = default;
};

/// One launch of a call, which must outlive every executable of the graph.
struct CallNode {
  NodeCall* call = nullptr;
  std::span<const Ref> pointers;
  std::span<const int64_t> scalars;
  std::span<const Access> accesses;
};

enum class ConditionKind : uint8_t {
  if_else,     ///< One or two bodies: where the byte is nonzero; otherwise.
  while_loop,  ///< One body, run as long as the byte is nonzero; tested before each turn.
};

/// A graph, or the body of a conditional node, while it is being built. `dependencies` name earlier
/// nodes of the same builder.
class GraphBuilder {
 public:
  using Dependencies = std::span<const NodeId>;

  virtual ~GraphBuilder() = default;

  virtual NodeId kernel(Dependencies dependencies, const KernelLaunch& launch) = 0;
  /// The ranges do not overlap.
  virtual NodeId copy(Dependencies dependencies, Ref to, Ref from, size_t bytes) = 0;
  /// Repeats the four bytes of `word`, from its low byte on.
  virtual NodeId fill(Dependencies dependencies, Ref to, uint32_t word, size_t bytes) = 0;

  struct Conditional {
    NodeId node;
    std::vector<GraphBuilder*> bodies;  ///< Owned by this builder.
  };

  /// Runs a body depending on the byte at `predicate`.
  virtual Conditional conditional(Dependencies dependencies, ConditionKind kind, Ref predicate,
                                  int bodies) = 0;
  virtual NodeId call(Dependencies dependencies, const CallNode& node) = 0;
  /// Says that nothing reads the range any more until it is written again. Costs nothing but in
  /// poison mode, where the range is filled.
  virtual NodeId release(Dependencies dependencies, Ref begin, size_t bytes) = 0;

  /// Names a node for errors. The text must outlive every executable of the graph.
  virtual void label(NodeId node, std::string_view text) = 0;
};

struct Binding {
  std::byte* base = nullptr;
  size_t bytes = 0;  ///< What accesses must stay inside of.
};

/// Gives a buffer another address.
struct BindBuffer {
  BufferId buffer = 0;
  Binding binding;
};

/// Sets one scalar of a kernel or a call.
struct SetScalar {
  NodeId node;
  int32_t index = 0;
  int64_t value = 0;
};

/// Sets the iterations of one phase of a kernel.
struct SetExtent {
  NodeId node;
  int32_t phase = 0;
  int64_t value = 0;
};

/// Sets the picoseconds that an iteration of one phase of a kernel takes, roughly.
struct SetCost {
  NodeId node;
  int32_t phase = 0;
  int64_t value = 0;
};

/// Moves one pointer of a kernel or a call within its buffer.
struct SetOffset {
  NodeId node;
  int32_t pointer = 0;  ///< In the launch's order.
  int64_t offset = 0;
};

/// Switches a node on or off; nodes that depend on one that is off still wait for what it waits
/// for.
struct EnableNode {
  NodeId node;
  bool is_enabled = true;
};

using Patch = std::variant<BindBuffer, SetScalar, SetExtent, SetCost, SetOffset, EnableNode>;

/// Memory that launches are watched in, see DeviceModes::watch_memory.
struct WatchedMemory {
  std::byte* begin = nullptr;
  size_t bytes = 0;
  bool is_own = false;  ///< Nobody else uses it: it may hold poison while a launch runs.
};

/// A graph that can run. Not to be launched while it is launched or patched by another thread.
class GraphExec {
 public:
  virtual ~GraphExec() = default;

  /// Changes later launches. All patches take effect or, when one is refused, none.
  virtual void patch(std::span<const Patch> patches) = 0;
  /// Runs the graph after everything that was put into the stream before. Throws KernelFault when
  /// a kernel reports a failure, at the latest when the stream is synchronised.
  virtual void launch(StreamId stream) = 0;
  /// The same, and has finished when it returns; adds the seconds that each node of the graph's own
  /// body took. `seconds` has an entry for each node.
  virtual void launch_timed(StreamId stream, std::span<double> seconds) = 0;
  /// Says where later launches are watched; the memory must outlive them.
  virtual void watch(std::vector<WatchedMemory> memory) = 0;
};

/// A failure that a kernel reported about the data it was given.
class KernelFault : public Error {
 public:
  KernelFault(ErrorCode code, std::string message, NodeId node, artifact::KernelFailure failure)
      : Error(code, std::move(message)), node_(node), failure_(failure) {}

  NodeId node() const { return node_; }

  const artifact::KernelFailure& failure() const { return failure_; }

 private:
  NodeId node_;
  artifact::KernelFailure failure_;
};

}  // namespace litz::runtime
