#include "runtime/sim/sim_device.h"

#include <algorithm>
#include <utility>

#include "runtime/cpu/host_arena.h"
#include "runtime/sim/sim_exec.h"
#include "runtime/sim/sim_library.h"
#include "runtime/stream_use.h"
#include "runtime/thread_slot.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

constexpr size_t kMostThreads = 16;

/// The devices that live, for tensors that outlive calls.
struct LiveDevices {
  std::mutex mutex;
  std::vector<SimDevice*> devices;
};

LiveDevices& live_devices() {
  static auto* const only = new LiveDevices;
  return *only;
}

}  // namespace

SimDevice::SimDevice(int index, ThreadPool* pool)
    : index_(index), host_(pool), memory_(std::make_shared<SimMemory>()), streams_(1) {
  const std::lock_guard lock(live_devices().mutex);
  live_devices().devices.push_back(this);
}

// Waiting work refers to memory and executables that die with the device, so none may wait.
SimDevice::~SimDevice() {
  {
    const std::lock_guard lock(live_devices().mutex);
    std::erase(live_devices().devices, this);
  }
  const std::lock_guard lock(mutex_);
  while (!pending_.empty()) run_one();
}

DeviceCaps SimDevice::caps() const {
  DeviceCaps caps = host_.caps();
  caps.is_immediate = false;
  caps.makes_calls_late = true;
  return caps;
}

void SimDevice::set_modes(const DeviceModes& modes) {
  const std::lock_guard lock(mutex_);
  while (!pending_.empty()) run_one();
  GraphDevice::set_modes(modes);
  host_.set_modes(modes);
  random_.seed(modes.order_seed.value_or(0));
}

std::unique_ptr<DeviceLibrary> SimDevice::make_library(std::span<const Tensor> /*constants*/) {
  return std::make_unique<SimLibrary>(*this);
}

// --- Memory

namespace {

/// Owns a block and the account of who uses it.
struct SimBlock {
  SimBlock(std::shared_ptr<SimMemory> from, size_t bytes)
      : memory(std::move(from)), address(memory->allocate(bytes)) {}

  SimBlock(const SimBlock&) = delete;
  SimBlock& operator=(const SimBlock&) = delete;

  ~SimBlock() { memory->free(address); }

  std::shared_ptr<SimMemory> memory;
  std::byte* address;
  StreamAccount use;
};

}  // namespace

std::shared_ptr<Storage> SimDevice::allocate(size_t bytes) {
  host_.count_call();
  const auto block = std::make_shared<SimBlock>(memory_, bytes);
  return Storage::lend({block->address, bytes}, device(), block, &block->use);
}

std::shared_ptr<Storage> SimDevice::allocate_on(StreamId stream, size_t bytes) {
  std::shared_ptr<Storage> storage = allocate(bytes);
  static_cast<StreamAccount*>(storage->use())->begin(stream, last_call(stream));
  return storage;
}

SimDevice* SimDevice::owner_of(const Storage& storage) {
  const std::lock_guard lock(live_devices().mutex);
  const auto owner = std::ranges::find_if(live_devices().devices, [&](const SimDevice* device) {
    return device->device() == storage.device() &&
           device->memory_->is_live(storage.address(), storage.size());
  });
  return owner != live_devices().devices.end() ? *owner : nullptr;
}

namespace {

/// Memory whose pages are committed when launches touch them.
class SimArena final : public Arena {
 public:
  explicit SimArena(std::shared_ptr<Storage> memory) : memory_(std::move(memory)) {
    base_ = memory_->address();
    reserved_ = memory_->size();
  }

  void commit(size_t bytes) override {
    require(bytes <= reserved_, ErrorCode::limit_exceeded,
            "committed memory must be reserved:", bytes, reserved_);
    committed_ = std::max(committed_, bytes);
  }

  void trim(size_t bytes) override { committed_ = std::min(committed_, bytes); }

 private:
  std::shared_ptr<Storage> memory_;
};

}  // namespace

std::shared_ptr<Arena> SimDevice::reserve(size_t bytes) {
  return std::make_shared<SimArena>(allocate(bytes));
}

Tensor SimDevice::seen(const Tensor& tensor) const {
  if (!tensor.defined() || tensor.device() != device()) return tensor;
  const Storage& storage = *tensor.storage();
  return Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.offset(),
                Storage::lend({memory_->bytes_of(storage.address()), storage.size()}));
}

Binding SimDevice::seen(const Binding& binding) const {
  if (binding.base == nullptr) return binding;
  require(memory_->is_live(binding.base, binding.bytes),
          "a buffer must lie in memory of the device that is allocated:", binding.bytes);
  return {memory_->bytes_of(binding.base), binding.bytes};
}

void SimDevice::copy(StreamId stream, const Tensor& to, const Tensor& from) {
  host_.count_call();
  require(to.device() == device() || to.device() == Device{},
          "a copy must end here or on the host");
  // The caller may change host memory as soon as this returns.
  const Tensor source = from.device() == device() ? from : from.clone();
  // Addresses are those of now, and the memory lives until then.
  give(stream, [to, source, target = seen(to), bytes = seen(source)]() mutable {
    target.copy_from(bytes);
  });
}

void SimDevice::fill(StreamId stream, std::byte* begin, uint32_t word, size_t bytes) {
  host_.count_call();
  const Binding target = seen(Binding{begin, bytes});
  give(stream, [=] { fill_words(target.base, word, target.bytes); });
}

// --- Streams

SimDevice::Stream& SimDevice::stream_of(StreamId stream) {
  require(stream.value >= 0 && static_cast<size_t>(stream.value) < streams_.size(),
          "a stream must be this device's:", stream.value);
  return streams_[static_cast<size_t>(stream.value)];
}

StreamId SimDevice::make_stream() {
  host_.count_call();
  const std::lock_guard lock(mutex_);
  streams_.emplace_back();
  return {static_cast<int32_t>(streams_.size()) - 1};
}

StreamId SimDevice::begin_call() {
  const size_t slot = thread_slot(kMostThreads);
  const std::lock_guard lock(mutex_);
  if (slot >= of_threads_.size()) of_threads_.resize(slot + 1, StreamId{-1});
  if (of_threads_[slot].value < 0) of_threads_[slot] = make_stream();
  require(of_threads_[slot].value < kMostStreams, ErrorCode::limit_exceeded,
          "calls must be on the first streams of a device:", kMostStreams);
  return of_threads_[slot];
}

EventId SimDevice::record(StreamId stream) {
  host_.count_call();
  const std::lock_guard lock(mutex_);
  events_.push_back(stream_of(stream).last);
  return {static_cast<int32_t>(events_.size()) - 1};
}

void SimDevice::wait(StreamId stream, EventId event) {
  host_.count_call();
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<size_t>(event.value);
  require(index < events_.size(), "an event must be this device's:", event.value);
  if (is_pending(events_[index])) stream_of(stream).awaited.push_back(events_[index]);
}

void SimDevice::synchronize(StreamId stream) {
  host_.count_call();
  ++host_.counters().synchronizations;
  const std::lock_guard lock(mutex_);
  Stream& own = stream_of(stream);
  std::vector<Job> jobs = std::exchange(own.awaited, {});
  jobs.push_back(own.last);
  finish_all(jobs);
  if (own.failure) std::rethrow_exception(std::exchange(own.failure, nullptr));
}

void SimDevice::settle(StreamId stream) {
  host_.count_call();
  const std::lock_guard lock(mutex_);
  Stream& own = stream_of(stream);
  std::vector<Job> jobs = std::exchange(own.awaited, {});
  jobs.push_back(own.last);
  finish_all(jobs);
}

void SimDevice::finish() {
  const std::lock_guard lock(mutex_);
  while (!pending_.empty()) run_one();
}

// --- Work that waits

SimDevice::Job SimDevice::give(StreamId stream, std::function<void()> work, Job after) {
  const std::lock_guard lock(mutex_);
  Stream& own = stream_of(stream);
  Given given{++given_, std::exchange(own.awaited, {}), std::move(work)};
  if (is_pending(after)) given.after.push_back(after);
  const Job job = given.job;
  own.last = job;
  own.waiting.push_back(std::move(given));
  pending_.insert(job);
  memory_->note_given(job);
  run_some();
  return job;
}

// A device may be fast or slow: some of the waiting work has run when more is added.
void SimDevice::run_some() {
  while (!pending_.empty() && random_() % 4 == 0) run_one();
}

/// Runs the first work of a stream that has no unfinished dependency.
void SimDevice::run_one() {
  std::vector<Stream*> ready;
  for (Stream& stream : streams_) {
    if (stream.waiting.empty()) continue;
    const std::vector<Job>& after = stream.waiting.front().after;
    if (std::ranges::none_of(after, [&](Job job) { return is_pending(job); })) {
      ready.push_back(&stream);
    }
  }
  check(!ready.empty(), "work that waits follows earlier work, so some can run");
  Stream& stream = *ready[random_() % ready.size()];
  const Given given = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  try {
    given.work();
  } catch (...) {
    if (!stream.failure) stream.failure = std::current_exception();
  }
  pending_.erase(given.job);
  memory_->note_finished_below(pending_.empty() ? given_ + 1 : *pending_.begin());
}

void SimDevice::finish_all(std::span<const Job> jobs) {
  while (std::ranges::any_of(jobs, [&](Job job) { return is_pending(job); })) run_one();
}

void SimDevice::finish(Job job) {
  const std::lock_guard lock(mutex_);
  finish_all({&job, 1});
}

void SimDevice::run_alone(const std::function<void()>& work) {
  const std::lock_guard lock(mutex_);
  work();
}

// --- Graphs

std::unique_ptr<GraphExec> SimDevice::instantiate(const GraphBuilder& graph,
                                                  std::span<const Binding> buffers) {
  std::vector<Binding> bindings;
  for (const Binding& buffer : buffers) bindings.push_back(seen(buffer));
  std::unique_ptr<GraphExec> exec = host_.instantiate(graph, bindings);
  auto* const own = static_cast<HostExec*>(exec.release());
  return std::make_unique<SimExec>(*this, std::unique_ptr<HostExec>(own));
}

}  // namespace litz::runtime
