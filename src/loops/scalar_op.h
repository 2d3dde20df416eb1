// Scalar primitives: the closed set of operations on one element that kernels are made of.
//
// Operands and result have one dtype unless said otherwise; comparisons yield bool. Arithmetic is
// for bool (logic), integers (wrapping), f32, f64, c64 and c128: f16, bf16 and float8 are loaded,
// stored, cast, selected and compared (by value, as reals). A new primitive is an enumerator and the
// row of its facts (scalar_op.cpp). Switches that treat all of them have no default, so the compiler
// lists what is missing; those for one kind of dtype refuse the primitives that it lacks.

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
  // Elementary functions: real, and complex where the mathematics says so.
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
  // Counter-based random bits, (seed: i64, n: i64) -> i32 or i64: the n-th word of 32 bits, or number
  // of 64, of the stream that Philox 4x32-10 makes with the seed as key. Blocks follow each other by
  // their counters, in which a block is four words or two numbers, low words first.
  philox,
};

inline constexpr int kScalarOpCount = static_cast<int>(ScalarOp::philox) + 1;

/// Spelling in text: "add", "floor_div".
std::string_view name(ScalarOp op);
std::optional<ScalarOp> parse_scalar_op(std::string_view text);
/// Number of operands.
int arity(ScalarOp op);
/// What one evaluation on a vector costs, in additions on a vector.
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
  softmax,  ///< Two results in one pass: the largest value m, and the sum of exp(x - m). As these
  ///< two one after the other: NaN wins, an infinite m has the sum NaN, empty is an error.
};

std::string_view name(ReduceKind kind);
std::optional<ReduceKind> parse_reduce_kind(std::string_view text);
/// Number of results.
int result_count(ReduceKind kind);

/// How a store combines with what the buffer holds: in the order of iterations, unless the store says
/// that any order will do.
enum class StoreMode : uint8_t { assign, add, mul, min, max };

std::string_view name(StoreMode mode);
std::optional<StoreMode> parse_store_mode(std::string_view text);

}  // namespace litz::loops
