// Sorting one row of elements of any ordered dtype: what the interpreter and compiled kernels call.

#pragma once

#include <cstddef>
#include <cstdint>

#include "types/dtype.h"

namespace litz {

/// Sorts `size` elements in place; equal ones keep their order, NaN counts as the largest. Only the
/// first `count` places (0 <= count <= size) are filled, and `origins` gets `count` positions: the
/// place from which each of these came. The elements after them are unspecified.
///
/// Time: size, times the bytes of an element for long rows. Memory for a copy of the row is kept by
/// each thread between calls; std::bad_alloc when there is none. Complex dtypes have no order.
void sort_row(DType dtype, std::byte* elements, int64_t size, int64_t count, bool descending,
              int64_t* origins);

}  // namespace litz
