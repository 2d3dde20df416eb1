// Stable 64-bit hashes: the same bytes give the same number in every run and on every machine, so
// they may be stored in cache keys. They spread well but do not resist an adversary; containers
// that must not depend on order use ordered maps instead.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace litz {

/// Hashes text at compile time; meant for short names (one byte per step).
constexpr uint64_t hash_name(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the published offset and prime.
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

/// Mixes two words so that every bit of both reaches every bit of the result; not symmetric.
constexpr uint64_t hash_combine(uint64_t first, uint64_t second) {
  // The finaliser of splitmix64 over a sum that keeps (a, b) and (b, a) apart.
  uint64_t x = first + 0x9e3779b97f4a7c15 + ((second << 32) | (second >> 32)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Hashes bytes eight at a time. Two seeds give two independent hashes of one content.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);
uint64_t hash_bytes(std::string_view text, uint64_t seed = 0);

/// Accumulates a hash over a sequence of parts; lengths are mixed in, so ("ab", "c") differs from
/// ("a", "bc").
class Hasher {
 public:
  explicit Hasher(uint64_t seed = 0) : state_(seed) {}

  template <typename T>

  requires std::integral<T> Hasher& add(T value) {
    state_ = hash_combine(state_, static_cast<uint64_t>(value));
    return *this;
  }

  Hasher& add(double value);
  Hasher& add(std::string_view text);

  Hasher& add(const char* text) { return add(std::string_view(text)); }

  Hasher& add(std::span<const std::byte> bytes);

  uint64_t value() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace litz
