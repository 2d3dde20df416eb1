// Any text either parses or is refused with an Error; what parses prints to text that reads back to
// the same expression, and evaluates within its bounds or fails with an Error.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "expr/expr.h"
#include "expr/parse.h"
#include "support/check.h"

namespace {

using litz::Expr;

void expect(bool condition) {
  if (!condition) std::abort();
}

litz::Bindings bind_all(const litz::ExprPool& pool, int64_t value) {
  litz::Bindings bindings;
  for (litz::SymbolId id = 0; id < pool.symbol_count(); ++id) {
    if (pool.symbol_expr(id).domain() == litz::ExprDomain::real) {
      bindings.set_real(id, static_cast<double>(value) + 0.5);
    } else {
      bindings.set(id, value + id);
    }
  }
  return bindings;
}

void evaluate_once(Expr expr, const litz::Bindings& bindings) {
  try {
    switch (expr.domain()) {
      case litz::ExprDomain::integer:
        expect(litz::bounds(expr).contains(litz::evaluate(expr, bindings)));
        break;
      case litz::ExprDomain::real:
        litz::evaluate_real(expr, bindings);
        break;
      case litz::ExprDomain::boolean:
        litz::evaluate_boolean(expr, bindings);
        break;
    }
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

void exercise(std::string_view input) {
  litz::ExprPool pool;
  litz::SymbolResolver resolver;
  resolver.path = [&](const litz::GuardPath& path) {
    return litz::find_or_add_symbol(pool, litz::to_string(path), true);
  };
  const Expr expr = litz::parse_expr(input, pool, resolver);
  for (const int64_t value : {1, 2, 7, 1'000'000}) evaluate_once(expr, bind_all(pool, value));
  const std::string text = litz::to_string(expr);
  const Expr again = litz::parse_expr(text, pool, resolver);
  expect(litz::to_string(again) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    exercise(input);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
