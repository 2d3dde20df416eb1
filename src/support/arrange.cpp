#include "support/arrange.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace litz {
namespace {

// Beyond this many blocks, placing the largest first takes longer than it is worth.
constexpr size_t kMostBySize = 4096;

// The tightest free block, or the end.
int64_t place_by_time(std::vector<Chunk>& chunks) {
  std::vector<size_t> order(chunks.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<size_t> ends = order;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return chunks[i].first; });
  std::ranges::stable_sort(ends, {}, [&](size_t i) { return chunks[i].last; });
  std::map<int64_t, int64_t> free;  // Offset to end.
  std::multimap<int64_t, int64_t> by_size;
  const auto forget = [&](int64_t offset, int64_t end) {
    auto [at, to] = by_size.equal_range(end - offset);
    while (at != to && at->second != offset) ++at;
    by_size.erase(at);
    free.erase(offset);
  };
  const auto give = [&](int64_t offset, int64_t end) {
    auto next = free.lower_bound(offset);
    if (next != free.end() && next->first == end) {
      end = next->second;
      forget(next->first, end);
    }
    next = free.lower_bound(offset);
    if (next != free.begin() && std::prev(next)->second == offset) {
      const int64_t begin = std::prev(next)->first;
      forget(begin, offset);
      offset = begin;
    }
    free[offset] = end;
    by_size.emplace(end - offset, offset);
  };
  int64_t top = 0;
  size_t ended = 0;
  for (const size_t i : order) {
    Chunk& chunk = chunks[i];
    for (; ended < ends.size() && chunks[ends[ended]].last < chunk.first; ++ended) {
      const Chunk& gone = chunks[ends[ended]];
      give(gone.offset, gone.offset + gone.bytes);
    }
    const auto fit = by_size.lower_bound(chunk.bytes);
    if (fit != by_size.end()) {
      chunk.offset = fit->second;
      const int64_t end = chunk.offset + fit->first;
      forget(chunk.offset, end);
      if (end > chunk.offset + chunk.bytes) give(chunk.offset + chunk.bytes, end);
      continue;
    }
    // The block at the end may be free but slightly too small.
    chunk.offset = top;
    if (!free.empty() && free.rbegin()->second == top) {
      chunk.offset = free.rbegin()->first;
      forget(chunk.offset, top);
    }
    top = chunk.offset + chunk.bytes;
  }
  return top;
}

// Places the largest first, each into the tightest gap between blocks that are live at the same
// time.
int64_t place_by_size(std::vector<Chunk>& chunks) {
  std::vector<size_t> order(chunks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return chunks[i].bytes; });
  std::vector<const Chunk*> placed;  // By offset.
  int64_t top = 0;
  for (const size_t i : order) {
    Chunk& chunk = chunks[i];
    int64_t best = -1;
    int64_t best_gap = INT64_MAX;
    int64_t end = 0;
    for (const Chunk* other : placed) {
      if (other->last < chunk.first || chunk.last < other->first) continue;
      const int64_t gap = other->offset - end;
      if (gap >= chunk.bytes && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, other->offset + other->bytes);
    }
    chunk.offset = best >= 0 ? best : end;
    top = std::max(top, chunk.offset + chunk.bytes);
    const auto at = std::ranges::upper_bound(placed, chunk.offset, {},
                                             [](const Chunk* other) { return other->offset; });
    placed.insert(at, &chunk);
  }
  return top;
}

}  // namespace

int64_t rounded_block(int64_t bytes) {
  require(0 <= bytes && bytes <= INT64_MAX - kBlockAlignment, ErrorCode::out_of_memory,
          "a tensor must fit into memory:", bytes);
  return std::max(kBlockAlignment,
                  (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
}

int64_t arrange(std::vector<Chunk>& chunks) {
  const int64_t by_time = place_by_time(chunks);
  if (chunks.size() > kMostBySize) return by_time;
  std::vector<Chunk> timed = chunks;
  const int64_t by_size = place_by_size(chunks);
  if (by_size <= by_time) return by_size;
  chunks = std::move(timed);
  return by_time;
}

}  // namespace litz
