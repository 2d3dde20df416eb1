// The text needs no header, so the run-time compiler alone suffices. Results are those of
// types/scalar_cast.h, types/float_formats.h, support/philox.h and loops/real_functions.h.

#include "codegen/cuda/prelude.h"

#include <string>

namespace litz::codegen {
namespace {

constexpr std::string_view kTypes = R"cuda(
using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

// The first failure of a launch: the host clears `claimed` beforehand.
struct Failure { int claimed; int unused; i64 check, value, extent; };

__device__ inline void fail(Failure* failure, i64 check, i64 value, i64 extent) {
  if (atomicCAS(&failure->claimed, 0, 1) != 0) return;
  failure->check = check;
  failure->value = value;
  failure->extent = extent;
  __threadfence_system();
}

template <class To, class From> __device__ inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
)cuda";

constexpr std::string_view kFormats = R"cuda(
// Narrow formats live in registers as floats that they can represent.

#if defined(LITZ_EMULATED_CUDA)
__device__ inline f32 from_f16(u16 bits) { return bits_as<_Float16>(bits); }
__device__ inline u16 to_f16(f32 value) { return bits_as<u16>(static_cast<_Float16>(value)); }
#else
__device__ inline f32 from_f16(u16 bits) {
  f32 value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ inline u16 to_f16(f32 value) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
#endif
__device__ inline f32 round_f16(f32 value) { return from_f16(to_f16(value)); }

__device__ inline f32 from_bf16(u16 bits) { return bits_as<f32>(static_cast<u32>(bits) << 16); }
// A bf16 in a register is the float whose upper half it is, so taking that half rounds nothing.
__device__ inline u16 to_bf16(f32 value) { return static_cast<u16>(bits_as<u32>(value) >> 16); }
#if !defined(LITZ_EMULATED_CUDA) && __CUDA_ARCH__ >= 800
__device__ inline f32 round_bf16(f32 value) {
  u32 bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(value), "f"(0.0f));
  return bits_as<f32>(bits);
}
// Operations on two bf16, rounded once. Their lower halves are 0 and stay 0.
__device__ inline f32 fma_bf16(u32 a, u32 b, u32 c) {
  u32 bits;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(bits) : "r"(a), "r"(b), "r"(c));
  return bits_as<f32>(bits);
}
__device__ inline f32 add_bf16(f32 a, f32 b) {
  return fma_bf16(bits_as<u32>(a), 0x3f800000u, bits_as<u32>(b));
}
__device__ inline f32 sub_bf16(f32 a, f32 b) {
  return fma_bf16(bits_as<u32>(b), 0xbf800000u, bits_as<u32>(a));
}
__device__ inline f32 mul_bf16(f32 a, f32 b) {
  return fma_bf16(bits_as<u32>(a), bits_as<u32>(b), 0x80000000u);
}
#else
__device__ inline f32 round_bf16(f32 value) {
  const u32 bits = bits_as<u32>(value);
  const u32 rounded = (bits + ((bits >> 16 & 1) + 0x7fff)) & 0xffff0000;
  return bits_as<f32>(value != value ? 0x7fc00000u : rounded);
}
__device__ inline f32 add_bf16(f32 a, f32 b) { return round_bf16(a + b); }
__device__ inline f32 sub_bf16(f32 a, f32 b) { return round_bf16(a - b); }
__device__ inline f32 mul_bf16(f32 a, f32 b) { return round_bf16(a * b); }
#endif

// Formats of 8 bits with a sign. kOverflow: the encoding of values that are too large; 0: the
// format has neither infinity nor negative zero, whose encoding means NaN.
template <int kMantissa, int kBias, u32 kOverflow> struct F8 {
  static constexpr int kDropped = 23 - kMantissa;
  static __device__ f32 decode(u8 bits) {
    const u32 magnitude = bits & 0x7f;
    const u32 sign = static_cast<u32>(bits & 0x80) << 24;
    u32 value = (magnitude << kDropped) + (static_cast<u32>(127 - kBias) << 23);
    if (magnitude < 1u << kMantissa) {
      const f32 smallest = bits_as<f32>(static_cast<u32>(127 + 1 - kBias - kMantissa) << 23);
      value = bits_as<u32>(static_cast<f32>(magnitude) * smallest);
    }
    if (kOverflow == 0x7e && magnitude == 0x7f) value = 0x7fc00000;
    if (kOverflow == 0x7c && magnitude >= 0x7c) value = magnitude == 0x7c ? 0x7f800000 : 0x7fc00000;
    value |= sign;
    if (kOverflow == 0 && bits == 0x80) value = 0x7fc00000;
    return bits_as<f32>(value);
  }
  static __device__ u8 encode(f32 from) {
    const u32 bits = bits_as<u32>(from);
    const u32 magnitude = bits & 0x7fffffff;
    const u32 aligner = static_cast<u32>(127 + 1 - kBias + kDropped) << 23;
    u32 result;
    if (magnitude < static_cast<u32>(127 + 1 - kBias) << 23) {
      result = bits_as<u32>(bits_as<f32>(magnitude) + bits_as<f32>(aligner)) - aligner;
    } else {
      const u32 odd = magnitude >> kDropped & 1;
      result = (magnitude - (static_cast<u32>(127 - kBias) << 23) + ((1u << (kDropped - 1)) - 1) +
                odd) >> kDropped;
    }
    const u32 sign = bits >> 24 & 0x80;
    if (kOverflow != 0) {
      if (result > kOverflow) result = kOverflow;
      if (magnitude > 0x7f800000) result = 0x7f;
      return static_cast<u8>(result | sign);
    }
    if (result > 0x7f) return 0x80;
    return static_cast<u8>(result == 0 ? 0 : result | sign);
  }
};
using F8E4M3FN = F8<3, 7, 0x7e>;
using F8E4M3FNUZ = F8<3, 8, 0>;
using F8E5M2 = F8<2, 15, 0x7c>;
using F8E5M2FNUZ = F8<2, 16, 0>;
struct F8E8M0FNU {
  static __device__ f32 decode(u8 bits) {
    if (bits == 0) return bits_as<f32>(0x00400000u);
    if (bits == 0xff) return bits_as<f32>(0x7fc00000u);
    return bits_as<f32>(static_cast<u32>(bits) << 23);
  }
  static __device__ u8 encode(f32 from) {
    const u32 magnitude = bits_as<u32>(from) & 0x7fffffff;
    const u32 exponent = magnitude >> 23;
    const u32 mantissa = magnitude & 0x7fffff;
    if (exponent == 0xff) return 0xff;
    return static_cast<u8>(exponent + (mantissa > (exponent == 0 ? 0x400000u : 0x3fffffu) ? 1 : 0));
  }
};
template <class Format> __device__ inline f32 round_f8(f32 value) {
  return Format::decode(Format::encode(value));
}
)cuda";

constexpr std::string_view kCasts = R"cuda(
// Truncates. Values that do not fit, and NaN, give the smallest integer of 32 or 64 bits.
template <class From> __device__ inline i32 to_i32(From value) {
  const bool fits = value < static_cast<From>(2147483648.0) &&
                    (sizeof(From) > 4 ? value > static_cast<From>(-2147483649.0)
                                      : value >= static_cast<From>(-2147483648.0));
  return fits ? static_cast<i32>(value) : static_cast<i32>(0x80000000u);
}
template <class From> __device__ inline i64 to_i64(From value) {
  const bool fits = value < static_cast<From>(9223372036854775808.0) &&
                    value >= static_cast<From>(-9223372036854775808.0);
  return fits ? static_cast<i64>(value) : static_cast<i64>(0x8000000000000000ull);
}
template <class From> __device__ inline u64 to_u64(From value) {
  const From top = static_cast<From>(9223372036854775808.0);
  if (value < top) return static_cast<u64>(to_i64(value));
  return static_cast<u64>(to_i64(value - top)) ^ 0x8000000000000000ull;
}
)cuda";

constexpr std::string_view kIntegers = R"cuda(
template <class T> struct UnsignedOf { using Type = T; };
template <> struct UnsignedOf<i8> { using Type = u8; };
template <> struct UnsignedOf<i16> { using Type = u16; };
template <> struct UnsignedOf<i32> { using Type = u32; };
template <> struct UnsignedOf<i64> { using Type = u64; };

// Integers wrap. Narrow ones are computed in u32, since int could overflow.
template <class T> __device__ inline T wrap_add(T a, T b) {
  using U = typename UnsignedOf<T>::Type;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <class T> __device__ inline T wrap_sub(T a, T b) {
  using U = typename UnsignedOf<T>::Type;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <class T> __device__ inline T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T> __device__ inline T wrap_neg(T a) { return wrap_sub(static_cast<T>(0), a); }
template <class T> __device__ inline T wrap_abs(T a) { return a < 0 ? wrap_neg(a) : a; }
template <class T> __device__ inline T sign_of(T a) { return static_cast<T>((a > 0) - (a < 0)); }
template <class T> __device__ inline T least(T a, T b) { return b < a ? b : a; }
template <class T> __device__ inline T greatest(T a, T b) { return b > a ? b : a; }

template <class T> __device__ inline T nonzero(T a) { return a == 0 ? static_cast<T>(1) : a; }
// Divisors are not 0. The one quotient that overflows wraps.
template <class T> __device__ inline T quotient(T a, T b) {
  return b == static_cast<T>(-1) && static_cast<T>(-1) < 0 ? wrap_neg(a) : static_cast<T>(a / b);
}
template <class T> __device__ inline T remainder_of(T a, T b) {
  return b == static_cast<T>(-1) && static_cast<T>(-1) < 0 ? static_cast<T>(0)
                                                          : static_cast<T>(a % b);
}
template <class T> __device__ inline T floor_quotient(T a, T b) {
  const T rest = remainder_of(a, b);
  const T whole = quotient(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(whole - 1) : whole;
}
template <class T> __device__ inline T floor_remainder(T a, T b) {
  const T rest = remainder_of(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}
template <class T> __device__ inline T shifted_left(T a, T count) {
  const bool fits = count >= 0 && count < static_cast<T>(8 * sizeof(T));
  return fits ? static_cast<T>(static_cast<u64>(a) << count) : static_cast<T>(0);
}
template <class T> __device__ inline T shifted_right(T a, T count) {
  const bool fits = count >= 0 && count < static_cast<T>(8 * sizeof(T));
  if (fits) return static_cast<T>(a >> count);
  return a < 0 ? static_cast<T>(-1) : static_cast<T>(0);
}
// Among negative powers only those of 1 and -1 are not 0.
template <class T> __device__ inline T int_pow(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? static_cast<T>(1) : base;
    return 0;
  }
  T result = 1;
  while (exponent != 0) {
    if (exponent & 1) result = wrap_mul(result, base);
    base = wrap_mul(base, base);
    exponent = static_cast<T>(exponent >> 1);
  }
  return result;
}
)cuda";

constexpr std::string_view kReals = R"cuda(
template <class T> __device__ inline bool is_nan(T a) { return a != a; }
// NaN wins.
template <class T> __device__ inline T real_min(T a, T b) { return a != a ? a : a < b ? a : b; }
template <class T> __device__ inline T real_max(T a, T b) { return a != a ? a : a > b ? a : b; }
// NaN loses.
template <class T> __device__ inline T number_min(T a, T b) { return b != b ? a : a < b ? a : b; }
template <class T> __device__ inline T number_max(T a, T b) { return b != b ? a : a > b ? a : b; }
#if !defined(LITZ_EMULATED_CUDA) && __CUDA_ARCH__ >= 800
// The larger and the smaller of equal zeros is either.
__device__ inline f32 fold_max(f32 a, f32 b) {
  f32 most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
}
__device__ inline f32 fold_min(f32 a, f32 b) {
  f32 least;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
  return least;
}
#else
__device__ inline f32 fold_max(f32 a, f32 b) { return real_max(a, b); }
__device__ inline f32 fold_min(f32 a, f32 b) { return real_min(a, b); }
#endif
__device__ inline f64 fold_max(f64 a, f64 b) { return real_max(a, b); }
__device__ inline f64 fold_min(f64 a, f64 b) { return real_min(a, b); }
__device__ inline f32 infinity_of(f32) { return bits_as<f32>(0x7f800000u); }
__device__ inline f64 infinity_of(f64) { return bits_as<f64>(0x7ff0000000000000ull); }
template <class T> __device__ inline bool is_inf(T a) {
  return a == infinity_of(a) || a == -infinity_of(a);
}
__device__ inline bool sign_bit(f32 a) { return bits_as<i32>(a) < 0; }
__device__ inline bool sign_bit(f64 a) { return bits_as<i64>(a) < 0; }
template <class T> __device__ inline T angle_of(T a) {
  return a != a ? a : a < 0 ? static_cast<T>(3.14159265358979323846) : static_cast<T>(0);
}

// a / b for many a and one b, whose reciprocal the compiler computes once. The first quotient is off
// by less than two units in the last place. Each fma that follows finds the exact rest and corrects
// by it; after two the quotient is the rounded one (Markstein, IBM J. Res. Dev. 34, 1990). Quotients
// whose rest would underflow, infinities and NaN stay as they are at first.
__device__ inline f32 divided(f32 a, f32 b) {
  const f32 factor = fabs(b) < 0x1p-100f ? 0x1p60f : 1.0f;  // No reciprocal is infinite.
  const f32 divisor = b * factor;
  const f32 inverse = 1.0f / divisor;
  const f32 first = a * inverse;
  const f32 second = fma(fma(-divisor, first, a), inverse, first);
  const f32 third = fma(fma(-divisor, second, a), inverse, second);
  const f32 size = fabs(first);
  return (size >= 0x1p-100f && size <= 0x1p126f ? third : first) * factor;
}
__device__ inline f64 divided(f64 a, f64 b) { return a / b; }

// Rounded once, since norms subtract nearly equal multiples of it.
__device__ inline f32 inverse_root(f32 a) { return __frsqrt_rn(a); }
__device__ inline f64 inverse_root(f64 a) { return rsqrt(a); }

// Python's: the remainder takes the sign of the divisor, the quotient follows from it.
template <class T> __device__ inline T real_mod(T a, T b) {
  const T rest = fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
template <class T> __device__ inline T real_floor_div(T a, T b) {
  if (b == 0) return a / b;
  const T rest = fmod(a, b);
  T result = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) result -= 1;
  if (result == 0) return copysign(static_cast<T>(0), a / b);
  const T whole = floor(result);
  return result - whole > static_cast<T>(0.5) ? whole + 1 : whole;
}

// Recurrence upwards until the asymptotic series has converged.
__device__ inline f64 digamma_of(f64 x) {
  if (x == 0) return copysign(infinity_of(x), -x);
  f64 reflected = 0;
  if (x < 0) {
    if (trunc(x) == x) return bits_as<f64>(0x7ff8000000000000ull);
    const f64 pi = 3.14159265358979323846;
    reflected = pi / tan(pi * (x - round(x)));
    x = 1 - x;
  }
  f64 shift = 0;
  while (x < 15) {
    shift -= 1 / x;
    x += 1;
  }
  if (is_inf(x)) return x;
  const f64 inverse = 1 / (x * x);
  const f64 series =
      inverse * (1.0 / 12 + inverse * (-1.0 / 120 + inverse * (1.0 / 252 + inverse * (-1.0 / 240 +
      inverse * (1.0 / 132 + inverse * (-691.0 / 32760 + inverse * (1.0 / 12 +
      inverse * (-3617.0 / 8160))))))));
  return shift + (log(x) - 0.5 / x - series) - reflected;
}
__device__ inline f32 digamma_of(f32 x) {
  return static_cast<f32>(digamma_of(static_cast<f64>(x)));
}
)cuda";

constexpr std::string_view kFolds = R"cuda(
// Folds over the threads of a team, in a fixed order; every thread gets the result.

template <class T> struct Located { T value; i64 place; };
template <class T> struct Exponentials { T most; T sum; };

// Values of other lanes, word by word.
template <class T, class Move> __device__ inline T moved(T value, Move move) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  u32 words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
  memcpy(&value, words, sizeof(T));
  return value;
}
template <class T> __device__ inline T from_lane(T value, int mask) {
  return moved(value, [mask](u32 word) { return __shfl_xor_sync(0xffffffffu, word, mask); });
}
template <class T> __device__ inline T from_lane_of(T value, int lane) {
  return moved(value, [lane](u32 word) { return __shfl_sync(0xffffffffu, word, lane); });
}
template <class T> __device__ inline T from_below(T value, int step) {
  return moved(value, [step](u32 word) { return __shfl_up_sync(0xffffffffu, word, step); });
}

// Neighbours fold first, lower lanes before higher ones: folds that are not commutative keep their
// order, and all lanes get the same bits.
template <class T, class Fold> __device__ inline T fold_warp(T value, Fold fold) {
  for (int mask = 1; mask < 32; mask *= 2) {
    const T other = from_lane(value, mask);
    value = (threadIdx.x & mask) == 0 ? fold(value, other) : fold(other, value);
  }
  return value;
}
template <int kThreads, class T, class Fold>
__device__ inline T fold_block(T value, Fold fold) {
  __shared__ T parts[32];
  value = fold_warp(value, fold);
  if (kThreads == 32) return value;
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) value = fold(value, parts[i]);
  __syncthreads();
  return value;
}

// The first thread's value.
template <int kThreads, class T> __device__ inline T from_first(T value) {
  __shared__ T first;
  if (threadIdx.x % kThreads == 0) first = value;
  __syncthreads();
  value = first;
  __syncthreads();
  return value;
}

// The team of a column: threads that are a warp apart.
template <int kTeam, class T, class Fold> __device__ inline T fold_columns(T value, Fold fold) {
  __shared__ T parts[kTeam][32];
  const int column = threadIdx.x % 32;
  parts[threadIdx.x / 32][column] = value;
  __syncthreads();
  value = parts[0][column];
  for (int i = 1; i < kTeam; ++i) value = fold(value, parts[i][column]);
  __syncthreads();
  return value;
}

// Each thread gets the tuples of the team's threads up to its own, combined.
template <class T, class Combine> __device__ inline T scan_warp(T value, Combine combine) {
  for (int step = 1; step < 32; step *= 2) {
    const T lower = from_below(value, step);
    if ((threadIdx.x & 31) >= step) value = combine(lower, value);
  }
  return value;
}
template <int kThreads, class T, class Combine>
__device__ inline T scan_block(T value, Combine combine) {
  __shared__ T parts[32];
  value = scan_warp(value, combine);
  if (threadIdx.x % 32 == 31) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) {
    T before = parts[0];
    for (int i = 1; i < threadIdx.x / 32; ++i) before = combine(before, parts[i]);
    value = combine(before, value);
  }
  __syncthreads();
  return value;
}
// The value of the team's last thread.
template <class T> __device__ inline T last_warp(T value) { return from_lane_of(value, 31); }
template <int kThreads, class T> __device__ inline T last_block(T value) {
  __shared__ T last;
  if (threadIdx.x == kThreads - 1) last = value;
  __syncthreads();
  const T result = last;
  __syncthreads();
  return result;
}

// Ties keep the lower place, NaN is better than any number.
template <class T> __device__ inline Located<T> better_max(Located<T> a, Located<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan || b_nan) return a_nan && (!b_nan || a.place < b.place) ? a : b;
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.place < b.place ? a : b;
}
template <class T> __device__ inline Located<T> better_min(Located<T> a, Located<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan || b_nan) return a_nan && (!b_nan || a.place < b.place) ? a : b;
  if (a.value != b.value) return a.value < b.value ? a : b;
  return a.place < b.place ? a : b;
}

// The maximum and the sum of exponentials with one more term. Minus infinity adds nothing.
template <class T> __device__ inline Exponentials<T> with_term(Exponentials<T> all, T x) {
  if (x == -infinity_of(x)) return all;
  const bool grows = !(x <= all.most) && all.most == all.most;
  const T factor = exp(grows ? all.most - x : x - all.most);
  return grows ? Exponentials<T>{x, all.sum * factor + 1} : Exponentials<T>{all.most, all.sum + factor};
}
template <class T> __device__ inline Exponentials<T> joined(Exponentials<T> a, Exponentials<T> b) {
  if (a.sum == 0) return b;
  if (b.sum == 0) return a;
  const T most = real_max(a.most, b.most);
  return {most, a.sum * exp(a.most - most) + b.sum * exp(b.most - most)};
}
)cuda";

constexpr std::string_view kRandom = R"cuda(
// Philox 4x32-10: the words of a block.
struct Words { u32 word[4]; };
__device__ inline Words philox_block(i64 seed, i64 block) {
  u32 a = static_cast<u32>(block), b = static_cast<u32>(static_cast<u64>(block) >> 32);
  u32 c = 0, d = 0;
  u32 low = static_cast<u32>(seed), high = static_cast<u32>(static_cast<u64>(seed) >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 even = static_cast<u64>(0xD2511F53u) * a;
    const u64 odd = static_cast<u64>(0xCD9E8D57u) * c;
    a = static_cast<u32>(odd >> 32) ^ b ^ low;
    c = static_cast<u32>(even >> 32) ^ d ^ high;
    b = static_cast<u32>(odd);
    d = static_cast<u32>(even);
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}
__device__ inline i32 philox_i32(i64 seed, i64 n) {
  return static_cast<i32>(philox_block(seed, n >> 2).word[n & 3]);
}
__device__ inline i64 philox_i64(i64 seed, i64 n) {
  const Words words = philox_block(seed, n >> 1);
  const int first = n & 1 ? 2 : 0;
  return static_cast<i64>(words.word[first] | static_cast<u64>(words.word[first + 1]) << 32);
}
)cuda";

constexpr std::string_view kMemory = R"cuda(
// The order of keys at two positions. NaN is larger than any number, and equal keys keep their order.
template <bool kDescends, class T> __device__ inline bool is_before(T a, i64 i, T b, i64 j) {
  const bool is_less = a == a && (b != b || a < b), is_more = b == b && (a != a || b < a);
  if (is_less || is_more) return kDescends ? is_more : is_less;
  return i < j;
}

// Neighbours in memory, from a multiple of their size or of 16 bytes on.
template <class T, int kCount> struct Wide { T item[kCount]; };
template <int kBytes> struct Part {};
template <> struct alignas(16) Part<16> { u64 word[2]; };
template <> struct alignas(8) Part<8> { u64 word; };
template <> struct alignas(4) Part<4> { u32 word; };
template <> struct alignas(2) Part<2> { u16 word; };
template <int kCount, class T> __device__ inline Wide<T, kCount> load_wide(const T* place) {
  constexpr int kBytes = kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16;
  constexpr int kParts = kCount * sizeof(T) / kBytes;
  Part<kBytes> parts[kParts];
  for (int i = 0; i < kParts; ++i) parts[i] = reinterpret_cast<const Part<kBytes>*>(place)[i];
  Wide<T, kCount> wide;
  memcpy(&wide, parts, sizeof(wide));
  return wide;
}
template <class T, int kCount> __device__ inline void store_wide(T* place, Wide<T, kCount> wide) {
  constexpr int kBytes = kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16;
  constexpr int kParts = kCount * sizeof(T) / kBytes;
  Part<kBytes> parts[kParts];
  memcpy(parts, &wide, sizeof(wide));
  for (int i = 0; i < kParts; ++i) reinterpret_cast<Part<kBytes>*>(place)[i] = parts[i];
}

// Stores that combine with the element where no order is asked for: integers of any width.
template <class T, class Combine>
__device__ inline void combine_atomically(T* place, T value, Combine combine) {
  if constexpr (sizeof(T) == 8) {
    auto* const word = reinterpret_cast<u64*>(place);
    u64 old = *word, seen;
    do {
      seen = old;
      old = atomicCAS(word, seen, bits_as<u64>(combine(bits_as<T>(seen), value)));
    } while (old != seen);
  } else {
    const u64 address = reinterpret_cast<u64>(place);
    auto* const word = reinterpret_cast<u32*>(address & ~static_cast<u64>(3));
    const int shift = static_cast<int>(address & 3) * 8;
    const u32 mask = sizeof(T) == 4 ? 0xffffffffu : ((1u << (sizeof(T) % 4 * 8)) - 1) << shift;
    u32 old = *word, seen;
    do {
      seen = old;
      using U = typename UnsignedOf<T>::Type;
      const T own = static_cast<T>(static_cast<U>((seen & mask) >> shift));
      const u32 bits = static_cast<u32>(static_cast<U>(combine(own, value))) << shift;
      old = atomicCAS(word, seen, (seen & ~mask) | (bits & mask));
    } while (old != seen);
  }
}
)cuda";

}  // namespace

std::string_view cuda_prelude() {
  static const std::string kText = [] {
    std::string text;
    for (const std::string_view part :
         {kTypes, kFormats, kCasts, kIntegers, kReals, kFolds, kRandom, kMemory}) {
      text += part;
    }
    return text;
  }();
  return kText;
}

}  // namespace litz::codegen
