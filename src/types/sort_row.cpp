// Elements become unsigned keys in the order of their values, and each key is sorted together with
// its position. No two such pairs are equal, so every algorithm is stable:
//
//   up to 96 elements   a sorting network (merge exchange), which has no data-dependent branches
//   more                a radix sort from the lowest digit, skipping digits that all keys share
//   few of many         selects the smallest `count` first, by their highest digits

#include "types/sort_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz {
namespace {

// Networks have no data-dependent branches, but do O(n log^2 n) work; a radix sort has fixed costs.
// With this limit, [64, 4096] f32 takes 1.7 ms on one core, where PyTorch takes 16 ms.
constexpr int64_t kMostInNetwork = 96;
// If less than one in this many elements is wanted, a heap keeps them: it trades more work per kept
// element for fewer passes over the row.
constexpr int64_t kHeapShare = 32;
constexpr int kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;

/// Key and position in one word: keys of up to 32 bits.
struct Packed {
  uint64_t word = 0;

  static Packed of(uint64_t key, int64_t position) {
    return {key << 32 | static_cast<uint64_t>(position)};
  }

  uint64_t key() const { return word >> 32; }

  int64_t position() const { return static_cast<int64_t>(word & 0xffffffffU); }

  friend bool operator<(Packed a, Packed b) { return a.word < b.word; }

  /// Swaps the two if the mask is all ones; a branch would be mispredicted half of the time.
  static void swap_where(uint64_t mask, Packed& a, Packed& b) {
    const uint64_t change = (a.word ^ b.word) & mask;
    a.word ^= change;
    b.word ^= change;
  }
};

/// The same for wide keys, and for rows that are longer than 32 bits can count.
struct Pair {
  uint64_t own_key = 0;
  int64_t own_position = 0;

  static Pair of(uint64_t key, int64_t position) { return {key, position}; }

  uint64_t key() const { return own_key; }

  int64_t position() const { return own_position; }

  friend bool operator<(Pair a, Pair b) {
    return (a.own_key < b.own_key) | ((a.own_key == b.own_key) & (a.own_position < b.own_position));
  }

  static void swap_where(uint64_t mask, Pair& a, Pair& b) {
    const uint64_t key = (a.own_key ^ b.own_key) & mask;
    const int64_t position = (a.own_position ^ b.own_position) & static_cast<int64_t>(mask);
    a.own_key ^= key;
    b.own_key ^= key;
    a.own_position ^= position;
    b.own_position ^= position;
  }
};

/// A word with the bits of a real number, or a real number that represents all values of a format.
template <typename T>
auto sortable_bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else if constexpr (sizeof(T) == 2) {
    return value.bits;
  } else {
    return std::bit_cast<uint32_t>(to_float(value));
  }
}

/// Words above this are NaN, for non-negative numbers.
template <typename T>
constexpr auto infinity_bits() {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity());
  } else if constexpr (std::is_same_v<T, Float16>) {
    return uint16_t{0x7c00};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return uint16_t{0x7f80};
  } else {
    return std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
  }
}

/// Maps the values of one dtype to unsigned keys of the same order, and back.
template <typename T>
struct Keys {
  static constexpr bool kIsInteger = std::is_integral_v<T>;

  using Word = decltype([] {
    if constexpr (std::is_same_v<T, Bool8>) {
      return uint8_t{};
    } else if constexpr (std::is_integral_v<T>) {
      return std::make_unsigned_t<T>{};
    } else {
      return sortable_bits(T{});
    }
  }());

  static constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr Word kLast = std::numeric_limits<Word>::max();

  /// `is_exact` becomes false if the key does not determine the element.
  static Word of(T value, bool& is_exact) {
    if constexpr (std::is_same_v<T, Bool8>) {
      is_exact &= value.bits <= 1;
      return value.bits != 0 ? 1 : 0;
    } else if constexpr (kIsInteger) {
      const auto word = static_cast<Word>(value);
      return std::is_signed_v<T> ? word ^ kSign : word;
    } else {
      const Word bits = sortable_bits(value);
      const auto magnitude = static_cast<Word>(bits & ~kSign);
      const bool is_nan = magnitude > infinity_bits<T>();
      const bool is_negative_zero = bits == kSign;
      is_exact &= !is_nan && !is_negative_zero && sizeof(T) > 1;
      if (is_nan) return kLast;
      if (is_negative_zero) return kSign;
      return static_cast<Word>((bits & kSign) != 0 ? ~bits : bits | kSign);
    }
  }

  static T element(Word key) {
    if constexpr (std::is_same_v<T, Bool8>) {
      return {key};
    } else if constexpr (kIsInteger) {
      return static_cast<T>(std::is_signed_v<T> ? key ^ kSign : key);
    } else {
      const auto bits = static_cast<Word>((key & kSign) != 0 ? key & ~kSign : ~key);
      if constexpr (std::is_floating_point_v<T>) {
        return std::bit_cast<T>(bits);
      } else if constexpr (sizeof(T) == sizeof(Word)) {
        return {bits};
      } else {
        return {};  // Never exact.
      }
    }
  }
};

/// Merge exchange (Knuth, 5.2.2 M): a network for any number of elements.
template <typename Entry>
void sort_in_network(Entry* entries, int64_t size) {
  const auto top = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size))) / 2;
  for (int64_t p = top; p > 0; p /= 2) {
    int64_t r = 0;
    int64_t distance = p;
    for (int64_t q = top;; q /= 2) {
      for (int64_t block = r; block < size - distance; block += 2 * p) {
        const int64_t end = std::min(block + p, size - distance);
        for (int64_t i = block; i < end; ++i) {
          const uint64_t swaps = entries[i + distance] < entries[i] ? 1 : 0;
          Entry::swap_where(uint64_t{0} - swaps, entries[i], entries[i + distance]);
        }
      }
      if (q == p) break;
      distance = q - p;
      r = p;
    }
  }
}

size_t digit(uint64_t key, int number) { return key >> (kDigitBits * number) & (kDigits - 1); }

/// Returns the array that contains the result.
template <typename Entry>
Entry* sort_by_digits(Entry* entries, Entry* other, int64_t size, int digits) {
  std::array<std::array<int64_t, kDigits>, 8> counts{};
  for (int64_t i = 0; i < size; ++i) {
    const uint64_t key = entries[i].key();
    for (int d = 0; d < digits; ++d) ++counts[static_cast<size_t>(d)][digit(key, d)];
  }
  for (int d = 0; d < digits; ++d) {
    auto& starts = counts[static_cast<size_t>(d)];
    if (starts[digit(entries[0].key(), d)] == size) continue;
    int64_t sum = 0;
    for (int64_t& start : starts) sum += std::exchange(start, sum);
    for (int64_t i = 0; i < size; ++i) other[starts[digit(entries[i].key(), d)]++] = entries[i];
    std::swap(entries, other);
  }
  return entries;
}

/// The entry with `rank` smaller ones. `candidates` gets the entries that share its highest digits,
/// in order, so that few remain after the first digit that distinguishes keys.
template <typename Entry>
Entry entry_of_rank(const Entry* entries, Entry* candidates, int64_t size, int64_t rank,
                    int digits) {
  const Entry* from = entries;
  for (int d = digits - 1; d >= 0 && size > kMostInNetwork; --d) {
    std::array<int64_t, kDigits> counts{};
    for (int64_t i = 0; i < size; ++i) ++counts[digit(from[i].key(), d)];
    size_t own = 0;
    for (; rank >= counts[own]; ++own) rank -= counts[own];
    int64_t kept = 0;
    for (int64_t i = 0; i < size; ++i) {
      candidates[kept] = from[i];
      kept += digit(from[i].key(), d) == own ? 1 : 0;
    }
    from = candidates;
    size = kept;
  }
  // Remaining keys are few, or equal and ordered by position.
  if (from == entries) std::copy(entries, entries + size, candidates);
  if (size <= kMostInNetwork) sort_in_network(candidates, size);
  return candidates[rank];
}

/// Moves the first `count` entries of the order to the front, keeping their relative order.
template <typename Entry>
void select(Entry* entries, Entry* other, int64_t size, int64_t count, int digits) {
  const Entry last = entry_of_rank(entries, other, size, count - 1, digits);
  int64_t kept = 0;
  for (int64_t i = 0; i < size; ++i) {
    const Entry entry = entries[i];
    entries[kept] = entry;
    kept += last < entry ? 0 : 1;
  }
}

/// The first `count` entries in order; returns their position in memory.
template <typename Entry>
Entry* sort_entries(Entry* entries, Entry* other, int64_t size, int64_t count, int digits) {
  if (size <= kMostInNetwork) {
    if (size > 1) sort_in_network(entries, size);
    return entries;
  }
  if (count < size / kHeapShare) {
    std::partial_sort(entries, entries + count, entries + size);
    return entries;
  }
  if (count < size) select(entries, other, size, count, digits);
  if (count <= kMostInNetwork) {
    if (count > 1) sort_in_network(entries, count);
    return entries;
  }
  return sort_by_digits(entries, other, count, digits);
}

template <typename T, typename Entry>
void sort_elements(T* elements, int64_t size, int64_t count, bool descending, int64_t* origins) {
  using Key = Keys<T>;
  using Word = typename Key::Word;
  thread_local std::vector<Entry> memory;
  const auto needed = static_cast<size_t>(2 * size);
  if (memory.size() < needed) {
    memory.clear();
    memory.resize(needed);
  }
  Entry* entries = memory.data();
  const auto flips = static_cast<Word>(descending ? ~Word{0} : Word{0});
  bool is_exact = true;
  for (int64_t i = 0; i < size; ++i) {
    const auto key = static_cast<Word>(Key::of(elements[i], is_exact) ^ flips);
    entries[i] = Entry::of(key, i);
  }
  const Entry* sorted =
      sort_entries(entries, entries + size, size, count, static_cast<int>(sizeof(Word)));
  for (int64_t i = 0; i < count; ++i) origins[i] = sorted[i].position();
  if (is_exact) {
    for (int64_t i = 0; i < count; ++i) {
      elements[i] = Key::element(static_cast<Word>(sorted[i].key() ^ flips));
    }
    return;
  }
  thread_local std::vector<T> given;
  given.assign(elements, elements + size);
  for (int64_t i = 0; i < count; ++i) elements[i] = given[static_cast<size_t>(origins[i])];
}

}  // namespace

void sort_row(DType dtype, std::byte* elements, int64_t size, int64_t count, bool descending,
              int64_t* origins) {
  check(0 <= count && count <= size, "a sort must not give more elements than it got:", count,
        size);
  visit_dtype(dtype, [&]<typename T>() {
    if constexpr (kIsComplex<T>) {
      check(false, "sort keys must be ordered:", name(dtype));
    } else {
      auto* typed = reinterpret_cast<T*>(elements);
      if (sizeof(typename Keys<T>::Word) <= 4 && size <= int64_t{1} << 32) {
        sort_elements<T, Packed>(typed, size, count, descending, origins);
      } else {
        sort_elements<T, Pair>(typed, size, count, descending, origins);
      }
    }
  });
}

}  // namespace litz
