// Bounds of expressions while their symbols stay in narrower ranges than the declared ones.
//
//   box {s0 in [65, 80]}   8*s0 in [520, 640]   64 - s0 in [-16, -1]   mod(s0, 8) in [0, 7]
//
// Plain interval arithmetic, node by node: terms of a sum count as unrelated, so s0 - s0//2 is wider
// here than its values are. Nothing is built, so any thread may ask while others evaluate.

#pragma once

#include <utility>
#include <vector>

#include "expr/expr.h"

namespace litz {

class SizeBox {
 public:
  /// Symbols that are not named, or named with more than they declare, have what they declare.
  explicit SizeBox(std::vector<std::pair<SymbolId, Interval>> ranges);

  /// An interval that holds every value that the integer expression has in the box; its end is
  /// Interval's extreme where there is no bound or it does not fit 64 bits.
  Interval bounds(Expr a) const;

 private:
  std::vector<std::pair<SymbolId, Interval>> ranges_;
};

}  // namespace litz
