// Places blocks of memory with given lifetimes in little memory: the better of two heuristics.

#pragma once

#include <cstdint>
#include <vector>

namespace litz {

/// Memory that is live from one step to another, inclusive.
struct Chunk {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;
};

/// The alignment of blocks: of a cache line, and of the widest vector.
inline constexpr int64_t kBlockAlignment = 64;
/// More than the memory of any machine: bounds beyond it are ignored.
inline constexpr int64_t kMostBlockBytes = int64_t{1} << 46;

/// Returns the padded size of a block. Empty blocks also get a place, so addresses are never null.
/// Throws Error{out_of_memory} for negative sizes and those that no memory can hold.
int64_t rounded_block(int64_t bytes);

/// Sets all offsets and returns the end of the last chunk. Two ways are tried: largest first into
/// the tightest gap, and in order of time into the tightest free block. Offsets are sums of sizes.
int64_t arrange(std::vector<Chunk>& chunks);

}  // namespace litz
