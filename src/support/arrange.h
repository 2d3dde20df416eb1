// Offsets for blocks of memory that are in use for some time, in as little memory as two tries give.

#pragma once

#include <cstdint>
#include <vector>

namespace litz {

/// Memory that is in use from one step to another, inclusive.
struct Chunk {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;
};

/// Blocks begin at multiples of this: of a cache line, and of the widest vector.
inline constexpr int64_t kBlockAlignment = 64;
/// More than any machine has: a bound like this says nothing.
inline constexpr int64_t kMostBlockBytes = int64_t{1} << 46;

/// What a block of so many bytes takes. Empty ones get a place, too: addresses are then never null.
/// Throws Error{limit_exceeded} for sizes that are negative or fit no memory.
int64_t rounded_block(int64_t bytes);

/// Sets all offsets and returns where the last chunk ends. Two ways are tried: largest first into
/// the tightest gap, and in order of time into the tightest free block. Offsets are sums of sizes.
int64_t arrange(std::vector<Chunk>& chunks);

}  // namespace litz
