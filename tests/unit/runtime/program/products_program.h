// Programs of matrix products, which need no code of their own.

#pragma once

#include "artifact/program.h"

namespace litz::runtime {

/// y = x @ w for f32[n, n] with a symbol for n; `w` is a 3 x 3 buffer with 2 on its diagonal.
artifact::Program product_program();

/// The same, and w becomes y: a buffer that calls change.
artifact::Program updating_program();

/// The same as a routine, which then finds where y is not zero:
///
///   v1 = x @ w;  v2 : i64[u0, 2] = nonzero(v1);  n = u0;  while count > 0: v1 = v1 @ v1, count - 1
///
/// Its inputs are w, x and, for the loop, how often; it gives v2, the loop's value and u0.
artifact::Program routine_program();

}  // namespace litz::runtime
