// A graphics processor of NVIDIA as a device, through the driver alone.
//
//   driver.h          the driver's functions
//   cuda_card.h       what the programs of a process share
//   cuda_streams.h    streams, events, what has finished
//   cuda_memory.h     blocks and arenas; staging.h: memory of the host for copies
//   cuda_exec.h       executable graphs

#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cpu/host_device.h"
#include "runtime/cuda/card_call.h"
#include "runtime/cuda/cuda_card.h"
#include "runtime/device.h"
#include "runtime/plain_graph.h"

namespace litz::runtime {

struct CudaPhase {
  cuda::Function function = nullptr;
  int64_t grain = 1;    ///< Iterations of a block.
  int32_t threads = 1;  ///< Of a block.
};

struct CudaKernel {
  std::string name;
  std::vector<CudaPhase> phases;  ///< Run one after the other.
  std::vector<artifact::KernelCheck> checks;
  size_t parameters = 0;  ///< Of each function.
};

/// Thread-safe, but for test modes: `poison`, `count_nodes` and `order_seed` only. Graphs run in
/// the order of their nodes.
class CudaDevice final : public GraphDevice, public GraphOwner {
 public:
  /// Throws Error{unsupported} without a driver or without this card. `pool` divides functions that
  /// the host runs; it must outlive the device.
  explicit CudaDevice(int index = 0, ThreadPool* pool = nullptr);
  CudaDevice(const cuda::Driver& driver, int index, ThreadPool* pool = nullptr);
  ~CudaDevice() override;

  DeviceCaps caps() const override;

  Device device() const override { return {DeviceKind::cuda, index_}; }

  void set_modes(const DeviceModes& modes) override;

  void fail_call(int64_t n) override { host_.fail_call(n); }

  std::vector<KernelId> load(std::span<const artifact::KernelCode> kernels) override;
  std::unique_ptr<DeviceLibrary> make_library(std::span<const Tensor> constants) override;
  std::shared_ptr<Storage> allocate(size_t bytes) override;
  std::shared_ptr<Storage> allocate_on(StreamId stream, size_t bytes) override;
  std::shared_ptr<Storage> lend(std::span<std::byte> bytes, std::shared_ptr<const void> owner,
                                std::optional<StreamId> writer) override;

  DeviceMemoryUse memory_use() override { return card_->memory->gauge().read(); }

  std::shared_ptr<Arena> reserve(size_t bytes) override;
  void copy(StreamId stream, const Tensor& to, const Tensor& from) override;
  void fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) override;
  StreamId make_stream() override;
  StreamId callers_stream(void* handle) override;
  StreamId begin_call() override;
  void begin_call_on(StreamId stream) override;
  void end_call(StreamId stream) noexcept override;
  EventId record(StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  void order(StreamId before, StreamId after) override;
  void order_after_call(StreamId before, uint64_t call, StreamId after) override;

  uint64_t last_call(StreamId stream) override { return card_->streams->last_call(stream); }

  void synchronize(StreamId stream) override;
  void settle(StreamId stream) override;
  void finish() override;
  std::unique_ptr<GraphBuilder> begin() override;
  std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph,
                                         std::span<const Binding> buffers) override;

  // For builders.

  void count_call() override { host_.count_call(); }

  std::string_view kernel_name(KernelId id) const override { return kernel(id).name; }

  size_t phase_count(KernelId id) const override { return kernel(id).phases.size(); }

  int most_bodies() const override { return 0; }

  bool is_audited(const void* /*address*/) const override { return false; }

  // For the other classes of this device.

  const CudaKernel& kernel(KernelId id) const;

  const std::shared_ptr<cuda::CudaStreams>& streams() const { return card_->streams; }

  cuda::StagingPool& staging() { return card_->staging; }

  cuda::CardLibraries& libraries() { return libraries_; }

  /// Runs functions of the host.
  HostDevice& host() { return host_; }

 private:
  CudaDevice(std::shared_ptr<cuda::CudaCard> card, int index, ThreadPool* pool);

  CudaKernel loaded(const artifact::KernelCode& code, cuda::Module module) const;
  size_t parameter_count(cuda::Function function) const;

  int index_;
  HostDevice host_;
  std::shared_ptr<cuda::CudaCard> card_;
  bool shares_card_ = true;
  cuda::CardLibraries libraries_;
  mutable std::mutex mutex_;
  std::vector<cuda::Module> modules_;
  std::deque<CudaKernel> kernels_;
};

}  // namespace litz::runtime
