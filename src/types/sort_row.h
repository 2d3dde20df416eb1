// Sorts one row of elements of any ordered dtype, for the interpreter and compiled kernels.

#pragma once

#include <cstddef>
#include <cstdint>

#include "types/dtype.h"

namespace litz {

/// Sorts `size` elements in place; equal ones keep their order, NaN counts as the largest. Only the
/// first `count` elements (0 <= count <= size) are written, and `origins` gets their `count` old
/// positions. The elements after them are unspecified.
///
/// Time: proportional to size, for long rows also to the bytes of an element. Each thread keeps
/// memory for a copy of the row between calls; throws std::bad_alloc if there is none. Complex
/// dtypes have no order.
void sort_row(DType dtype, std::byte* elements, int64_t size, int64_t count, bool descending,
              int64_t* origins);

}  // namespace litz
