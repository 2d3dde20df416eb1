// Scalar primitives: the closed set of operations on one element in kernels.
//
// Operands and result have the same dtype unless stated otherwise; comparisons yield bool.
// Arithmetic exists for bool (logic), integers (wrapping), f32, f64, c64 and c128; f16, bf16 and
// float8 are loaded, stored, cast, selected and compared (by value, as reals). A new primitive is
// an enumerator and its row in scalar_op.cpp. Switches over all primitives have no default, so the
// compiler lists the missing cases; switches for one kind of dtype refuse the primitives that it
// lacks.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace litz::loops {

enum class ScalarOp : uint8_t {
  // Arithmetic. Integer division and remainder by zero are errors at run time.
  add,
  sub,
  mul,
  div,        ///< Real and complex only.
  floor_div,  ///< Rounds towards minus infinity; for reals Python's floor division.
  trunc_div,  ///< Rounds towards zero.
  mod,        ///< Sign of the divisor (Python).
  fmod,       ///< Sign of the dividend (C).
  neg,
  abs,  ///< Complex: the magnitude, in the real dtype.
  sign,
  min,  ///< NaN if either is NaN.
  max,
  fmin,  ///< The other operand if one is NaN.
  fmax,
  fma,  ///< a * b + c rounded once.
  copysign,
  nextafter,
  hypot,
  // Comparison, result bool.
  eq,
  ne,
  lt,
  le,
  is_nan,
  is_inf,
  signbit,
  // Bits and logic: bool and integers.
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,  ///< Arithmetic for signed.
  // Choice.
  select,  ///< (condition: bool, a, b)
  // Rounding.
  floor,
  ceil,
  trunc,
  round_even,
  // Elementary functions: real, and complex where they are defined.
  sqrt,
  rsqrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  pow,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  erfinv,
  lgamma,
  digamma,
  // Complex.
  real,
  imag,
  conj,
  angle,
  make_complex,  ///< (real, imag)
  // Conversion: the value's dtype is the target; bit-exact PyTorch casts.
  cast,
  bitcast,
  // Counter-based random bits, (seed: i64, n: i64) -> i32 or i64: word n of 32 bits, or number n of
  // 64 bits, of the Philox 4x32-10 stream with the seed as key. Blocks are in the order of their
  // counters. A block is four words or two numbers, low words first.
  philox,
};

inline constexpr int kScalarOpCount = static_cast<int>(ScalarOp::philox) + 1;

/// Spelling in text: "add", "floor_div".
std::string_view name(ScalarOp op);
std::optional<ScalarOp> parse_scalar_op(std::string_view text);
/// Number of operands.
int arity(ScalarOp op);
/// The cost of one evaluation on a vector, in additions on a vector.
double cost(ScalarOp op);

/// Kinds of reduction; each is associative, so lowering may split it along a fixed tree.
enum class ReduceKind : uint8_t {
  sum,   ///< 0 when empty.
  prod,  ///< 1 when empty.
  max,   ///< NaN wins; empty is an error.
  min,
  any,  ///< bool; false when empty.
  all,  ///< bool; true when empty.
  bit_xor,
  argmax,  ///< Position in the flattened reduction space; NaN wins, ties give the lowest.
  argmin,
  softmax,  ///< Two results in one pass: the maximum m, and the sum of exp(x - m). Equal to these
  ///< two in sequence: NaN wins, an infinite m has the sum NaN, empty is an error.
};

std::string_view name(ReduceKind kind);
std::optional<ReduceKind> parse_reduce_kind(std::string_view text);
/// Number of results.
int result_count(ReduceKind kind);

/// How a store combines with the buffer's element: in the order of iterations, unless the store
/// allows any order.
enum class StoreMode : uint8_t { assign, add, mul, min, max };

std::string_view name(StoreMode mode);
std::optional<StoreMode> parse_store_mode(std::string_view text);

}  // namespace litz::loops
