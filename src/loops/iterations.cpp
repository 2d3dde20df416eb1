#include "loops/iterations.h"

#include <algorithm>

namespace litz::loops {

std::optional<int64_t> iteration_count(const std::vector<const loops::LoopVar*>& vars) {
  int64_t count = 1;
  for (const loops::LoopVar* var : vars) {
    const std::optional<int64_t> extent = var->extent.maybe_constant();
    if (!extent) return std::nullopt;
    if (*extent <= 0) return 0;
    if (*extent > kMostIterations / count) return std::nullopt;
    count *= *extent;
  }
  return count;
}

void for_each_iteration(const std::vector<const loops::LoopVar*>& vars, Bindings& values,
                        const std::function<void()>& body) {
  const int64_t count = iteration_count(vars).value_or(0);
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    int64_t rest = iteration;
    for (size_t i = vars.size(); i-- > 0;) {
      const int64_t extent = vars[i]->extent.constant();
      values.set(vars[i]->symbol.symbol(), rest % extent);
      rest /= extent;
    }
    body();
  }
}

std::optional<int64_t> value_of(Expr expr, const Bindings& values) {
  const bool is_known = std::ranges::all_of(
      free_symbols(expr), [&](SymbolId symbol) { return values.find(symbol).has_value(); });
  if (!is_known) return std::nullopt;
  return evaluate(expr, values);
}

}  // namespace litz::loops
