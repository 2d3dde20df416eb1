#include "runtime/stream_use.h"

#include <bit>

namespace litz::runtime {

namespace {

StreamAccount* account_of(const Tensor& tensor) {
  return static_cast<StreamAccount*>(tensor.storage()->use());
}

}  // namespace

void StreamAccount::begin(StreamId stream, uint64_t last_call) {
  writer = stream.value;
  users = bit_of(stream);
  call = last_call;
}

void before_read(GraphDevice& device, StreamId stream, const Tensor& tensor) {
  StreamAccount* const use = account_of(tensor);
  if (use == nullptr || (use->users.load() & bit_of(stream)) != 0) return;
  const int32_t writer = use->writer.load();
  if (writer >= 0 && writer != stream.value) {
    device.order_after_call({writer}, use->call.load(), stream);
  }
  use->users.fetch_or(bit_of(stream));
}

void before_write(GraphDevice& device, StreamId stream, const Tensor& tensor) {
  StreamAccount* const use = account_of(tensor);
  if (use == nullptr) return;
  const int32_t writer = use->writer.load();
  uint64_t readers = use->users.load() & ~bit_of(stream);
  if (writer >= 0 && writer != stream.value) {
    readers &= ~bit_of({writer});
    device.order({writer}, stream);
    device.order_after_call({writer}, use->call.load(), stream);
  }
  for (; readers != 0; readers &= readers - 1) device.order({std::countr_zero(readers)}, stream);
  use->begin(stream, device.last_call(stream));
}

void end_account(const Tensor& tensor) {
  StreamUse* const use = tensor.storage()->use();
  if (use == nullptr) return;
  use->users.store(0);
  use->writer.store(-1);
}

}  // namespace litz::runtime
