// Devices: where compiled code runs. One interface for the host, for a simulated device and for
// graphics processors.
//
// Work is built into a graph of launches (launch_graph.h), made executable once, and launched many
// times. A device has streams: what a stream is given runs in that order, and later than the call that
// gave it unless DeviceCaps::is_immediate.
//
// Every call reports failure by throwing Error and then has had no effect, except that a launch
// whose kernel fails may have written what the graph writes.

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

/// Four bytes that read as NaN in every floating-point format of at least 16 bits and, as an index,
/// lie outside of any dimension.
inline constexpr uint32_t kPoisonWord = 0xfff7fff7;

/// What tests ask of a device beyond running. Graphs made executable under one setting keep to the
/// graph-time part of it (poison of released ranges, checks of node order).
struct DeviceModes {
  bool poison = false;          ///< Fresh and released memory is filled with kPoisonWord.
  bool check_accesses = false;  ///< Accesses lie in their buffers and are ordered.
  bool audit_pointers = false;  ///< No scalar and no fixed address points into an arena.
  /// Launches touch what they declare and nothing else, in the memory that GraphExec::watch is told.
  bool watch_memory = false;
  bool count_nodes = false;  ///< Each node of a launch is a device call, which may be one to fail.
  /// Launches run nodes in a random order that the edges allow.
  std::optional<uint64_t> order_seed;

  bool any() const {
    return poison || check_accesses || audit_pointers || watch_memory || count_nodes || order_seed;
  }

  /// True when launches do nothing but run nodes in the order in which they were added.
  bool is_plain() const { return !order_seed && !watch_memory && !count_nodes; }
};

/// What a device can do, for those who choose between ways to use it.
struct DeviceCaps {
  bool is_immediate = false;      ///< Work has been done when the call that gives it returns.
  int conditional_bodies = 0;     ///< 0: no conditional nodes; 1: no `else`.
  size_t bytes_per_node = 0;      ///< Device memory that an executable node takes.
  int64_t patch_nanoseconds = 0;  ///< Of one pointer, roughly.
};

class GraphDevice {
 public:
  virtual ~GraphDevice() = default;

  virtual DeviceCaps caps() const = 0;
  /// What memory of this device says it lies on.
  virtual Device device() const = 0;

  const DeviceModes& modes() const { return modes_; }

  virtual void set_modes(const DeviceModes& modes) { modes_ = modes; }

  /// Makes the `n`th device call from now (1 is the next) throw Error{io} instead of acting; 0:
  /// none.
  virtual void fail_call(int64_t n) = 0;

  // --- Code

  /// Makes kernels known, in order. Throws Error for code that this device cannot run.
  virtual std::vector<KernelId> load(std::span<const artifact::KernelCode> kernels) = 0;
  /// The library calls of one program. `constants` are what calls may pack; they and the device must
  /// outlive it, undefined ones are passed over.
  virtual std::unique_ptr<DeviceLibrary> make_library(std::span<const Tensor> constants) = 0;

  // --- Memory

  /// Fresh memory, contents unspecified. It may be given back while work that uses it waits to run.
  virtual std::shared_ptr<Storage> allocate(size_t bytes) = 0;
  /// Reserves addresses; nothing is usable yet.
  virtual std::shared_ptr<Arena> reserve(size_t bytes) = 0;

  /// Copies values elementwise, as Tensor::copy_from does, in the order of the stream. Tensors lie on
  /// this device or on the host; of the host, what is read has been read when this returns, and what
  /// is written must live until the stream is synchronised.
  virtual void copy(StreamId stream, const Tensor& to, const Tensor& from) = 0;
  /// Repeats the four bytes of `word` over the first bytes from `begin` on, in the order of the
  /// stream.
  virtual void fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) = 0;

  // --- Streams

  virtual StreamId make_stream() = 0;
  /// Marks what the stream has been given so far.
  virtual EventId record(StreamId stream) = 0;
  /// Later work of the stream runs after the event.
  virtual void wait(StreamId stream, EventId event) = 0;
  /// Returns when the stream's work is done. Throws the first failure of work that was not reported
  /// yet.
  virtual void synchronize(StreamId stream) = 0;

  // --- Graphs

  virtual std::unique_ptr<GraphBuilder> begin() = 0;
  /// Makes a graph of this device executable; `buffers[i]` is the address of buffer i. The device
  /// must outlive what it makes.
  virtual std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                                 std::span<const Binding> buffers) = 0;

 protected:
  DeviceModes modes_;
};

}  // namespace litz::runtime
