#include "loops/kernel.h"

#include <algorithm>

namespace litz::loops {

LoopVar new_loop_var(ExprPool& pool, std::string name, Expr extent) {
  // The range lets index expressions simplify: i mod n is i when n is known.
  const Interval range = bounds(extent);
  SymbolInfo info;
  info.name = std::move(name);
  info.kind = SymbolKind::index;
  info.range.lo = 0;
  info.range.hi = range.hi == Interval::kMax ? range.hi : std::max<int64_t>(range.hi - 1, 0);
  return {pool.add_symbol(std::move(info)), extent};
}

}  // namespace litz::loops
