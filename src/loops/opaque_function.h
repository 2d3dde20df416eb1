// Integer functions of index expressions over lanes, with Python's floor division.

#pragma once

#include <cstdint>

#include "expr/expr.h"

namespace litz::loops {

/// a[i] = a[i] (kind) b[i]; unary kinds ignore b, which may then be a. Booleans are 0 and 1.
/// Division by zero throws Error{out_of_range}.
void apply_opaque(ExprKind kind, int64_t* a, const int64_t* b, int64_t lanes);

}  // namespace litz::loops
