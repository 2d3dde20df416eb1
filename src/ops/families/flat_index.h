// Row-major positions of elements and their coordinates.

#pragma once

#include <span>

#include "types/tensor_type.h"

namespace litz::ops {

/// Splits a row-major position into coordinates.
inline Sizes unflattened(Expr position, std::span<const Expr> sizes) {
  Sizes index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = mod(position, sizes[i]);
    position = floor_div(position, sizes[i]);
  }
  return index;
}

inline Expr flattened(std::span<const Expr> index, std::span<const Expr> sizes) {
  Expr position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) position = position * sizes[i] + index[i];
  return position;
}

}  // namespace litz::ops
