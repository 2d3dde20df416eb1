#include "support/repeated_substrings.h"

#include <algorithm>
#include <numeric>

#include "support/check.h"

namespace litz {
namespace {

/// Sorts suffixes by their first 1, 2, 4, ... entries until all differ.
std::vector<uint32_t> sorted_suffixes(std::span<const uint32_t> sequence) {
  const size_t n = sequence.size();
  std::vector<uint32_t> suffixes(n);
  std::iota(suffixes.begin(), suffixes.end(), 0U);
  std::vector<uint32_t> ranks(sequence.begin(), sequence.end());
  std::vector<uint32_t> next(n);
  for (size_t width = 0;; width = width == 0 ? 1 : 2 * width) {
    // What lies `width` behind; suffixes that end before come first.
    const auto behind = [&](uint32_t suffix) -> uint64_t {
      return width > 0 && suffix + width < n ? uint64_t{ranks[suffix + width]} + 1 : 0;
    };
    const auto is_less = [&](uint32_t a, uint32_t b) {
      return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : behind(a) < behind(b);
    };
    std::ranges::sort(suffixes, is_less);
    uint32_t rank = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i > 0 && is_less(suffixes[i - 1], suffixes[i])) ++rank;
      next[suffixes[i]] = rank;
    }
    ranks.swap(next);
    if (rank + 1 >= n || width >= n) return suffixes;
  }
}

/// Entry i: how long a prefix suffixes i - 1 and i share (Kasai et al., 2001).
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
        entries_.push_back(
            {open.back().length, std::span(suffixes_).subspan(first, i - first)});
      }
      open.pop_back();
    }
    if (length > 0 && (open.empty() || open.back().length < length)) open.push_back({length, first});
  }
}

}  // namespace litz
