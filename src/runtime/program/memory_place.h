// Where a storage of a launch list is.

#pragma once

#include <cstddef>
#include <memory>

#include "types/tensor.h"

namespace litz::runtime {

struct MemoryPlace {
  std::shared_ptr<Storage> memory;
  std::byte* base = nullptr;  ///< Somewhere in `memory`, for the device.
  bool is_lasting = false;    ///< The same at every call.
};

/// Memory from element 0 of a tensor on.
inline MemoryPlace place_of(const Tensor& tensor, bool is_lasting) {
  return {tensor.storage(), tensor.address(), is_lasting};
}

inline size_t bytes_behind(const MemoryPlace& place) {
  return place.memory->size() - static_cast<size_t>(place.base - place.memory->address());
}

}  // namespace litz::runtime
