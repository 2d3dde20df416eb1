// The source elements of paddings that repeat existing elements.

#pragma once

#include "expr/expr.h"

namespace litz::ops {

/// The index that a padded coordinate reads; coordinates count from the unpadded start.
using PadMap = Expr (*)(Expr i, Expr size);

inline Expr reflect_map(Expr i, Expr size) {
  const Expr inside = max(i, -i);
  return size - 1 - max(size - 1 - inside, inside - (size - 1));
}

inline Expr replicate_map(Expr i, Expr size) { return min(max(i, Expr(0)), size - 1); }

}  // namespace litz::ops
