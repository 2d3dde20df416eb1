// Arithmetic, comparison and bits of integers (wrapping) and logic of bool.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "loops/lane_map.h"
#include "support/check.h"
#include "support/philox.h"

namespace litz::loops {
namespace {

// Wrapping arithmetic is done unsigned, at 64 bits: narrow operands would be promoted to int.
template <typename T>
uint64_t word(T a) {
  return static_cast<uint64_t>(a);
}

template <typename T>
void require_divisor(T b) {
  require(b != 0, "an integer divisor must not be zero (integer division or modulo by zero)");
}

template <typename T>
T trunc_quotient(T a, T b) {
  require_divisor(b);
  // The only quotient that overflows.
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - word(a));
  return static_cast<T>(a / b);
}

template <typename T>
T trunc_remainder(T a, T b) {
  require_divisor(b);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

template <typename T>
T floor_quotient(T a, T b) {
  const T quotient = trunc_quotient(a, b);
  const T remainder = trunc_remainder(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
}

template <typename T>
T floor_remainder(T a, T b) {
  const T remainder = trunc_remainder(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
}

template <typename T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return 0;
    }
  }
  uint64_t result = 1;
  uint64_t square = word(base);
  for (uint64_t rest = word(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <typename T>
constexpr int kBits = 8 * static_cast<int>(sizeof(T));

template <typename T>
bool is_shift(T count) {
  return !(count < 0) && word(count) < static_cast<uint64_t>(kBits<T>);
}

template <typename T>
T shifted_left(T a, T count) {
  return is_shift(count) ? static_cast<T>(word(a) << word(count)) : T{0};
}

template <typename T>
T shifted_right(T a, T count) {
  if (is_shift(count)) return static_cast<T>(a >> count);
  return a < 0 ? static_cast<T>(-1) : T{0};
}

template <typename T>
LaneFunction arithmetic(ScalarOp op) {
  if (op == ScalarOp::add)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(word(a) + word(b)); });
  if (op == ScalarOp::sub)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(word(a) - word(b)); });
  if (op == ScalarOp::mul)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(word(a) * word(b)); });
  if (op == ScalarOp::floor_div)
    return binary_lanes<T>([](T a, T b) { return floor_quotient(a, b); });
  if (op == ScalarOp::trunc_div)
    return binary_lanes<T>([](T a, T b) { return trunc_quotient(a, b); });
  if (op == ScalarOp::mod) return binary_lanes<T>([](T a, T b) { return floor_remainder(a, b); });
  if (op == ScalarOp::fmod) return binary_lanes<T>([](T a, T b) { return trunc_remainder(a, b); });
  if (op == ScalarOp::pow) return binary_lanes<T>([](T a, T b) { return integer_power(a, b); });
  if (op == ScalarOp::neg) return unary_lanes<T>([](T a) { return static_cast<T>(0 - word(a)); });
  if (op == ScalarOp::abs)
    return unary_lanes<T>([](T a) { return a < 0 ? static_cast<T>(0 - word(a)) : a; });
  if (op == ScalarOp::sign) {
    return unary_lanes<T>([](T a) { return static_cast<T>((a > 0 ? 1 : 0) - (a < 0 ? 1 : 0)); });
  }
  if (op == ScalarOp::min || op == ScalarOp::fmin)
    return binary_lanes<T>([](T a, T b) { return std::min(a, b); });
  if (op == ScalarOp::max || op == ScalarOp::fmax)
    return binary_lanes<T>([](T a, T b) { return std::max(a, b); });
  if (op == ScalarOp::fma) {
    return ternary_lanes<T>(
        [](T a, T b, T c) { return static_cast<T>(word(a) * word(b) + word(c)); });
  }
  return nullptr;
}

template <typename T>
LaneFunction comparison(ScalarOp op) {
  if (op == ScalarOp::eq) return binary_lanes<T>([](T a, T b) -> uint8_t { return a == b; });
  if (op == ScalarOp::ne) return binary_lanes<T>([](T a, T b) -> uint8_t { return a != b; });
  if (op == ScalarOp::lt) return binary_lanes<T>([](T a, T b) -> uint8_t { return a < b; });
  if (op == ScalarOp::le) return binary_lanes<T>([](T a, T b) -> uint8_t { return a <= b; });
  if (op == ScalarOp::signbit) return unary_lanes<T>([](T a) -> uint8_t { return a < 0; });
  return nullptr;
}

// Adjacent draws from one block compute it once.
template <typename T>
void philox_lanes(std::byte* out, const std::byte* const* operands, int64_t lanes) {
  constexpr int64_t kPerBlock = 16 / sizeof(T);
  auto* r = reinterpret_cast<T*>(out);
  const auto* seed = reinterpret_cast<const int64_t*>(operands[0]);
  const auto* n = reinterpret_cast<const int64_t*>(operands[1]);
  std::array<T, kPerBlock> drawn{};
  for (int64_t i = 0; i < lanes; ++i) {
    // Round down, for negative ones too.
    const int64_t place = n[i] & (kPerBlock - 1);
    const int64_t block = (n[i] - place) / kPerBlock;
    const bool is_known =
        i > 0 && seed[i] == seed[i - 1] && (n[i] ^ n[i - 1]) < kPerBlock && (n[i] ^ n[i - 1]) >= 0;
    if (!is_known) drawn = std::bit_cast<std::array<T, kPerBlock>>(philox_block(seed[i], block));
    r[i] = drawn[static_cast<size_t>(place)];
  }
}

template <typename T>
LaneFunction bits(ScalarOp op) {
  if (op == ScalarOp::bit_and)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(a & b); });
  if (op == ScalarOp::bit_or)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(a | b); });
  if (op == ScalarOp::bit_xor)
    return binary_lanes<T>([](T a, T b) { return static_cast<T>(a ^ b); });
  if (op == ScalarOp::bit_not) return unary_lanes<T>([](T a) { return static_cast<T>(~a); });
  if (op == ScalarOp::shift_left)
    return binary_lanes<T>([](T a, T b) { return shifted_left(a, b); });
  if (op == ScalarOp::shift_right)
    return binary_lanes<T>([](T a, T b) { return shifted_right(a, b); });
  return nullptr;
}

template <typename T>
LaneFunction integer_function(ScalarOp op) {
  if (const LaneFunction function = arithmetic<T>(op)) return function;
  if (const LaneFunction function = comparison<T>(op)) return function;
  return bits<T>(op);
}

LaneFunction bool_function(ScalarOp op) {
  using T = uint8_t;
  if (op == ScalarOp::bit_not) return unary_lanes<T>([](T a) -> T { return a ^ 1; });
  if (op == ScalarOp::add || op == ScalarOp::max || op == ScalarOp::fmax) op = ScalarOp::bit_or;
  if (op == ScalarOp::mul || op == ScalarOp::min || op == ScalarOp::fmin) op = ScalarOp::bit_and;
  if (const LaneFunction function = comparison<T>(op)) return function;
  return bits<T>(op);
}

}  // namespace

LaneFunction philox_lane_function(DType result) {
  return result == DType::i32 ? &philox_lanes<int32_t> : &philox_lanes<int64_t>;
}

LaneFunction integer_lane_function(ScalarOp op, DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return bool_function(op);
    case DType::u8:
      return integer_function<uint8_t>(op);
    case DType::i8:
      return integer_function<int8_t>(op);
    case DType::u16:
      return integer_function<uint16_t>(op);
    case DType::i16:
      return integer_function<int16_t>(op);
    case DType::u32:
      return integer_function<uint32_t>(op);
    case DType::i32:
      return integer_function<int32_t>(op);
    case DType::u64:
      return integer_function<uint64_t>(op);
    case DType::i64:
      return integer_function<int64_t>(op);
    default:
      return nullptr;
  }
}

}  // namespace litz::loops
