// Casting one element between any two dtypes, with PyTorch's results on x86 CPUs.
//
// A cast goes through a Wide type that represents every value of the source exactly (int64, uint64,
// float, double or their complex forms), so 21 loads and 6 x 21 stores implement all 441 casts:
//
//   store<BFloat16>(load(int32_value))
//
// Rules:
// - float to integer truncates. Out of range (and for NaN) x86 gives the smallest integer of the
//   width that it converts in: 64-bit for i64, u8 and u32; 32-bit for i32, i16, i8 and u16; then
//   the low bits. So 300.0 becomes 44 as u8, and 3e9 becomes 0 as i16. u64 wraps negative values.
// - integer to narrower integer keeps the low bits.
// - to f16, bf16 and float8 all values pass through float: double rounds twice, as in PyTorch.
// - any non-zero value, and NaN, is true; complex is true if either part is.
// - complex to real drops the imaginary part.

#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "types/float_formats.h"

namespace litz {

template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, ComplexHalf> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;

// load: the element as a Wide type.
inline int64_t load(Bool8 value) { return value.bits != 0 ? 1 : 0; }

template <typename T>
requires std::is_integral_v<T>

auto load(T value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return value;
  } else {
    return static_cast<int64_t>(value);
  }
}

inline float load(float value) { return value; }

inline double load(double value) { return value; }

inline std::complex<float> load(std::complex<float> value) { return value; }

inline std::complex<double> load(std::complex<double> value) { return value; }

inline std::complex<float> load(ComplexHalf value) {
  return {to_float(value.real), to_float(value.imaginary)};
}

template <typename T>

requires requires(T value) { to_float(value); }

float load(T value) { return to_float(value); }

/// The Wide type of elements of type T.
template <typename T>
using Wide = decltype(load(T{}));

/// Truncates; NaN and values beyond I (signed, 32 or 64 bits) give the smallest I, as x86 does.
template <typename I, typename F>
I truncate_to(F value) {
  constexpr F kLow = static_cast<F>(std::numeric_limits<I>::min());
  // -kLow is one past the largest value and, unlike that one, exact in F.
  bool fits = value >= kLow && value < -kLow;
  // Doubles just below -2^31 truncate into range, but only doubles have such values.
  if constexpr (sizeof(F) > sizeof(I)) fits = value > kLow - 1 && value < -kLow;
  return fits ? static_cast<I>(value) : std::numeric_limits<I>::min();
}

/// A float or double as any integer type, by the rules above.
template <typename I, typename F>
I float_to_integer(F value) {
  if constexpr (std::is_same_v<I, uint64_t>) {
    constexpr F kTop = static_cast<F>(0x1p63);
    if (value < kTop) return static_cast<uint64_t>(truncate_to<int64_t>(value));
    return static_cast<uint64_t>(truncate_to<int64_t>(value - kTop)) ^ (uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<I, int64_t> || std::is_same_v<I, uint8_t> ||
                       std::is_same_v<I, uint32_t>) {
    return static_cast<I>(truncate_to<int64_t>(value));
  } else {
    return static_cast<I>(truncate_to<int32_t>(value));
  }
}

/// Rounds to one of the formats of float_formats.h.
template <typename T>
T narrow(float value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(value);
  } else if constexpr (std::is_same_v<T, Float8E4M3FN>) {
    return to_float8_e4m3fn(value);
  } else if constexpr (std::is_same_v<T, Float8E5M2>) {
    return to_float8_e5m2(value);
  } else if constexpr (std::is_same_v<T, Float8E4M3FNUZ>) {
    return to_float8_e4m3fnuz(value);
  } else if constexpr (std::is_same_v<T, Float8E5M2FNUZ>) {
    return to_float8_e5m2fnuz(value);
  } else {
    static_assert(std::is_same_v<T, Float8E8M0FNU>, "T must be a storage type");
    return to_float8_e8m0fnu(value);
  }
}

/// A Wide value as an element of type T.
template <typename T, typename W>
T store(W value) {
  if constexpr (std::is_same_v<T, ComplexHalf>) {
    if constexpr (kIsComplex<W>) {
      return {to_float16(static_cast<float>(value.real())),
              to_float16(static_cast<float>(value.imag()))};
    } else {
      return {to_float16(static_cast<float>(value)), Float16{}};
    }
  } else if constexpr (kIsComplex<T>) {
    using Part = typename T::value_type;
    if constexpr (kIsComplex<W>) {
      return T(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return T(static_cast<Part>(value), Part{0});
    }
  } else if constexpr (std::is_same_v<T, Bool8>) {
    return {static_cast<uint8_t>(value != W{0} ? 1 : 0)};
  } else if constexpr (kIsComplex<W>) {
    return store<T>(value.real());
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_integral_v<W>) {
      return static_cast<T>(value);
    } else {
      return float_to_integer<T>(value);
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return narrow<T>(static_cast<float>(value));
  }
}

/// Casts one element between storage types.
template <typename To, typename From>
To scalar_cast(From value) {
  return store<To>(load(value));
}

}  // namespace litz
