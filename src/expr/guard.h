// Conditions that a call must satisfy for a compiled program to apply: guards and ranges of
// symbols.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/expr.h"

namespace litz {

/// A condition recorded at export, with its original text.
struct Guard {
  Expr condition;
  std::string text;
};

/// Throws Error{invalid_argument} for the first guard that does not hold, naming its text and the
/// values of its symbols. A guard that cannot be evaluated (division by zero) throws its own error
/// with the guard as a note.
void check_guards(std::span<const Guard> guards, const Bindings& bindings);

/// The range a program declares for a symbol; absent limits mean unbounded. Throws Error{corrupt}
/// when the limits cross.
Interval declared_range(std::string_view symbol, std::optional<int64_t> least,
                        std::optional<int64_t> most);

/// Throws Error{invalid_argument} if the value is outside the symbol's range, with the name, the
/// value and the allowed range.
void check_range(const SymbolInfo& symbol, int64_t value);

/// The same for every integer symbol of the pool that has a value.
void check_ranges(const ExprPool& pool, const Bindings& bindings);

/// "2 <= s0 <= 512", "s0 >= 2", "any s0".
std::string describe_range(std::string_view symbol, Interval range);

}  // namespace litz
