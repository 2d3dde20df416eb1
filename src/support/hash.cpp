#include "support/hash.h"

#include <bit>
#include <cstring>

namespace litz {
namespace {

static_assert(std::endian::native == std::endian::little, "stored hashes assume little endian");

// Folds the 128-bit product of two words: one multiplication mixes sixteen bytes.
uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t load(const std::byte* from, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, from, count);
  return word;
}

// Odd constants with evenly spread bits; a zero word must not absorb the state.
constexpr uint64_t kFirst = 0x9fb21c651e98df25;
constexpr uint64_t kSecond = 0xc2b2ae3d27d4eb4f;

}  // namespace

uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed) {
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  uint64_t a = seed ^ kFirst;
  uint64_t b = seed ^ kSecond;
  // Two lanes, so that the multiplications overlap.
  for (; left >= 32; at += 32, left -= 32) {
    a = fold(load(at, 8) ^ kFirst ^ a, load(at + 8, 8) ^ kSecond ^ (a >> 1));
    b = fold(load(at + 16, 8) ^ kFirst ^ b, load(at + 24, 8) ^ kSecond ^ (b >> 1));
  }
  for (; left >= 8; at += 8, left -= 8) a = fold(load(at, 8) ^ a ^ kFirst, kSecond ^ (a >> 1));
  if (left > 0) b = fold(load(at, left) ^ b ^ kFirst, kSecond ^ (b >> 1));
  return hash_combine(hash_combine(a, b), bytes.size());
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
