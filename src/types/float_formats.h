// Floating formats that C++ lacks: storage types for f16, bf16 and the five 8-bit formats.
//
// Each type holds only bits; arithmetic is done in float. Encoding rounds to nearest, ties to even.
// Overflow beyond the largest finite value depends on the format, and follows PyTorch:
//
//   type          exponent bias  overflow   NaN          notes
//   f16                      15  infinity   kept quiet
//   bf16                    127  infinity   0x7fc0       payload and sign of a NaN are dropped
//   f8e4m3fn                  7  +-448      s1111111     no infinity, which becomes +-448 too
//   f8e5m2                   15  infinity   s1111111
//   f8e4m3fnuz                8  NaN        10000000     no infinity, no negative zero
//   f8e5m2fnuz               16  NaN        10000000     no infinity, no negative zero
//   f8e8m0fnu               127  NaN        11111111     powers of two; the sign is dropped

#pragma once

#include <bit>
#include <cstdint>

namespace litz {

struct Float16 {
  uint16_t bits = 0;
};

struct BFloat16 {
  uint16_t bits = 0;
};

struct Float8E4M3FN {
  uint8_t bits = 0;
};

struct Float8E5M2 {
  uint8_t bits = 0;
};

struct Float8E4M3FNUZ {
  uint8_t bits = 0;
};

struct Float8E5M2FNUZ {
  uint8_t bits = 0;
};

struct Float8E8M0FNU {
  uint8_t bits = 0;
};

/// A stored boolean: any non-zero byte is true; Litz writes 0 or 1.
struct Bool8 {
  uint8_t bits = 0;
};

/// Two f16: the parts of complex32.
struct ComplexHalf {
  Float16 real;
  Float16 imaginary;
};

// The 16-bit conversions are inline because whole tensors pass through them. They have no branches
// except those that a vectoriser turns into selects.

inline float to_float(Float16 value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000U) << 16;
  uint32_t magnitude = value.bits & 0x7fffU;
  // Move the fields and rebase the exponent; infinities and NaNs need the full exponent of a float.
  uint32_t normal = (magnitude << 13) + (magnitude >= 0x7c00U ? 0xe0U << 23 : 0x70U << 23);
  // Subnormals are multiples of 2^-24, which float holds exactly.
  uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24F);
  return std::bit_cast<float>(sign | (magnitude < 0x400U ? subnormal : normal));
}

inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

inline Float16 to_float16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000U;
  uint32_t magnitude = bits & 0x7fffffffU;
  // Round to nearest even in the bits: half of the dropped part, less one unless the result is odd.
  uint32_t normal = (magnitude - (0x70U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // Below 2^-14, adding 0.5 aligns the value to multiples of 2^-24, and the adder rounds to even.
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                       std::bit_cast<uint32_t>(0.5F);
  uint32_t not_a_number = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
  uint32_t result = magnitude < (0x71U << 23) ? subnormal : normal;
  result = magnitude >= 0x47800000U ? 0x7c00U : result;
  result = magnitude > 0x7f800000U ? not_a_number : result;
  return {static_cast<uint16_t>(sign | result)};
}

inline BFloat16 to_bfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return {static_cast<uint16_t>(is_nan ? 0x7fc0U : rounded)};
}

float to_float(Float8E4M3FN value);
float to_float(Float8E5M2 value);
float to_float(Float8E4M3FNUZ value);
float to_float(Float8E5M2FNUZ value);
float to_float(Float8E8M0FNU value);

Float8E4M3FN to_float8_e4m3fn(float value);
Float8E5M2 to_float8_e5m2(float value);
Float8E4M3FNUZ to_float8_e4m3fnuz(float value);
Float8E5M2FNUZ to_float8_e5m2fnuz(float value);
Float8E8M0FNU to_float8_e8m0fnu(float value);

}  // namespace litz
