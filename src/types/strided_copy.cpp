// Both arrays are first described by the same few loops: dimensions of size 1 are dropped,
// dimensions that are contiguous with the next on both sides are merged, and the loop with the
// smallest steps in the target is innermost. Most copies then are one memcpy, one line loop, or one
// transpose.

#include "types/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "support/check.h"
#include "support/short_vector.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz {
namespace {

/// One loop; steps in bytes.
struct Loop {
  int64_t size;
  int64_t target_step;
  int64_t source_step;
};

using Loops = ShortVector<Loop, 8>;

/// Outermost first; empty for a single element.
Loops plan_loops(const StridedTarget& target, const StridedSource& source,
                 std::span<const int64_t> sizes) {
  int64_t target_item = item_size(target.dtype);
  int64_t source_item = item_size(source.dtype);
  Loops loops;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    loops.push_back({sizes[i], target.strides[i] * target_item, source.strides[i] * source_item});
  }
  const auto is_outside = [](const Loop& a, const Loop& b) {
    int64_t a_step = std::abs(a.target_step);
    int64_t b_step = std::abs(b.target_step);
    if (a_step != b_step) return a_step > b_step;
    return std::abs(a.source_step) > std::abs(b.source_step);
  };
  // Loops are few and mostly in order; the library's stable sort would allocate memory.
  for (size_t i = 1; i < loops.size(); ++i) {
    for (size_t j = i; j > 0 && is_outside(loops[j], loops[j - 1]); --j) {
      std::swap(loops[j], loops[j - 1]);
    }
  }
  Loops merged;
  for (const Loop& loop : loops) {
    if (!merged.empty()) {
      Loop& outer = merged.back();
      if (outer.target_step == loop.target_step * loop.size &&
          outer.source_step == loop.source_step * loop.size) {
        outer = {outer.size * loop.size, loop.target_step, loop.source_step};
        continue;
      }
    }
    merged.push_back(loop);
  }
  return merged;
}

/// Calls `body(target, source)` at every index of the given outer loops.
template <typename Body>
void walk(std::span<const Loop> loops, std::byte* target, const std::byte* source, Body&& body) {
  if (loops.empty()) return body(target, source);
  const Loop& loop = loops.front();
  for (int64_t i = 0; i < loop.size; ++i) {
    walk(loops.subspan(1), target, source, body);
    target += loop.target_step;
    source += loop.source_step;
  }
}

// Elements are moved as unsigned words of their size, through memcpy: their addresses may be
// unaligned, and the compiler turns each move into one load and one store.
struct Word16 {
  uint64_t halves[2];
};

template <typename Word>
void move_one(std::byte* target, const std::byte* source) {
  Word word;
  std::memcpy(&word, source, sizeof(Word));
  std::memcpy(target, &word, sizeof(Word));
}

template <typename Word>
void move_line(std::byte* target, const std::byte* source, const Loop& loop) {
  constexpr auto kItem = static_cast<int64_t>(sizeof(Word));
  if (loop.target_step == kItem && loop.source_step == kItem) {
    std::memmove(target, source, static_cast<size_t>(loop.size) * sizeof(Word));
    return;
  }
  if (loop.target_step == kItem && loop.source_step == 0) {
    Word word;
    std::memcpy(&word, source, sizeof(Word));
    for (int64_t i = 0; i < loop.size; ++i) {
      std::memcpy(target + i * kItem, &word, sizeof(Word));
    }
    return;
  }
  for (int64_t i = 0; i < loop.size; ++i) {
    move_one<Word>(target + i * loop.target_step, source + i * loop.source_step);
  }
}

/// A transpose reads with its smallest steps along a loop other than the innermost. Moves that loop
/// next to the innermost and returns true; leaves other copies unchanged.
bool pair_for_transpose(Loops& loops) {
  auto finest = std::min_element(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return std::abs(a.source_step) < std::abs(b.source_step);
  });
  if (finest == loops.end() || finest + 1 == loops.end() || finest->source_step == 0) return false;
  if (std::abs(finest->source_step) >= std::abs(loops.back().source_step)) return false;
  std::rotate(finest, finest + 1, loops.end() - 1);
  return true;
}

/// Walks two loops in square tiles, so that the side with scattered accesses stays in the cache.
/// Calls `line(target, source, part)` for the inner loop's part in a tile.
template <typename Line>
void walk_tiles(std::byte* target, const std::byte* source, const Loop& outer, const Loop& inner,
                Line&& line) {
  constexpr int64_t kTile = 32;
  for (int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
    int64_t i1 = std::min(i0 + kTile, outer.size);
    for (int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
      Loop part{std::min(kTile, inner.size - j0), inner.target_step, inner.source_step};
      for (int64_t i = i0; i < i1; ++i) {
        line(target + i * outer.target_step + j0 * inner.target_step,
             source + i * outer.source_step + j0 * inner.source_step, part);
      }
    }
  }
}

/// Calls `line(target, source, loop)` for every run along the innermost loop, tiled if that helps.
/// Loops must not be empty.
template <typename Line>
void walk_lines(Loops& loops, std::byte* target, const std::byte* source, Line&& line) {
  bool is_transpose = pair_for_transpose(loops);
  Loop inner = loops.back();
  if (!is_transpose) {
    walk(std::span(loops).first(loops.size() - 1), target, source,
         [&](std::byte* to, const std::byte* from) { line(to, from, inner); });
    return;
  }
  Loop outer = loops[loops.size() - 2];
  walk(std::span(loops).first(loops.size() - 2), target, source,
       [&](std::byte* to, const std::byte* from) { walk_tiles(to, from, outer, inner, line); });
}

template <typename Word>
void move_words(Loops& loops, std::byte* target, const std::byte* source) {
  if (loops.empty()) return move_one<Word>(target, source);
  walk_lines(loops, target, source, [](std::byte* to, const std::byte* from, const Loop& loop) {
    move_line<Word>(to, from, loop);
  });
}

void move_elements(Loops& loops, int64_t item, std::byte* target, const std::byte* source) {
  switch (item) {
    case 1:
      return move_words<uint8_t>(loops, target, source);
    case 2:
      return move_words<uint16_t>(loops, target, source);
    case 4:
      return move_words<uint32_t>(loops, target, source);
    case 8:
      return move_words<uint64_t>(loops, target, source);
    default:
      check(item == 16, "an element has 1, 2, 4, 8 or 16 bytes:", item);
      return move_words<Word16>(loops, target, source);
  }
}

/// Source elements converted at a time: the buffer must fit the first-level cache, and longer
/// chunks amortise the dispatch on dtypes.
constexpr int64_t kChunk = 512;

/// Converts `count` elements through a buffer of Wide values, so that loads and stores compile
/// separately instead of once for each pair of dtypes.
template <typename W>
void store_chunk(std::byte* target, DType dtype, int64_t step, const W* values, int64_t count) {
  visit_dtype(dtype, [&]<typename T>() {
    if (step == static_cast<int64_t>(sizeof(T))) {
      for (int64_t i = 0; i < count; ++i) {
        T value = store<T>(values[i]);
        std::memcpy(target + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      T value = store<T>(values[i]);
      std::memcpy(target + i * step, &value, sizeof(T));
    }
  });
}

template <typename T>
void load_chunk(Wide<T>* values, const std::byte* source, int64_t step, int64_t count) {
  if (step == static_cast<int64_t>(sizeof(T))) {
    for (int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, source + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
      values[i] = load(value);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, source + i * step, sizeof(T));
    values[i] = load(value);
  }
}

void cast_line(std::byte* target, DType target_dtype, const std::byte* source, DType source_dtype,
               const Loop& loop) {
  visit_dtype(source_dtype, [&]<typename T>() {
    std::array<Wide<T>, kChunk> values;
    for (int64_t begin = 0; begin < loop.size; begin += kChunk) {
      int64_t count = std::min(kChunk, loop.size - begin);
      load_chunk<T>(values.data(), source + begin * loop.source_step, loop.source_step, count);
      store_chunk(target + begin * loop.target_step, target_dtype, loop.target_step, values.data(),
                  count);
    }
  });
}

}  // namespace

void copy_elements(const StridedTarget& target, const StridedSource& source,
                   std::span<const int64_t> sizes) {
  check(target.strides.size() == sizes.size() && source.strides.size() == sizes.size(),
        "a copy needs one stride for each size:", target.strides.size(), source.strides.size(),
        sizes.size());
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Loops loops = plan_loops(target, source, sizes);
  if (target.dtype == source.dtype) {
    move_elements(loops, item_size(target.dtype), target.data, source.data);
    return;
  }
  if (loops.empty()) loops.push_back({1, item_size(target.dtype), item_size(source.dtype)});
  walk_lines(loops, target.data, source.data,
             [&](std::byte* to, const std::byte* from, const Loop& loop) {
               cast_line(to, target.dtype, from, source.dtype, loop);
             });
}

void cast_elements(std::byte* target, DType target_dtype, const std::byte* source,
                   DType source_dtype, int64_t count) {
  if (target_dtype == source_dtype) {
    std::memmove(target, source, static_cast<size_t>(count * item_size(target_dtype)));
    return;
  }
  cast_line(target, target_dtype, source, source_dtype,
            {count, item_size(target_dtype), item_size(source_dtype)});
}

void fill_elements(std::byte* target, int64_t item_size, int64_t count, int64_t stride,
                   const std::byte* value) {
  if (count <= 0) return;
  Loops loops;
  loops.push_back({count, stride * item_size, 0});
  move_elements(loops, item_size, target, value);
}

}  // namespace litz
