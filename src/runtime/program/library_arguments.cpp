#include "runtime/program/library_arguments.h"

#include <algorithm>
#include <vector>

namespace litz::runtime {

using kernels::LibraryArgument;

namespace {

int64_t integer(const Expr& value, const Bindings& symbols) {
  if (value.domain() == ExprDomain::boolean) return evaluate_boolean(value, symbols) ? 1 : 0;
  return evaluate(value, symbols);
}

}  // namespace

LibraryArgument number(const Expr& value, const Bindings& symbols) {
  if (value.domain() == ExprDomain::real) return evaluate_real(value, symbols);
  if (value.domain() == ExprDomain::boolean) return evaluate_boolean(value, symbols);
  return evaluate(value, symbols);
}

LibraryArgument numbers(std::span<const Expr> values, const Bindings& symbols) {
  const bool has_real = std::ranges::any_of(
      values, [](const Expr& value) { return value.domain() == ExprDomain::real; });
  if (has_real) {
    std::vector<double> reals;
    for (const Expr& value : values) {
      reals.push_back(value.domain() == ExprDomain::real
                          ? evaluate_real(value, symbols)
                          : static_cast<double>(integer(value, symbols)));
    }
    return reals;
  }
  std::vector<int64_t> integers;
  for (const Expr& value : values) {
    integers.push_back(integer(value, symbols));
  }
  return integers;
}

}  // namespace litz::runtime
