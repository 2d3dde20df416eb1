// Copies elements between two strided arrays, with a cast if their dtypes differ.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "types/dtype.h"

namespace litz {

/// One side of a copy: the address of element 0, and strides in elements (negative is allowed).
struct StridedSource {
  const std::byte* data;
  DType dtype;
  std::span<const int64_t> strides;
};

struct StridedTarget {
  std::byte* data;
  DType dtype;
  std::span<const int64_t> strides;
};

/// target[i...] = cast(source[i...]) for every index in sizes. The caller has checked that both
/// arrays contain these elements. The two must not overlap unless they are the same array.
void copy_elements(const StridedTarget& target, const StridedSource& source,
                   std::span<const int64_t> sizes);

/// Casts a contiguous run.
void cast_elements(std::byte* target, DType target_dtype, const std::byte* source,
                   DType source_dtype, int64_t count);

/// Sets `count` elements, `stride` apart, to the element at `value`.
void fill_elements(std::byte* target, int64_t item_size, int64_t count, int64_t stride,
                   const std::byte* value);

}  // namespace litz
