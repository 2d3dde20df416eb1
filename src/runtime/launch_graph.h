// Graphs of launches: built once, made executable at addresses, launched many times.
//
// Every pointer of a node is a `Ref`: a buffer's number and a byte offset. Buffers get their
// addresses when the graph is instantiated, and a later patch may change them. So an address
// belongs to a launch, not to a graph.
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

/// The number of a buffer, chosen by the graph's builder; small and dense, since it indexes a
/// table.
using BufferId = int32_t;
/// The buffer of a Ref whose offset is an address that never changes.
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

/// One launch of a kernel. Accesses are optional unless a checking mode is used.
struct KernelLaunch {
  KernelId kernel;
  std::span<const Ref> pointers;
  std::span<const int64_t> scalars;
  std::span<const int64_t> extents;  ///< Host: iterations of each phase.
  std::span<const Access> accesses;
  /// Host: picoseconds per iteration of each phase, roughly; 1000 each if left out.
  std::span<const int64_t> costs = {};
};

/// The target of a call node: a function of the device's library, or one that the compiling process
/// supplies.
class NodeCall {
 public:
  virtual ~NodeCall() = default;
  NodeCall(const NodeCall&) = delete;
  NodeCall& operator=(const NodeCall&) = delete;

  /// Runs on the addresses of the node's pointers and on its scalars, both as of this launch.
  virtual void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) = 0;

  /// False for calls that a device makes itself: `run` is not called.
  virtual bool is_of_host() const { return true; }

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
  if_else,  ///< One or two bodies: the first runs if the byte is nonzero, the second if it is zero.
  /// One body, run while the byte is nonzero. The byte is tested before each iteration.
  while_loop,
};

/// A graph, or the body of a conditional node, during construction. `dependencies` name earlier
/// nodes of the same builder.
class GraphBuilder {
 public:
  using Dependencies = std::span<const NodeId>;

  virtual ~GraphBuilder() = default;

  virtual NodeId kernel(Dependencies dependencies, const KernelLaunch& launch) = 0;
  /// The ranges must not overlap.
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
  /// Declares that the range is not read again until it is written. Free, except in poison mode,
  /// where the range is filled.
  virtual NodeId release(Dependencies dependencies, Ref begin, size_t bytes) = 0;

  /// Names a node for errors. The text must outlive every executable of the graph.
  virtual void label(NodeId node, std::string_view text) = 0;
};

struct Binding {
  std::byte* base = nullptr;
  size_t bytes = 0;  ///< The bound of all accesses.
};

/// Changes the address of a buffer.
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

/// Sets the number of iterations of one phase of a kernel.
struct SetExtent {
  NodeId node;
  int32_t phase = 0;
  int64_t value = 0;
};

/// Sets the picoseconds per iteration of one phase of a kernel, roughly.
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

/// Tells that a call has other sizes, whose work differs.
struct ResizeCall {
  NodeId node;
};

/// Switches a node on or off. Nodes that depend on one that is off still wait for its dependencies.
struct EnableNode {
  NodeId node;
  bool is_enabled = true;
};

using Patch =
    std::variant<BindBuffer, SetScalar, SetExtent, SetCost, SetOffset, ResizeCall, EnableNode>;

/// Memory in which launches are watched; see DeviceModes::watch_memory.
struct WatchedMemory {
  std::byte* begin = nullptr;
  size_t bytes = 0;
  bool is_own = false;  ///< Not used elsewhere: may hold poison while a launch runs.
};

/// An executable graph. Only one thread at a time may launch or patch it.
class GraphExec {
 public:
  virtual ~GraphExec() = default;

  /// Changes later launches. If one patch is refused, none takes effect.
  virtual void patch(std::span<const Patch> patches) = 0;
  /// Runs the graph after all earlier work of the stream. Throws KernelFault when a kernel reports
  /// a failure, at the latest when the stream is synchronised.
  virtual void launch(StreamId stream) = 0;
  /// Launches and waits for the end. Adds the seconds of each node of the graph's own body to
  /// `seconds`, which has one entry per node.
  virtual void launch_timed(StreamId stream, std::span<double> seconds) = 0;
  /// Sets the memory in which later launches are watched; it must outlive them.
  virtual void watch(std::vector<WatchedMemory> memory) = 0;
};

/// A failure that a kernel reported about its data.
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
