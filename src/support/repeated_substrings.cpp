#include "support/repeated_substrings.h"

#include <algorithm>

#include "support/check.h"

namespace litz {
namespace {

/// Sorts suffixes by their first 1, 2, 4, ... entries until all differ.
std::vector<uint32_t> sorted_suffixes(std::span<const uint32_t> sequence) {
  struct Suffix {
    uint64_t key = 0;  ///< Ranks of its first half and of the second.
    uint32_t begin = 0;
  };

  const size_t n = sequence.size();
  std::vector<Suffix> suffixes(n);
  for (size_t i = 0; i < n; ++i) suffixes[i] = {sequence[i], static_cast<uint32_t>(i)};
  std::vector<uint32_t> ranks(n);
  for (size_t width = 1;; width *= 2) {
    std::ranges::sort(suffixes, {}, &Suffix::key);
    uint32_t rank = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i > 0 && suffixes[i - 1].key != suffixes[i].key) ++rank;
      ranks[suffixes[i].begin] = rank;
    }
    if (rank + 1 == n) break;
    for (Suffix& suffix : suffixes) {
      // Suffixes that end earlier come first.
      const size_t behind = suffix.begin + width;
      suffix.key = uint64_t{ranks[suffix.begin]} << 32 | (behind < n ? ranks[behind] + 1 : 0);
    }
  }
  std::vector<uint32_t> sorted(n);
  std::ranges::transform(suffixes, sorted.begin(), &Suffix::begin);
  return sorted;
}

/// Entry i: the length of the prefix that suffixes i - 1 and i share (Kasai et al., 2001).
std::vector<uint32_t> shared_prefixes(std::span<const uint32_t> sequence,
                                      std::span<const uint32_t> suffixes) {
  const size_t n = sequence.size();
  std::vector<uint32_t> rank(n);
  for (size_t i = 0; i < n; ++i) rank[suffixes[i]] = static_cast<uint32_t>(i);
  std::vector<uint32_t> shared(n, 0);
  uint32_t length = 0;
  for (size_t i = 0; i < n; ++i) {
    if (rank[i] == 0) {
      length = 0;
      continue;
    }
    const size_t other = suffixes[rank[i] - 1];
    while (i + length < n && other + length < n && sequence[i + length] == sequence[other + length])
      ++length;
    shared[rank[i]] = length;
    if (length > 0) --length;
  }
  return shared;
}

}  // namespace

RepeatedSubstrings::RepeatedSubstrings(std::span<const uint32_t> sequence, size_t least) {
  check(least > 0, "a substring must have entries");
  if (sequence.empty()) return;
  suffixes_ = sorted_suffixes(sequence);
  const std::vector<uint32_t> shared = shared_prefixes(sequence, suffixes_);

  // Suffixes `first` and following that share a prefix of this length.
  struct Open {
    uint32_t length = 0;
    size_t first = 0;
  };

  std::vector<Open> open;
  for (size_t i = 1; i <= suffixes_.size(); ++i) {
    const uint32_t length = i < suffixes_.size() ? shared[i] : 0;
    size_t first = i - 1;
    while (!open.empty() && open.back().length > length) {
      first = open.back().first;
      if (open.back().length >= least) {
        entries_.push_back({open.back().length, std::span(suffixes_).subspan(first, i - first)});
      }
      open.pop_back();
    }
    if (length > 0 && (open.empty() || open.back().length < length))
      open.push_back({length, first});
  }
}

}  // namespace litz
