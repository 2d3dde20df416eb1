// Numbers in memory of the emulated card, by the types of its libraries.

#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace emulated {

/// The numbers of cuBLASLt.
enum Type : int { kF32 = 0, kF64 = 1, kF16 = 2, kBf16 = 14 };

inline size_t item_bytes(int type) { return type == kF64 ? 8 : type == kF32 ? 4 : 2; }

inline double load(const void* base, int type, int64_t index) {
  const auto* const at =
      static_cast<const char*>(base) + index * static_cast<int64_t>(item_bytes(type));
  if (type == kF64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (type == kF32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  if (type == kBf16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  _Float16 half = 0;
  std::memcpy(&half, &bits, sizeof half);
  return static_cast<double>(half);
}

inline void store(void* base, int type, int64_t index, double value) {
  auto* const at = static_cast<char*>(base) + index * static_cast<int64_t>(item_bytes(type));
  if (type == kF64) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  const auto single = static_cast<float>(value);
  if (type == kF32) {
    std::memcpy(at, &single, sizeof single);
  } else if (type == kF16) {
    const auto half = static_cast<_Float16>(single);
    std::memcpy(at, &half, sizeof half);
  } else {
    const auto bits = std::bit_cast<uint32_t>(single);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    const auto high = static_cast<uint16_t>(std::isnan(single) ? 0x7fc0 : rounded >> 16);
    std::memcpy(at, &high, sizeof high);
  }
}

}  // namespace emulated
