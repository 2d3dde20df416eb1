#include "runtime/device_tensor.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/call_stream.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/program/device_stream.h"
#include "runtime/sim/sim_device.h"
#include "runtime/stream_use.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

/// A card for copies, which no program owns.
GraphDevice& card_of(int index) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<CudaDevice>> cards;
  const std::lock_guard lock(mutex);
  std::unique_ptr<CudaDevice>& card = cards[index];
  if (card == nullptr) card = std::make_unique<CudaDevice>(index);
  return *card;
}

GraphDevice& device_of(Device device) {
  require(device.kind == DeviceKind::cuda, ErrorCode::unsupported,
          "tensors lie on the host (cpu) or on a card (cuda:N), not on", to_string(device));
  return card_of(std::max(0, device.index));
}

GraphDevice& device_of(const Tensor& tensor) {
  if (tensor.device().kind != DeviceKind::sim) return device_of(tensor.device());
  SimDevice* const owner = SimDevice::owner_of(*tensor.storage());
  require(owner != nullptr, "a tensor of a simulated device ends with its program");
  return *owner;
}

/// A call of this thread. What it adds to a stream may stay there.
class Call {
 public:
  explicit Call(GraphDevice& device) : device_(device), stream_(device.begin_call()) {}

  Call(GraphDevice& device, StreamId stream) : device_(device), stream_(stream) {
    device.begin_call_on(stream);
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  ~Call() { device_.end_call(stream_); }

  StreamId stream() const { return stream_; }

  DeviceStream where() const { return {device_, stream_}; }

 private:
  GraphDevice& device_;
  StreamId stream_;
};

void order_read(GraphDevice& device, StreamId stream, const Tensor& tensor) {
  if (is_accounted(tensor)) {
    before_read(device, stream, tensor);
  } else {
    device.finish();
  }
}

Tensor copied_to_host(const Tensor& tensor) {
  GraphDevice& device = device_of(tensor);
  const Call call(device);
  order_read(device, call.stream(), tensor);
  Tensor copy = on_host_later(tensor, call.where());
  device.synchronize(call.stream());
  // Its failures may be of work that this stream was ordered after before.
  wait_for(tensor);
  return copy;
}

}  // namespace

Tensor copied_to(const Tensor& tensor, Device device) {
  if (device.kind == DeviceKind::cuda) device.index = std::max(0, device.index);
  if (tensor.device() == device) return tensor;
  if (device == Device{}) return copied_to_host(tensor);
  if (tensor.device() != Device{}) return copied_to(copied_to_host(tensor), device);
  const Call call(device_of(device));
  return copied(tensor, {}, call.where());
}

Tensor cloned(const Tensor& tensor) {
  if (tensor.device() == Device{}) return tensor.clone(tensor.strides());
  GraphDevice& device = device_of(tensor);
  const Call call(device);
  order_read(device, call.stream(), tensor);
  return copied(tensor, tensor.strides(), call.where());
}

void wait_for(const Tensor& tensor) {
  if (tensor.device() == Device{}) return;
  GraphDevice& device = device_of(tensor);
  if (!is_accounted(tensor)) return device.finish();
  const int32_t writer = tensor.storage()->use()->writer.load();
  if (writer >= 0) device.synchronize({writer});
}

void wait_on_stream(const Tensor& tensor, void* stream) {
  GraphDevice& device = device_of(tensor);
  const Call call(device, device.callers_stream(stream));
  order_read(device, call.stream(), tensor);
}

void end_stream_use(const Tensor& tensor, void* stream) {
  StreamUse* const use = tensor.storage()->use();
  if (use == nullptr) return;
  GraphDevice& device = device_of(tensor);
  const Call call(device, device.callers_stream(stream));
  const uint64_t others = use->users.load() & ~bit_of(call.stream());
  for (uint64_t left = others; left != 0; left &= left - 1) {
    device.order(call.stream(), {std::countr_zero(left)});
  }
  if (others != 0) use->users.fetch_and(~bit_of(call.stream()));
}

std::shared_ptr<Storage> lent_memory(Device device, std::span<std::byte> bytes,
                                     std::shared_ptr<const void> owner) {
  GraphDevice& card = device_of(device);
  if (!current_call_stream(card.device().index)) {
    return card.lend(bytes, std::move(owner), std::nullopt);
  }
  const Call call(card);
  return card.lend(bytes, std::move(owner), call.stream());
}

std::shared_ptr<Storage> borrowed_memory(Device device, std::span<std::byte> bytes) {
  return device_of(device).lend(bytes, nullptr, std::nullopt);
}

void finish_device(Device device) { device_of(device).finish(); }

}  // namespace litz::runtime
