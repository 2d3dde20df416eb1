// Shapes that must agree, as far as that is known.

#pragma once

#include <span>

#include "expr/expr.h"

namespace litz::ops {

/// True if the ranks agree and no sizes are known to differ.
inline bool may_be_same_sizes(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (known_not_equal(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace litz::ops
