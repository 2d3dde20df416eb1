// Estimates sizes that are only known at a call.
//
// Decisions between ways of computing need a number for a size even if it is a symbol. All layers
// use the same estimate, so that their prices may be compared and added. It ignores the size that a
// program was exported with: otherwise the kernels of a dynamic model would depend on an example.

#pragma once

#include "expr/expr.h"

namespace litz {

/// The assumed value of a symbol of unknown size, clamped to its range. Smaller values give
/// fixed costs more weight, larger ones costs per element.
inline constexpr int64_t kUnknownSize = 64;

/// The assumed value if large sizes must not be slow, for the division of work between threads.
inline constexpr int64_t kLongSize = 1 << 20;

/// The value of the expression if each of its symbols is `unknown`, or the nearest end of its
/// range; 1 if it has no value then. Exact for a constant. Prices use the default; another
/// `unknown` tells what holds for large sizes.
double estimate(Expr size, int64_t unknown = kUnknownSize);

}  // namespace litz
