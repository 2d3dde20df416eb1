// Checks guards and ranges; users see these messages if they pass an unexpected shape.

#include "expr/guard.h"

#include <bit>

#include "support/check.h"

namespace litz {
namespace {

bool is_real(SymbolKind kind) {
  return kind == SymbolKind::real_input || kind == SymbolKind::real_data;
}

// "s0 = 3, s1 = 4"
std::string describe_values(Expr condition, const Bindings& bindings) {
  std::string text;
  for (const SymbolId id : free_symbols(condition)) {
    const auto value = bindings.find(id);
    if (!value) continue;
    const SymbolInfo& symbol = condition.pool()->symbol(id);
    if (!text.empty()) text += ", ";
    text += symbol.name + " = ";
    text += is_real(symbol.kind) ? to_string(Expr::real(std::bit_cast<double>(*value)))
                                 : std::to_string(*value);
  }
  return text;
}

bool holds(const Guard& guard, const Bindings& bindings) {
  try {
    return evaluate_boolean(guard.condition, bindings);
  } catch (Error& error) {
    error.add_note("while checking the guard " + guard.text);
    throw;
  }
}

}  // namespace

void check_guards(std::span<const Guard> guards, const Bindings& bindings) {
  for (const Guard& guard : guards) {
    if (holds(guard, bindings)) continue;
    std::string details = guard.text;
    const std::string values = describe_values(guard.condition, bindings);
    if (!values.empty()) details += " with " + values;
    fail(ErrorCode::invalid_argument,
         "inputs must meet the conditions under which the program was exported:", details);
  }
}

Interval declared_range(std::string_view symbol, std::optional<int64_t> least,
                        std::optional<int64_t> most) {
  const Interval range{least.value_or(Interval::kMin), most.value_or(Interval::kMax)};
  require(range.lo <= range.hi, ErrorCode::corrupt,
          "the least value of a symbol must not exceed its greatest:", symbol, range.lo, range.hi);
  return range;
}

void check_range(const SymbolInfo& symbol, int64_t value) {
  if (symbol.range.contains(value)) return;
  fail(ErrorCode::invalid_argument,
       "a size must lie in the range that the program was exported for:", symbol.name, "=", value,
       "but the program allows", describe_range(symbol.name, symbol.range));
}

void check_ranges(const ExprPool& pool, const Bindings& bindings) {
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    const SymbolInfo& symbol = pool.symbol(id);
    if (is_real(symbol.kind)) continue;
    if (const auto value = bindings.find(id)) check_range(symbol, *value);
  }
}

std::string describe_range(std::string_view symbol, Interval range) {
  std::string text(symbol);
  const bool has_lower = range.lo != Interval::kMin;
  const bool has_upper = range.hi != Interval::kMax;
  if (has_lower && range.lo == range.hi) return text + " = " + std::to_string(range.lo);
  if (has_lower && has_upper) {
    return std::to_string(range.lo) + " <= " + text + " <= " + std::to_string(range.hi);
  }
  if (has_lower) return text + " >= " + std::to_string(range.lo);
  if (has_upper) return text + " <= " + std::to_string(range.hi);
  return "any " + text;
}

}  // namespace litz
