// Philox 4x32-10: random words as a pure function of a key and a counter (Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). No state, so lanes draw in any order.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace litz {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Four random words after ten rounds.
constexpr PhiloxCounter philox_4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t even = uint64_t{0xD2511F53} * counter[0];
    const uint64_t odd = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// Returns numbers 2 * block and 2 * block + 1 of a key's stream: words 0 (low) and 1 (high) at the
/// counter `block`, then words 2 and 3.
constexpr std::array<int64_t, 2> philox_block(int64_t seed, int64_t block) {
  const auto low = [](int64_t word) { return static_cast<uint32_t>(static_cast<uint64_t>(word)); };
  const auto high = [](int64_t word) {
    return static_cast<uint32_t>(static_cast<uint64_t>(word) >> 32);
  };
  const auto joined = [](uint32_t first, uint32_t second) {
    return static_cast<int64_t>(first | (uint64_t{second} << 32));
  };
  const PhiloxCounter words =
      philox_4x32_10({low(block), high(block), 0, 0}, {low(seed), high(seed)});
  return {joined(words[0], words[1]), joined(words[2], words[3])};
}

/// The scalar primitive `philox`: number n of a key's stream.
constexpr int64_t philox_bits(int64_t seed, int64_t n) {
  return philox_block(seed, n >> 1)[static_cast<size_t>(n & 1)];
}

/// Derives a key from a key: a different one for every `number` >= 0, from 0 to 2^62 - 1. Elements
/// draw the numbers from 0 upwards, so those from -1 downwards are free for this.
constexpr int64_t sub_key(int64_t key, int64_t number) {
  return static_cast<int64_t>(static_cast<uint64_t>(philox_bits(key, ~number)) >> 2);
}

}  // namespace litz
