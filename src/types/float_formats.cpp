#include "types/float_formats.h"

#include <cmath>
#include <limits>

namespace litz {
namespace {

/// The bits below the sign of a value rounded to a format with `mantissa_bits` and `bias`, with an
/// unbounded exponent field: the caller handles values beyond the largest finite one. Valid for
/// finite input whose result fits 32 bits.
uint32_t round_to_format(uint32_t magnitude, int mantissa_bits, int bias) {
  int dropped = 23 - mantissa_bits;
  auto smallest_normal = static_cast<uint32_t>(128 - bias) << 23;
  if (magnitude < smallest_normal) {
    // Adding a power of two whose unit in the last place is the smallest subnormal makes the
    // floating-point adder round.
    auto aligner = static_cast<uint32_t>(128 - bias + dropped) << 23;
    float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(aligner);
    return std::bit_cast<uint32_t>(sum) - aligner;
  }
  uint32_t is_odd = (magnitude >> dropped) & 1U;
  uint32_t rebased = magnitude - (static_cast<uint32_t>(127 - bias) << 23);
  return (rebased + (1U << (dropped - 1)) - 1U + is_odd) >> dropped;
}

/// A finite number with sign in bit 7.
float from_fields(uint8_t bits, int mantissa_bits, int bias) {
  int exponent = (bits & 0x7f) >> mantissa_bits;
  int mantissa = bits & ((1 << mantissa_bits) - 1);
  int significand = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
  int scale = (exponent == 0 ? 1 : exponent) - bias - mantissa_bits;
  float magnitude = std::ldexp(static_cast<float>(significand), scale);
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

constexpr uint32_t kInfinityBits = 0x7f800000U;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

uint8_t sign_bit(float value) {
  return static_cast<uint8_t>((std::bit_cast<uint32_t>(value) >> 24) & 0x80U);
}

uint32_t magnitude_bits(float value) { return std::bit_cast<uint32_t>(value) & 0x7fffffffU; }

/// Encodes the two formats whose only special value is 0x80: NaN in place of negative zero.
uint8_t encode_unsigned_zero(float value, int mantissa_bits, int bias) {
  uint32_t magnitude = magnitude_bits(value);
  if (magnitude >= kInfinityBits) return 0x80;
  // Anything this large overflows either format, and would overflow the fields as well.
  if (magnitude >= std::bit_cast<uint32_t>(0x1p20F)) return 0x80;
  uint32_t result = round_to_format(magnitude, mantissa_bits, bias);
  if (result == 0) return 0;
  if (result > 0x7fU) return 0x80;
  return static_cast<uint8_t>(result | sign_bit(value));
}

}  // namespace

float to_float(Float8E4M3FN value) {
  return (value.bits & 0x7fU) == 0x7fU ? std::copysign(kNaN, (value.bits & 0x80U) != 0 ? -1.F : 1.F)
                                       : from_fields(value.bits, 3, 7);
}

float to_float(Float8E5M2 value) {
  uint8_t magnitude = value.bits & 0x7fU;
  float sign = (value.bits & 0x80U) != 0 ? -1.F : 1.F;
  if (magnitude > 0x7cU) return std::copysign(kNaN, sign);
  if (magnitude == 0x7cU) return std::copysign(std::numeric_limits<float>::infinity(), sign);
  return from_fields(value.bits, 2, 15);
}

float to_float(Float8E4M3FNUZ value) {
  return value.bits == 0x80U ? kNaN : from_fields(value.bits, 3, 8);
}

float to_float(Float8E5M2FNUZ value) {
  return value.bits == 0x80U ? kNaN : from_fields(value.bits, 2, 16);
}

float to_float(Float8E8M0FNU value) {
  return value.bits == 0xffU ? kNaN : std::ldexp(1.F, value.bits - 127);
}

Float8E4M3FN to_float8_e4m3fn(float value) {
  uint32_t magnitude = magnitude_bits(value);
  uint32_t result = 0;
  if (magnitude > kInfinityBits) {
    result = 0x7fU;
  } else if (magnitude >= std::bit_cast<uint32_t>(448.F)) {
    result = 0x7eU;
  } else {
    result = round_to_format(magnitude, 3, 7);
  }
  return {static_cast<uint8_t>(result | sign_bit(value))};
}

Float8E5M2 to_float8_e5m2(float value) {
  uint32_t magnitude = magnitude_bits(value);
  uint32_t result = 0;
  if (magnitude > kInfinityBits) {
    result = 0x7fU;
  } else if (magnitude >= std::bit_cast<uint32_t>(65536.F)) {
    result = 0x7cU;
  } else {
    result = round_to_format(magnitude, 2, 15);
  }
  return {static_cast<uint8_t>(result | sign_bit(value))};
}

Float8E4M3FNUZ to_float8_e4m3fnuz(float value) { return {encode_unsigned_zero(value, 3, 8)}; }

Float8E5M2FNUZ to_float8_e5m2fnuz(float value) { return {encode_unsigned_zero(value, 2, 16)}; }

Float8E8M0FNU to_float8_e8m0fnu(float value) {
  uint32_t magnitude = magnitude_bits(value);
  uint32_t exponent = magnitude >> 23;
  if (exponent == 0xffU) return {0xff};
  uint32_t mantissa = magnitude & 0x7fffffU;
  // Halfway rounds up for normal numbers, whose implied leading bit counts as an odd last bit.
  bool rounds_up = mantissa > 0x400000U || (mantissa == 0x400000U && exponent > 0);
  return {static_cast<uint8_t>(exponent + (rounds_up ? 1U : 0U))};
}

}  // namespace litz
