#include "expr/estimate.h"

#include <algorithm>

#include "support/check.h"

namespace litz {

double estimate(Expr size, int64_t unknown) {
  if (const auto whole = size.maybe_constant()) return static_cast<double>(*whole);
  Bindings bindings;
  for (const SymbolId symbol : free_symbols(size)) {
    const Interval range = size.pool()->symbol(symbol).range;
    bindings.set(symbol, std::clamp(unknown, range.lo, std::max(range.lo, range.hi)));
  }
  try {
    return static_cast<double>(evaluate(size, bindings));
  } catch (const Error&) {
    return 1;
  }
}

}  // namespace litz
