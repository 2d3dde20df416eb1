// Runs the threads of one block at a time, as fibers that switch at barriers.

#pragma once

#include <cstdint>

namespace emulated {

/// A kernel runs with this memory and these functions; kernel_shim.inc declares the same.
struct Hooks {
  struct Index {
    unsigned x, y, z;
  };

  Index thread;
  Index block;
  Index block_size;
  Index grid_size;
  /// Returns when all threads of the block that have not ended have called it; the number of those
  /// whose argument is not zero.
  int (*sync_block)(int predicate);
  /// Returns when all lanes of `mask` that have not ended have called it: the values of the 32
  /// lanes, valid until the next call. Sets the lanes that have called it.
  const unsigned long long* (*exchange)(unsigned mask, unsigned long long value,
                                        unsigned* participants);
};

extern Hooks hooks;

/// Runs `threads` threads of the current block, in an order that depends on `seed`.
void run_block(void (*kernel)(void** arguments), void** arguments, unsigned threads, uint64_t seed);

}  // namespace emulated
