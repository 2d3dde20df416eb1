// Bounds of expressions if their symbols stay in narrower ranges than the declared ones.
//
//   box {s0 in [65, 80]}   8*s0 in [520, 640]   64 - s0 in [-16, -1]   mod(s0, 8) in [0, 7]
//
// Plain interval arithmetic, node by node: terms of a sum count as unrelated, so the bounds of s0 -
// s0//2 are wider than its values. It builds nothing, so it is thread-safe during evaluation.

#pragma once

#include <utility>
#include <vector>

#include "expr/expr.h"

namespace litz {

class SizeBox {
 public:
  /// Symbols that are missing, or listed with wider ranges, have their declared ranges.
  explicit SizeBox(std::vector<std::pair<SymbolId, Interval>> ranges);

  /// An interval that contains every value of the integer expression in the box. An end is
  /// Interval's extreme if there is no bound or it does not fit 64 bits.
  Interval bounds(Expr a) const;

 private:
  std::vector<std::pair<SymbolId, Interval>> ranges_;
};

}  // namespace litz
