#include "runtime/cpu/host_device.h"

#include "runtime/cpu/host_arena.h"
#include "runtime/cpu/host_exec.h"
#include "runtime/cpu/host_library.h"
#include "runtime/cpu/imports.h"
#include "runtime/plain_graph.h"

namespace litz::runtime {
namespace {

HostKernel host_kernel(const artifact::KernelCode& kernel, const LoadedCode& code) {
  HostKernel result{.name = kernel.name, .phases = {}, .checks = kernel.checks};
  for (const artifact::KernelPhase& phase : kernel.phases) {
    const artifact::KernelFunction function = code.find(phase.symbol);
    require(function != nullptr, ErrorCode::corrupt, "code must define its phases:", phase.symbol);
    result.phases.push_back({.function = function, .grain = phase.grain});
  }
  return result;
}

}  // namespace

HostDevice::HostDevice(ThreadPool* pool) : pool_(pool) {}

HostDevice::~HostDevice() = default;

DeviceCaps HostDevice::caps() const {
  return {
      .is_immediate = true, .conditional_bodies = 2, .bytes_per_node = 0, .patch_nanoseconds = 2};
}

void HostDevice::count_call() {
  counters_.calls.fetch_add(1, std::memory_order_relaxed);
  if (calls_to_failure_.load(std::memory_order_relaxed) <= 0) [[likely]] {
    return;
  }
  require(calls_to_failure_.fetch_sub(1, std::memory_order_relaxed) != 1, ErrorCode::io,
          "device calls must not fail (a test asked this one to)");
}

std::vector<KernelId> HostDevice::load(std::span<const artifact::KernelCode> kernels) {
  std::vector<std::span<const std::byte>> objects;
  for (const artifact::KernelCode& kernel : kernels) objects.emplace_back(kernel.object);
  const LoadedCode& code = codes_.emplace_back(LoadedCode::load(objects, find_import));
  std::vector<KernelId> ids;
  for (const artifact::KernelCode& kernel : kernels) {
    ids.push_back(add_kernel(host_kernel(kernel, code)));
  }
  return ids;
}

std::unique_ptr<DeviceLibrary> HostDevice::make_library(std::span<const Tensor> constants) {
  return std::make_unique<HostLibrary>(*this, constants);
}

std::shared_ptr<Storage> HostDevice::allocate(size_t bytes) {
  count_call();
  std::shared_ptr<Storage> memory = Storage::allocate_uninitialized(bytes);
  prefer_huge_pages(memory->mutable_data(), bytes);
  return memory;
}

void HostDevice::copy(StreamId stream, const Tensor& to, const Tensor& from) {
  count_call();
  require_stream(stream);
  Tensor target = to;
  target.copy_from(from);
}

void HostDevice::fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) {
  count_call();
  require_stream(stream);
  fill_words(begin, word, bytes);
}

std::shared_ptr<Arena> HostDevice::reserve(size_t bytes) {
  count_call();
  auto arena = std::make_shared<HostArena>(*this, bytes);
  const std::lock_guard lock(arenas_mutex_);
  std::erase_if(arenas_, [](const auto& known) { return known.expired(); });
  arenas_.push_back(arena);
  return arena;
}

const Arena* HostDevice::arena_of(const void* address) const {
  const std::lock_guard lock(arenas_mutex_);
  for (const std::weak_ptr<HostArena>& known : arenas_) {
    const std::shared_ptr<HostArena> arena = known.lock();
    if (arena && arena->contains(address)) return arena.get();
  }
  return nullptr;
}

void HostDevice::require_stream(StreamId stream) const {
  require(stream.value >= 0 && stream.value < streams_,
          "a stream must be this device's:", stream.value);
}

StreamId HostDevice::make_stream() {
  count_call();
  return {streams_++};
}

EventId HostDevice::record(StreamId stream) {
  count_call();
  require_stream(stream);
  // A launch has finished when it returns, so only the checker needs the order.
  if (!modes_.check_accesses) return {-1};
  events_.push_back(order_.record(stream.value));
  return {static_cast<int32_t>(events_.size()) - 1};
}

void HostDevice::wait(StreamId stream, EventId event) {
  count_call();
  require_stream(stream);
  if (event.value < 0) return;
  const auto index = static_cast<size_t>(event.value);
  require(index < events_.size(), "an event must be this device's:", event.value);
  order_.wait(stream.value, events_[index]);
}

void HostDevice::synchronize(StreamId stream) {
  count_call();
  require_stream(stream);
  ++counters_.synchronizations;
  order_.synchronize(stream.value);
}

KernelId HostDevice::add_kernel(HostKernel kernel) {
  for (const HostPhase& phase : kernel.phases) {
    check(phase.function != nullptr && phase.grain > 0,
          "a kernel's phases are functions with a grain:", kernel.name);
  }
  kernels_.push_back(std::make_unique<HostKernel>(std::move(kernel)));
  return {static_cast<int32_t>(kernels_.size()) - 1};
}

const HostKernel& HostDevice::kernel(KernelId id) const {
  const auto index = static_cast<size_t>(id.value);
  require(index < kernels_.size(), "a kernel must be this device's:", id.value);
  return *kernels_[index];
}

std::unique_ptr<GraphBuilder> HostDevice::begin() {
  count_call();
  return std::make_unique<PlainGraphBuilder>(*this);
}

std::unique_ptr<GraphExec> HostDevice::instantiate(const GraphBuilder& graph,
                                                   std::span<const Binding> buffers) {
  count_call();
  return std::make_unique<HostExec>(*this, graph_of(graph, *this), buffers);
}

}  // namespace litz::runtime
