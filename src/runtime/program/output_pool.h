// Memory of outputs that callers have dropped, for the outputs of later calls.
//
// Fresh memory of some megabytes comes from the system page by page, each one cleared and mapped when
// it is first written, which takes several times as long as writing it.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Safe from several threads.
class OutputPool {
 public:
  /// Keeps at most so many blocks of the device, in use or not, and forgets the ones taken longest
  /// ago. Devices whose work runs later reuse memory by themselves.
  OutputPool(GraphDevice& device, size_t most) : device_(device), most_(most) {}

  /// Memory of at least so many bytes and at most a quarter more, contents unspecified, that nobody
  /// else knows.
  std::shared_ptr<Storage> take(size_t bytes);

 private:
  GraphDevice& device_;
  size_t most_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Storage>> blocks_;  ///< Taken longest ago first.
};

}  // namespace litz::runtime
