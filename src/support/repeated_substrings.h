// Finds substrings that a sequence repeats, by a suffix array, whose neighbours share the longest
// prefixes.
//
//   0 1 2 0 1 2 0 1 3   ->   length 5 at 0, 3;  length 2 at 0, 3, 6;  ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace litz {

class RepeatedSubstrings {
 public:
  /// Finds every substring of at least `least` entries (1 or more) that occurs more than once,
  /// unless a longer one covers all its occurrences. Takes n log^2 n for n entries.
  RepeatedSubstrings(std::span<const uint32_t> sequence, size_t least);

  struct Entry {
    size_t length = 0;
    std::span<const uint32_t> positions;  ///< Start positions, unordered; occurrences may overlap.
  };

  /// Unordered.
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<uint32_t> suffixes_;  ///< Start positions of suffixes, sorted by content.
  std::vector<Entry> entries_;
};

}  // namespace litz
