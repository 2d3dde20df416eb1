// The host as a device: launches run when they are launched, on the caller and a thread pool.
//
// Everything that a graphics processor would do later or elsewhere happens here in order and can be
// looked at, so most of what is built on devices is tested on this one. Its test modes find what
// real concurrency would turn into wrong results now and then.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "artifact/kernel_code.h"
#include "runtime/cpu/access_check.h"
#include "runtime/device.h"
#include "support/thread_pool.h"

namespace litz::runtime {

class HostArena;

struct HostPhase {
  artifact::KernelFunction function = nullptr;
  int64_t grain = 1;  ///< Ranges start at multiples of this.
  double cost = 1;    ///< Nanoseconds an iteration, roughly.
};

struct HostKernel {
  std::string name;
  std::vector<HostPhase> phases;  ///< Run one after the other.
  std::vector<artifact::KernelCheck> checks;
};

/// What the host does beyond running, for tests. Graphs made executable under one setting keep to
/// the graph-time part of it (poison of released ranges, checks of node order).
struct HostModes {
  bool poison = false;          ///< Fresh and released memory is filled with kPoisonWord.
  bool check_accesses = false;  ///< Accesses lie in their buffers and are ordered.
  bool audit_pointers = false;  ///< No scalar and no fixed address points into an arena.
  /// Launches touch what they declare and nothing else, in the memory that HostExec::watch is told.
  bool watch_memory = false;
  bool count_nodes = false;  ///< Each node of a launch is a device call, which may be one to fail.
  /// Launches run nodes in a random order that the edges allow.
  std::optional<uint64_t> order_seed;
  /// Launches add the seconds that each node of a graph's own body took, by node; it must have an
  /// entry for each.
  std::vector<double>* node_seconds = nullptr;

  /// True when launches do nothing but run nodes in the order in which they were added.
  bool is_plain() const {
    return !order_seed && node_seconds == nullptr && !watch_memory && !count_nodes;
  }
};

struct HostCounters {
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> launches{0};
  std::atomic<int64_t> patches{0};
  std::atomic<int64_t> copies{0};
  std::atomic<int64_t> bytes_copied{0};
  std::atomic<int64_t> synchronizations{0};
};

/// Building and the test modes are for one thread at a time; executables of one device may be
/// launched from several threads, each executable by one.
class HostDevice final : public GraphDevice {
 public:
  /// `pool` divides kernels between threads; null runs them in the caller.
  explicit HostDevice(ThreadPool* pool = nullptr);
  ~HostDevice() override;

  DeviceCaps caps() const override;
  std::shared_ptr<Arena> reserve(size_t bytes) override;
  StreamId make_stream() override;
  EventId record(StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  void synchronize(StreamId stream) override;
  std::unique_ptr<GraphBuilder> begin() override;
  std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                         std::span<const Binding> buffers) override;

  /// The functions must live as long as graphs that use them.
  KernelId add_kernel(HostKernel kernel);
  const HostKernel& kernel(KernelId id) const;

  const HostModes& modes() const { return modes_; }

  void set_modes(HostModes modes) { modes_ = modes; }

  /// Makes the `n`th device call from now (1 is the next) throw Error{io} instead of acting; 0:
  /// none.
  void fail_call(int64_t n) { calls_to_failure_ = n; }

  HostCounters& counters() { return counters_; }

  ThreadPool* pool() const { return pool_; }

  // For the parts of this device.

  /// Counts a call, and throws when it is the one that is to fail.
  void count_call();
  /// The arena that holds the address, or null.
  const Arena* arena_of(const void* address) const;

  StreamOrder& stream_order() { return order_; }

  void require_stream(StreamId stream) const;

 private:
  ThreadPool* pool_;
  HostModes modes_;
  HostCounters counters_;
  std::atomic<int64_t> calls_to_failure_{0};
  std::vector<std::unique_ptr<HostKernel>> kernels_;
  mutable std::vector<std::weak_ptr<HostArena>> arenas_;
  int32_t streams_ = 1;
  std::vector<StreamOrder::Clock> events_;  // Of check mode.
  StreamOrder order_;
};

}  // namespace litz::runtime
