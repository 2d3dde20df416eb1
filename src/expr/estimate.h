// A guess at sizes that only a call knows.
//
// Decisions that weigh one way of computing against another need a number for a size even where it is
// a symbol. There is one guess, so that prices of different layers may be compared and added. It does
// not look at the size that a program was exported with: the kernels of a dynamic model would follow
// an example otherwise.

#pragma once

#include "expr/expr.h"

namespace litz {

/// What a symbol of an unknown size is taken for, within its range.
inline constexpr int64_t kUnknownSize = 64;

/// What it is taken for where long ones must not be slow: by what divides work between threads.
inline constexpr int64_t kLongSize = 1 << 20;

/// The value of the expression where each of its symbols is `unknown`, or the end of its range that is
/// nearest; 1 where it has no value then. The value itself for a constant. Another `unknown` answers
/// what would hold of large sizes; prices use the one guess.
double estimate(Expr size, int64_t unknown = kUnknownSize);

}  // namespace litz
