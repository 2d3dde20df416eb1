#include "runtime/device.h"

#include "support/check.h"

namespace litz::runtime {

std::shared_ptr<Storage> GraphDevice::lend(std::span<std::byte> /*bytes*/,
                                           std::shared_ptr<const void> /*owner*/,
                                           std::optional<StreamId> /*writer*/) {
  fail(ErrorCode::unsupported, "memory of callers may lie on the host and on CUDA cards, not on",
       to_string(device()));
}

StreamId GraphDevice::callers_stream(void* /*handle*/) {
  fail(ErrorCode::unsupported, "only CUDA cards have streams of callers, not", to_string(device()));
}

}  // namespace litz::runtime
