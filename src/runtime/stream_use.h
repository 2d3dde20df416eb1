// Keeps work of several streams on one block of memory in order.
//
// A stream that reads follows the stream that wrote last; a stream that writes follows all that have used
// the memory since. The order is stated when a stream needs it, so that one stream alone costs nothing.

#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Streams from this number on, which no calls use, are not accounted for.
inline constexpr int32_t kMostStreams = 64;

/// The stream in StreamUse::users.
inline uint64_t bit_of(StreamId stream) {
  return stream.value < kMostStreams ? uint64_t{1} << static_cast<unsigned>(stream.value) : 0;
}

/// What devices keep of each of their blocks: Storage::use() of their memory is one of these.
struct StreamAccount : StreamUse {
  std::atomic<uint64_t> call = 0;  ///< Of the writer: GraphDevice::last_call.

  /// For a block that work of the stream writes first.
  void begin(StreamId stream, uint64_t last_call);
};

/// Whether account is kept of the work on a tensor's memory.
inline bool is_accounted(const Tensor& tensor) { return tensor.storage()->use() != nullptr; }

/// Orders what the stream gets from now on, which reads the tensor.
void before_read(GraphDevice& device, StreamId stream, const Tensor& tensor);

/// Orders what the stream gets from now on, which writes the tensor.
void before_write(GraphDevice& device, StreamId stream, const Tensor& tensor);

/// Says that the contents are there, and that work on the memory is not accounted for from now on: it is
/// used again when all work of that time is done.
void end_account(const Tensor& tensor);

}  // namespace litz::runtime
