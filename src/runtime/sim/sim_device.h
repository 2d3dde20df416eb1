// A simulated device: it behaves like a graphics processor, and runs the host's code.
//
// Its work runs later, at a time and in an order between streams that a seed decides, and the host
// cannot read its memory (sim_memory.h). So errors that show only now and then on a graphics
// processor show without one: host code that reads memory of the device, does not wait, frees or
// changes what waiting work uses, or omits an edge or an event.

#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "runtime/cpu/host_device.h"
#include "runtime/sim/sim_memory.h"

namespace litz::runtime {

/// Thread-safe, with HostDevice's exceptions for building and test modes.
class SimDevice final : public HostCodeDevice {
 public:
  /// `pool` divides kernels between threads; it must outlive the device.
  explicit SimDevice(int index = 0, ThreadPool* pool = nullptr);
  ~SimDevice() override;

  DeviceCaps caps() const override;

  Device device() const override { return {DeviceKind::sim, index_}; }

  void set_modes(const DeviceModes& modes) override;

  void fail_call(int64_t n) override { host_.fail_call(n); }

  KernelId add_kernel(HostKernel kernel) override { return host_.add_kernel(std::move(kernel)); }

  std::vector<KernelId> load(std::span<const artifact::KernelCode> kernels) override {
    return host_.load(kernels);
  }

  std::unique_ptr<DeviceLibrary> make_library(std::span<const Tensor> constants) override;
  std::shared_ptr<Storage> allocate(size_t bytes) override;

  std::shared_ptr<Storage> allocate_on(StreamId stream, size_t bytes) override;

  std::shared_ptr<Arena> reserve(size_t bytes) override;
  void copy(StreamId stream, const Tensor& to, const Tensor& from) override;
  void fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) override;
  StreamId make_stream() override;
  StreamId begin_call() override;
  EventId record(StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  void synchronize(StreamId stream) override;
  void settle(StreamId stream) override;
  void finish() override;

  std::unique_ptr<GraphBuilder> begin() override { return host_.begin(); }

  std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                         std::span<const Binding> buffers) override;

  // For the other classes of this device.

  using Job = uint64_t;  ///< Numbers the device's work from 1 on; 0: none.

  /// Adds work to a stream. It also waits for job `after`.
  Job give(StreamId stream, std::function<void()> work, Job after = 0);
  /// Returns when the job has run.
  void finish(Job job);
  /// Runs `work` now, while no job runs.
  void run_alone(const std::function<void()>& work);

  /// Returns the tensor with the address that launches use.
  Tensor seen(const Tensor& tensor) const;
  Binding seen(const Binding& binding) const;

  HostDevice& host() { return host_; }

  /// The device that has this memory, among those that live now; null for others.
  static SimDevice* owner_of(const Storage& storage);

 private:
  struct Given {
    Job job;
    std::vector<Job> after;
    std::function<void()> work;
  };

  struct Stream {
    std::deque<Given> waiting;
    std::vector<Job> awaited;  ///< Jobs that the next job waits for.
    Job last = 0;
    std::exception_ptr failure;
  };

  Stream& stream_of(StreamId stream);

  bool is_pending(Job job) const { return pending_.contains(job); }

  void run_some();
  void run_one();
  void finish_all(std::span<const Job> jobs);

  int index_;
  HostDevice host_;
  std::shared_ptr<SimMemory> memory_;
  std::recursive_mutex mutex_;
  std::mt19937_64 random_;
  std::deque<Stream> streams_;
  std::vector<StreamId> of_threads_;
  std::vector<Job> events_;
  std::set<Job> pending_;
  Job given_ = 0;
};

}  // namespace litz::runtime
