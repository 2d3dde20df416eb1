// Devices: where compiled code runs. One interface for the host and for graphics processors.
//
// Work is built into a graph of nodes with explicit edges, made executable once, and launched many
// times. Every pointer of a node is a `Ref`: a buffer's number and a byte offset. Buffers get their
// addresses when the graph is instantiated and may get others later by a patch, so an address is a
// property of a launch, not of a graph.
//
//   GraphDevice -- begin() --> GraphBuilder -- instantiate() --> GraphExec -- patch(), launch()
//
// A graph may be instantiated more than once, each time with other addresses.
//
// Every call reports failure by throwing Error and then has had no effect, except that a launch
// whose kernel fails may have written what the graph writes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "artifact/kernel_abi.h"
#include "support/check.h"

namespace litz::runtime {

struct StreamId {
  int32_t value = 0;  ///< Stream 0 always exists.

  auto operator<=>(const StreamId&) const = default;
};

struct EventId {
  int32_t value = 0;
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

/// A range of addresses that never moves. Pages become usable from the front on demand. Owned
/// together by everything that points into it.
class Arena {
 public:
  virtual ~Arena() = default;

  std::byte* base() const { return base_; }

  size_t reserved() const { return reserved_; }

  size_t committed() const { return committed_; }

  bool contains(const void* address) const {
    const auto* const byte = static_cast<const std::byte*>(address);
    return byte >= base_ && byte < base_ + reserved_;
  }

  /// Makes at least the first `bytes` usable; new memory is zero, or poison in that mode. Throws
  /// Error{limit_exceeded} beyond what is reserved, Error{io} when the system refuses.
  virtual void commit(size_t bytes) = 0;
  /// Gives memory beyond the first `bytes` back to the system.
  virtual void trim(size_t bytes) = 0;

 protected:
  std::byte* base_ = nullptr;
  size_t reserved_ = 0;
  size_t committed_ = 0;
};

/// One launch of a kernel. Accesses may be left out where no checking mode is used.
struct KernelLaunch {
  KernelId kernel;
  std::span<const Ref> pointers;
  std::span<const int64_t> scalars;
  std::span<const int64_t> extents;  ///< Host: iterations of each phase.
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
  /// An opaque call: runs at every launch with the addresses that it captured itself.
  virtual NodeId captured(Dependencies dependencies, std::function<void(StreamId)> call,
                          std::span<const Access> accesses) = 0;
  /// Says that nothing reads the range any more until it is written again. Costs nothing but in
  /// poison mode, where the range is filled.
  virtual NodeId release(Dependencies dependencies, Ref begin, size_t bytes) = 0;
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

/// Sets one scalar of a kernel.
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

/// Moves one pointer of a kernel within its buffer.
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

using Patch = std::variant<BindBuffer, SetScalar, SetExtent, SetOffset, EnableNode>;

/// A graph that can run. Not to be launched while it is launched or patched by another thread.
class GraphExec {
 public:
  virtual ~GraphExec() = default;

  /// Changes later launches. All patches take effect or, when one is refused, none.
  virtual void patch(std::span<const Patch> patches) = 0;
  /// Runs the graph after everything that was put into the stream before. Throws KernelFault when
  /// a kernel reports a failure, at the latest when the stream is synchronised.
  virtual void launch(StreamId stream) = 0;
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

/// What a device can do, for those who choose between ways to use it.
struct DeviceCaps {
  bool is_immediate = false;      ///< Launches have finished when they return.
  int conditional_bodies = 0;     ///< 0: no conditional nodes; 1: no `else`.
  size_t bytes_per_node = 0;      ///< Device memory that an executable node takes.
  int64_t patch_nanoseconds = 0;  ///< Of one pointer, roughly.
};

class GraphDevice {
 public:
  virtual ~GraphDevice() = default;

  virtual DeviceCaps caps() const = 0;
  /// Reserves addresses; nothing is usable yet.
  virtual std::shared_ptr<Arena> reserve(size_t bytes) = 0;

  virtual StreamId make_stream() = 0;
  /// Marks what the stream has been given so far.
  virtual EventId record(StreamId stream) = 0;
  /// Later work of the stream runs after the event.
  virtual void wait(StreamId stream, EventId event) = 0;
  /// Returns when the stream's work is done.
  virtual void synchronize(StreamId stream) = 0;

  virtual std::unique_ptr<GraphBuilder> begin() = 0;
  /// Makes a graph of this device executable; `buffers[i]` is the address of buffer i. The device
  /// must outlive what it makes.
  virtual std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                                 std::span<const Binding> buffers) = 0;
};

}  // namespace litz::runtime
