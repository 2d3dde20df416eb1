#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/call_stream.h"
#include "runtime/cuda/cuda_copy.h"
#include "runtime/cuda/cuda_exec.h"
#include "runtime/cuda/cuda_library.h"
#include "support/check.h"

namespace litz::runtime {

CudaDevice::CudaDevice(int index, ThreadPool* pool)
    : CudaDevice(cuda::lasting_card(index), index, pool) {}

CudaDevice::CudaDevice(const cuda::Driver& driver, int index, ThreadPool* pool)
    : CudaDevice(std::make_shared<cuda::CudaCard>(
                     std::make_shared<const cuda::CudaContext>(driver, index)),
                 index, pool) {
  shares_card_ = false;
}

CudaDevice::CudaDevice(std::shared_ptr<cuda::CudaCard> card, int index, ThreadPool* pool)
    : index_(index),
      host_(pool),
      card_(std::move(card)),
      libraries_(card_->streams->shared_context()) {}

// Waiting work refers to code that dies with the device. At the end of the process the driver may be
// gone already.
CudaDevice::~CudaDevice() {
  if (!card_->streams->abandon(!shares_card_)) return;
  for (const cuda::Module module : modules_) {
    streams()->context().driver().unload_module.result_of(module);
  }
}

DeviceCaps CudaDevice::caps() const {
  return {.is_immediate = false,
          .conditional_bodies = 0,
          .copies_operands = true,
          .input_alignment = 256,  // Algorithms of cuBLASLt are chosen for it.
          .bytes_per_node = 4096,
          .patch_nanoseconds = 250};
}

void CudaDevice::set_modes(const DeviceModes& modes) {
  require(!modes.check_accesses && !modes.watch_memory, ErrorCode::unsupported,
          "a CUDA card must not check accesses: that test mode is for cpu and sim");
  GraphDevice::set_modes(modes);
}

// --- Code

std::vector<KernelId> CudaDevice::load(std::span<const artifact::KernelCode> kernels) {
  const cuda::Driver& driver = streams()->context().enter();
  const std::lock_guard lock(mutex_);
  // Kernels that were compiled together share one object.
  std::map<std::string_view, cuda::Module> known;
  std::vector<KernelId> ids;
  for (const artifact::KernelCode& code : kernels) {
    for (const artifact::KernelPhase& phase : code.phases) {
      require(phase.threads > 0, ErrorCode::unsupported,
              "code for a card must be compiled for it, but is the host's:", code.name);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(code.object.data()),
                                 code.object.size());
    cuda::Module& module = known[bytes];
    if (module == nullptr && !code.phases.empty()) {
      require(!bytes.empty(), ErrorCode::corrupt, "a kernel must have code:", code.name);
      driver.load_module(&module, bytes.data());
      modules_.push_back(module);
    }
    kernels_.push_back(loaded(code, module));
    ids.push_back({static_cast<int32_t>(kernels_.size()) - 1});
  }
  return ids;
}

CudaKernel CudaDevice::loaded(const artifact::KernelCode& code, cuda::Module module) const {
  const cuda::Driver& driver = streams()->context().driver();
  CudaKernel kernel{.name = code.name, .phases = {}, .checks = code.checks};
  for (const artifact::KernelPhase& phase : code.phases) {
    require(artifact::can_run(phase), ErrorCode::corrupt,
            "a phase must be one that can run:", phase.symbol);
    CudaPhase own{.grain = phase.grain, .threads = phase.threads};
    driver.function(&own.function, module, phase.symbol.c_str());
    const size_t parameters = parameter_count(own.function);
    require(kernel.phases.empty() || parameters == kernel.parameters, ErrorCode::corrupt,
            "the phases of a kernel must take the same parameters:", code.name);
    kernel.parameters = parameters;
    kernel.phases.push_back(own);
  }
  return kernel;
}

size_t CudaDevice::parameter_count(cuda::Function function) const {
  size_t count = 0;
  size_t offset = 0;
  size_t bytes = 0;
  while (streams()->context().driver().parameter.result_of(function, count, &offset, &bytes) ==
         cuda::kSuccess) {
    require(bytes == sizeof(int64_t), ErrorCode::corrupt,
            "the parameters of a kernel must have 8 bytes:", count, bytes);
    ++count;
  }
  return count;
}

const CudaKernel& CudaDevice::kernel(KernelId id) const {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<size_t>(id.value);
  require(index < kernels_.size(), "a kernel must be this device's:", id.value);
  return kernels_[index];
}

std::unique_ptr<DeviceLibrary> CudaDevice::make_library(std::span<const Tensor> /*constants*/) {
  return std::make_unique<CudaLibrary>(*this);
}

// --- Memory

std::shared_ptr<Storage> CudaDevice::allocate(size_t bytes) {
  count_call();
  return card_->allocate(device(), bytes, std::nullopt);
}

std::shared_ptr<Storage> CudaDevice::allocate_on(StreamId stream, size_t bytes) {
  count_call();
  return card_->allocate(device(), bytes, stream);
}

std::shared_ptr<Storage> CudaDevice::lend(std::span<std::byte> bytes,
                                          std::shared_ptr<const void> owner,
                                          std::optional<StreamId> writer) {
  return card_->lend(device(), bytes, std::move(owner), writer);
}

std::shared_ptr<Arena> CudaDevice::reserve(size_t bytes) {
  count_call();
  return cuda::reserve_arena(streams(), card_->memory, modes_, bytes);
}

void CudaDevice::copy(StreamId stream, const Tensor& to, const Tensor& from) {
  count_call();
  for (const Tensor* const tensor : {&to, &from}) {
    require(tensor->device() == device() || tensor->device() == Device{},
            "a copy must begin and end here or on the host");
  }
  if (to.device() == Device{} && from.device() == Device{}) {
    Tensor(to).copy_from(from);
  } else {
    cuda::copy_tensor({*streams(), staging(), stream}, to, from);
  }
}

void CudaDevice::fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) {
  count_call();
  cuda::fill(streams()->use(stream), cuda::address_on_card(begin), word, bytes);
}

// --- Streams

StreamId CudaDevice::make_stream() {
  count_call();
  return streams()->make();
}

StreamId CudaDevice::callers_stream(void* handle) {
  return streams()->of_caller(static_cast<cuda::Stream>(handle));
}

StreamId CudaDevice::begin_call() {
  const std::optional<CallStream> given = current_call_stream(index_);
  const StreamId stream = given ? callers_stream(given->handle) : streams()->of_thread();
  streams()->begin_call(stream);
  return stream;
}

void CudaDevice::begin_call_on(StreamId stream) { streams()->begin_call(stream); }

void CudaDevice::end_call(StreamId stream) noexcept { streams()->end_call(stream); }

EventId CudaDevice::record(StreamId stream) {
  count_call();
  return streams()->record(stream);
}

void CudaDevice::wait(StreamId stream, EventId event) {
  count_call();
  streams()->wait(stream, event);
}

void CudaDevice::order(StreamId before, StreamId after) {
  count_call();
  streams()->order(before, after);
}

void CudaDevice::order_after_call(StreamId before, uint64_t call, StreamId after) {
  count_call();
  streams()->order_after_call(before, call, after);
}

void CudaDevice::synchronize(StreamId stream) {
  count_call();
  streams()->synchronize(stream);
}

void CudaDevice::settle(StreamId stream) {
  count_call();
  streams()->settle(stream);
}

void CudaDevice::finish() {
  streams()->finish();
  streams()->release_finished();
}

// --- Graphs

std::unique_ptr<GraphBuilder> CudaDevice::begin() {
  count_call();
  return std::make_unique<PlainGraphBuilder>(*this);
}

std::unique_ptr<GraphExec> CudaDevice::instantiate(const GraphBuilder& graph,
                                                   std::span<const Binding> buffers) {
  count_call();
  return std::make_unique<CudaExec>(*this, graph_of(graph, *this), buffers);
}

}  // namespace litz::runtime
