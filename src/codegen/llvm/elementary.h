// Elementary functions of real numbers as LLVM instructions, for loop IR's exp, sin, erf and so on.
//
// Code is straight-line and in the vector width of its operands. It has no branches, gathers or
// library calls, so a kernel's loop keeps its registers. Special cases follow C99's annex F (NaN,
// infinities, signed zeros; denormals are never flushed). Results do not depend on the width or the
// target. Functions marked * are called lane by lane (runtime/cpu/imports.h).
//
// The table gives error bounds in units in the last place, which elementary_test.cpp checks, and
// nanoseconds per element for 8 lanes in the first cache, measured by bench_elementary on one core
// of a server processor with AVX-512:
//
//              f32   ns     f64   ns               f32   ns     f64   ns
//   sqrt       0.5   0.17   0.5   0.54   atan2     0.51  1.81   2     1.60
//   rsqrt      0.51  0.32   0.51  0.88   sinh      0.51  1.28   2     1.13
//   exp        0.9   0.22   1.02  0.54   cosh      0.51  0.93   2     0.81
//   exp2       1     0.18   1     0.46   tanh      0.85  0.44   1     1.43
//   expm1      1.05  0.42   1.1   0.81   asinh     0.51  2.65   2     2.30
//   log        1     0.52   1     1.02   acosh     0.51  2.29   2     2.11
//   log2       1     0.51   1     1.20   atanh     0.51  1.84   2     1.70
//   log10      1     0.53   1     1.23   erf       0.95  0.31   1.5*  8.15
//   log1p      1     0.64   1     1.21   erfc      0.51  1.09   4*    8.31
//   pow        0.51  1.93   1     4.03   erfinv    0.6   2.15   0.51* 405
//   sin, cos   0.51  1.60   1     4.20   hypot     0.51  0.68   1     0.56
//   tan        0.51  1.55   1     4.90   fmod      0*    3.30   0*    3.25
//   asin       0.51  1.05   1.5   0.90   lgamma    *            *
//   acos       0.51  1.17   1.5   1.04   digamma   *            *
//   atan       0.51  1.10   2     0.91
//
// These are exact: floor, ceil, trunc, round_even, copysign, nextafter, and fma, rounded once.
// lgamma and digamma are within a few units except near their zeros. pow takes no logarithm for the
// constants 1, 2, -1, 1/2 and -1/2, and in f32 for integers up to 4.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <string>

#include "loops/scalar_op.h"

namespace litz::codegen {

/// True if emit_elementary supports the op, for both f32 and f64.
bool is_elementary(loops::ScalarOp op);
/// False for those that are one or a few instructions: rounding, sqrt, fma and so on.
bool has_long_formula(loops::ScalarOp op);

/// Emits an elementary function of f32 or f64, on scalars or vectors of any width. Operands and
/// result have the same type. `op` must be elementary.
llvm::Value* emit_elementary(llvm::IRBuilderBase& builder, loops::ScalarOp op,
                             llvm::ArrayRef<llvm::Value*> operands);

/// Emits a call of a function of the module that computes the same, and the function before the first
/// one: for code with many, since LLVM takes a millisecond for some formulas.
llvm::Value* call_elementary(llvm::IRBuilderBase& builder, loops::ScalarOp op,
                             llvm::ArrayRef<llvm::Value*> operands);

/// Returns the name of the external function that code for `op` calls on f64 (`is_f64`) or f32
/// operands; empty if there is none. It takes and returns doubles.
std::string elementary_import(loops::ScalarOp op, bool is_f64);

}  // namespace litz::codegen
