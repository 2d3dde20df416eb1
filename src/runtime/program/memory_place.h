// The place of a launch list's storage in memory.

#pragma once

#include <cstddef>
#include <memory>

#include "types/tensor.h"

namespace litz::runtime {

struct MemoryPlace {
  std::shared_ptr<Storage> memory;
  std::byte* base = nullptr;  ///< An address in `memory`, as the device sees it.
  bool is_lasting = false;    ///< The same at every call.
};

/// The memory that starts at element 0 of a tensor.
inline MemoryPlace place_of(const Tensor& tensor, bool is_lasting) {
  return {tensor.storage(), tensor.address(), is_lasting};
}

inline size_t bytes_behind(const MemoryPlace& place) {
  return place.memory->size() - static_cast<size_t>(place.base - place.memory->address());
}

}  // namespace litz::runtime
