// Devices: where compiled code runs. One interface for the host, for a simulated device and for
// graphics processors.
//
// Work is built into a graph of launches (launch_graph.h), made executable once, and launched many
// times. A device has streams. A stream runs its work in order; the work may run after the call
// that adds it returns, unless DeviceCaps::is_immediate.
//
// Every call reports failure by throwing Error, and then has had no effect. The exception is a
// launch whose kernel fails: it may have written what the graph writes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "artifact/kernel_code.h"
#include "runtime/launch_graph.h"
#include "types/tensor.h"

namespace litz::runtime {

class DeviceLibrary;

struct EventId {
  int32_t value = 0;
};

/// A range of addresses that never moves. Pages become usable from the front on demand. Everything
/// that points into it shares its ownership.
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

  /// Makes at least the first `bytes` usable. New memory is zero, or poison in that mode. Throws
  /// Error{limit_exceeded} beyond the reserved size, Error{out_of_memory} when the system refuses.
  virtual void commit(size_t bytes) = 0;
  /// Returns memory beyond the first `bytes` to the system.
  virtual void trim(size_t bytes) = 0;

 protected:
  std::byte* base_ = nullptr;
  size_t reserved_ = 0;
  size_t committed_ = 0;
};

/// Four bytes that read as NaN in every floating-point format of at least 16 bits. As an index,
/// they are outside of any dimension.
inline constexpr uint32_t kPoisonWord = 0xfff7fff7;

/// Test modes of a device. A graph keeps the graph-time part of the modes under which it was made
/// executable (poison of released ranges, checks of node order).
struct DeviceModes {
  bool poison = false;          ///< Fresh and released memory is filled with kPoisonWord.
  bool check_accesses = false;  ///< Accesses lie in their buffers and are ordered.
  bool audit_pointers = false;  ///< No scalar and no fixed address points into an arena.
  /// Launches touch exactly the memory that they declare, in the memory that GraphExec::watch was
  /// given.
  bool watch_memory = false;
  /// Each node of a launch counts as a device call, so fail_call may choose it.
  bool count_nodes = false;
  /// Launches run their nodes in a random order that respects the edges.
  std::optional<uint64_t> order_seed;

  bool any() const {
    return poison || check_accesses || audit_pointers || watch_memory || count_nodes || order_seed;
  }

  /// True when a launch only runs its nodes, in the order in which they were added.
  bool is_plain() const { return !order_seed && !watch_memory && !count_nodes; }
};

/// The capabilities of a device, for code that chooses how to use it.
struct DeviceCaps {
  bool is_immediate = false;   ///< The call that adds work returns after the work is done.
  int conditional_bodies = 0;  ///< 0: no conditional nodes; 1: no `else`.
  /// The operands of call nodes are copied, so such nodes must declare their accesses.
  bool copies_operands = false;
  /// Launches make calls when they run, so the state of calls must not change before.
  bool makes_calls_late = false;
  /// Addresses of inputs are multiples of this; others are copied.
  uintptr_t input_alignment = 1;
  size_t bytes_per_node = 0;      ///< Device memory that an executable node takes.
  int64_t patch_nanoseconds = 0;  ///< The time to patch one pointer, roughly.
};

/// Memory of a device that this process uses: arenas and blocks, without code.
struct DeviceMemoryUse {
  size_t bytes = 0;
  size_t peak_bytes = 0;  ///< Since it was read last.
};

class GraphDevice {
 public:
  virtual ~GraphDevice() = default;

  virtual DeviceCaps caps() const = 0;
  /// The device that its tensors name.
  virtual Device device() const = 0;

  const DeviceModes& modes() const { return modes_; }

  virtual void set_modes(const DeviceModes& modes) { modes_ = modes; }

  /// Makes the `n`th device call from now (1 is the next) throw Error{io} instead of acting; 0:
  /// none.
  virtual void fail_call(int64_t n) = 0;

  // --- Code

  /// Registers kernels, in order. Throws Error for code that this device cannot run.
  virtual std::vector<KernelId> load(std::span<const artifact::KernelCode> kernels) = 0;
  /// Makes the library calls of one program. Calls may pack the `constants`, except undefined ones.
  /// These and the device must outlive the result.
  virtual std::unique_ptr<DeviceLibrary> make_library(std::span<const Tensor> constants) = 0;

  // --- Memory

  /// Allocates memory with unspecified contents. The caller may free it while work that uses it
  /// still waits.
  virtual std::shared_ptr<Storage> allocate(size_t bytes) = 0;

  /// Memory that work of the stream uses first. It may be used again sooner.
  virtual std::shared_ptr<Storage> allocate_on(StreamId /*stream*/, size_t bytes) {
    return allocate(bytes);
  }

  /// Memory of a caller. `owner` is released when the work that uses it is done. What makes its contents
  /// is work of `writer`, or done. Throws Error{unsupported} for devices that have memory of their own only.
  virtual std::shared_ptr<Storage> lend(std::span<std::byte> bytes,
                                        std::shared_ptr<const void> owner,
                                        std::optional<StreamId> writer);

  /// Zeros for devices that keep no account.
  virtual DeviceMemoryUse memory_use() { return {}; }

  /// Reserves addresses. No page is usable yet.
  virtual std::shared_ptr<Arena> reserve(size_t bytes) = 0;

  /// Copies values elementwise, as Tensor::copy_from does, in the order of the stream. Each tensor
  /// is on this device or on the host. A host source has been read when the call returns; a host
  /// destination must live until the stream is synchronised.
  virtual void copy(StreamId stream, const Tensor& to, const Tensor& from) = 0;
  /// Repeats the four bytes of `word` over `bytes` bytes from `begin`, in the order of the stream.
  virtual void fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) = 0;

  // --- Streams

  virtual StreamId make_stream() = 0;

  /// The stream of a caller's handle. Throws Error{unsupported} for devices that have none.
  virtual StreamId callers_stream(void* handle);

  /// Begins a call of this thread and returns its stream: the caller's (call_stream.h), else one of the
  /// device for this thread. Calls of one thread are in order.
  virtual StreamId begin_call() { return {}; }

  virtual void begin_call_on(StreamId /*stream*/) {}

  /// Says that the call adds no more work to its stream.
  virtual void end_call(StreamId /*stream*/) noexcept {}

  /// Records an event after all work that the stream has so far.
  virtual EventId record(StreamId stream) = 0;
  /// Makes later work of the stream run after the event.
  virtual void wait(StreamId stream, EventId event) = 0;

  /// Makes later work of one stream run after all work that the other has now.
  virtual void order(StreamId before, StreamId after) { wait(after, record(before)); }

  /// Makes later work of a stream run after a call's work on another one, whose failures those who wait
  /// for the later work get too.
  virtual void order_after_call(StreamId before, uint64_t /*call*/, StreamId after) {
    order(before, after);
  }

  /// The number of the last call on a stream, for order_after_call.
  virtual uint64_t last_call(StreamId /*stream*/) { return 0; }

  /// Returns when the stream's work is done. Throws the first failure that was not reported yet.
  virtual void synchronize(StreamId stream) = 0;
  /// Returns when the stream's work is done, and leaves failures to `synchronize`.
  virtual void settle(StreamId stream) = 0;
  /// Returns when the work of all streams is done, and leaves failures.
  virtual void finish() = 0;

  // --- Graphs

  virtual std::unique_ptr<GraphBuilder> begin() = 0;
  /// Makes a graph of this device executable; `buffers[i]` is the address of buffer i. The device
  /// must outlive the result.
  virtual std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                                 std::span<const Binding> buffers) = 0;

 protected:
  DeviceModes modes_;
};

}  // namespace litz::runtime
