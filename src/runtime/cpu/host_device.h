// The host as a device: a launch runs at once, on the caller and a thread pool.
//
// Work that a graphics processor does later or elsewhere happens here in order and can be
// inspected, so most code that is built on devices is tested on this one. Its test modes find
// errors that real concurrency would show only now and then.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/kernel_code.h"
#include "runtime/cpu/access_check.h"
#include "runtime/cpu/object_code.h"
#include "runtime/device.h"
#include "runtime/plain_graph.h"
#include "support/thread_pool.h"

namespace litz::runtime {

class HostArena;

struct HostPhase {
  artifact::KernelFunction function = nullptr;
  int64_t grain = 1;  ///< Ranges start at multiples of this.
};

struct HostKernel {
  std::string name;
  std::vector<HostPhase> phases;  ///< Run one after the other.
  std::vector<artifact::KernelCheck> checks;
};

struct HostCounters {
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> launches{0};
  std::atomic<int64_t> patches{0};
  std::atomic<int64_t> copies{0};
  std::atomic<int64_t> bytes_copied{0};
  std::atomic<int64_t> synchronizations{0};
};

/// A device that runs the host's code.
class HostCodeDevice : public GraphDevice {
 public:
  /// Registers a kernel. Its functions must outlive all graphs that use it.
  virtual KernelId add_kernel(HostKernel kernel) = 0;
};

/// Only one thread at a time may build or use the test modes. Several threads may launch
/// executables of one device, each executable by one thread.
class HostDevice final : public HostCodeDevice, public GraphOwner {
 public:
  /// `pool` divides kernels between threads; null runs them in the caller.
  explicit HostDevice(ThreadPool* pool = nullptr);
  ~HostDevice() override;

  DeviceCaps caps() const override;

  Device device() const override { return {}; }

  void fail_call(int64_t n) override { calls_to_failure_ = n; }

  std::vector<KernelId> load(std::span<const artifact::KernelCode> kernels) override;
  std::unique_ptr<DeviceLibrary> make_library(std::span<const Tensor> constants) override;
  std::shared_ptr<Storage> allocate(size_t bytes) override;
  std::shared_ptr<Arena> reserve(size_t bytes) override;
  void copy(StreamId stream, const Tensor& to, const Tensor& from) override;
  void fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) override;
  StreamId make_stream() override;
  EventId record(StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  void synchronize(StreamId stream) override;

  void settle(StreamId stream) override { synchronize(stream); }

  void finish() override {}

  std::unique_ptr<GraphBuilder> begin() override;
  std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                         std::span<const Binding> buffers) override;

  KernelId add_kernel(HostKernel kernel) override;
  const HostKernel& kernel(KernelId id) const;

  HostCounters& counters() { return counters_; }

  ThreadPool* pool() const { return pool_; }

  // For the other classes of this device.

  void count_call() override;

  std::string_view kernel_name(KernelId id) const override { return kernel(id).name; }

  size_t phase_count(KernelId id) const override { return kernel(id).phases.size(); }

  int most_bodies() const override { return caps().conditional_bodies; }

  bool is_audited(const void* address) const override {
    return modes_.audit_pointers && arena_of(address) != nullptr;
  }

  /// The arena that holds the address, or null.
  const Arena* arena_of(const void* address) const;

  StreamOrder& stream_order() { return order_; }

  void require_stream(StreamId stream) const;

 private:
  ThreadPool* pool_;
  HostCounters counters_;
  std::atomic<int64_t> calls_to_failure_{0};
  std::vector<LoadedCode> codes_;
  std::vector<std::unique_ptr<HostKernel>> kernels_;
  mutable std::mutex arenas_mutex_;
  std::vector<std::weak_ptr<HostArena>> arenas_;
  int32_t streams_ = 1;
  std::vector<StreamOrder::Clock> events_;  // Check mode only.
  StreamOrder order_;
};

}  // namespace litz::runtime
