// Memory that several programs use in turn, such as those of one context of graph trees.

#pragma once

#include <cstddef>
#include <memory>

#include "runtime/program/arena_pool.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Only for calls that run one after another.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Memory for an output that work of the stream writes, contents unspecified. It stays while someone
  /// holds it.
  virtual std::shared_ptr<Storage> output(size_t bytes, StreamId stream) = 0;
  /// The arenas of temporaries.
  virtual ArenaPool& arenas() = 0;

 protected:
  SharedMemory() = default;
};

}  // namespace litz::runtime
