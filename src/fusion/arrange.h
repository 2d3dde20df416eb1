// Offsets for blocks of memory that are in use for some time, in as little memory as two tries give.

#pragma once

#include <cstdint>
#include <vector>

namespace litz::fusion {

/// Memory that is in use from one step to another, inclusive.
struct Chunk {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;
};

/// Sets all offsets and returns where the last chunk ends. Two ways are tried: largest first into
/// the tightest gap, and in order of time into the tightest free block. Offsets are sums of sizes.
int64_t arrange(std::vector<Chunk>& chunks);

}  // namespace litz::fusion
