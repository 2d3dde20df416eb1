// Reuses the memory of outputs that callers have dropped for the outputs of later calls.
//
// The system provides fresh memory of some megabytes page by page. It clears and maps each page at
// the first write, which takes several times as long as writing it.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Thread-safe.
class OutputPool {
 public:
  /// Keeps at most `most` blocks of the device, in use or not, and forgets the least recently taken
  /// ones. Devices whose work runs later reuse memory themselves.
  OutputPool(GraphDevice& device, size_t most) : device_(device), most_(most) {}

  /// Returns memory of at least `bytes` bytes and at most a quarter more, contents unspecified,
  /// without other owners, for work that the stream gets first.
  std::shared_ptr<Storage> take(size_t bytes, StreamId stream = {});

 private:
  GraphDevice& device_;
  size_t most_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Storage>> blocks_;  ///< Least recently taken first.
};

}  // namespace litz::runtime
