#include "support/hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace litz {
namespace {

static_assert(std::endian::native == std::endian::little, "stored hashes assume little endian");

// Bijective in the state for a given word and in the word for a given state, so inputs that differ
// in one word never collide.
uint64_t absorb(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9fb21c651e98df25;  // Odd, with evenly spread bits.
  return state ^ (state >> 29);
}

uint64_t load(const std::byte* from, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, from, count);
  return word;
}

}  // namespace

uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed) {
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  // Four lanes, so that the multiplications overlap.
  std::array<uint64_t, 4> lanes = {seed, hash_combine(seed, 1), hash_combine(seed, 2),
                                   hash_combine(seed, 3)};
  for (; left >= 32; at += 32, left -= 32) {
    for (size_t i = 0; i < 4; ++i) lanes[i] = absorb(lanes[i], load(at + 8 * i, 8));
  }
  for (; left >= 8; at += 8, left -= 8) lanes[0] = absorb(lanes[0], load(at, 8));
  if (left > 0) lanes[1] = absorb(lanes[1], load(at, left));
  uint64_t hash = bytes.size();
  for (const uint64_t lane : lanes) hash = hash_combine(hash, lane);
  return hash;
}

uint64_t hash_bytes(std::string_view text, uint64_t seed) {
  return hash_bytes(std::as_bytes(std::span(text)), seed);
}

Hasher& Hasher::add(double value) { return add(std::bit_cast<uint64_t>(value)); }

Hasher& Hasher::add(std::string_view text) { return add(std::as_bytes(std::span(text))); }

Hasher& Hasher::add(std::span<const std::byte> bytes) {
  state_ = hash_combine(state_, hash_bytes(bytes));
  return *this;
}

}  // namespace litz
