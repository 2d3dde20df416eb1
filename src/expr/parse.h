// Reads symbolic expressions from text: one parser for every notation an exported program uses.
//
//   constructors    Add(Mul(Integer(2), Symbol('s17', positive=True, integer=True)), Integer(1))
//   infix           2*s17 + 1     s0//2     Mod(s0, 3)     Eq(u0, 1)     Max(1, u0)
//   our own text    what to_string prints
//   guards          L['x'].size()[0] == L['y'].size()[0] and math.trunc(L['n'] / 3) == 4
//
// Integers are promoted to reals where Python does so; booleans never become numbers.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expr/expr.h"

namespace litz {

/// What a guard reads of one argument: L['a'][0]['k'].size()[1].
struct GuardPath {
  enum class Accessor : uint8_t {
    value,  ///< The argument itself: a number.
    size,
    stride,
    storage_offset,
    rank,
  };

  std::string argument;
  std::vector<std::variant<int64_t, std::string>> subscripts;
  Accessor accessor = Accessor::value;
  int64_t index = 0;  ///< Of size and stride; counts from the end when negative.

  bool operator==(const GuardPath&) const = default;
};

/// The path as a guard spells it.
std::string to_string(const GuardPath& path);

/// Gives names their meaning. An empty function takes the default.
struct SymbolResolver {
  /// Default: find_or_add_symbol.
  std::function<Expr(const std::string& name, bool positive)> symbol;
  /// Default: Error{corrupt}, for texts in which no path may occur.
  std::function<Expr(const GuardPath& path)> path;
};

/// The symbol of that name, added on first sight with the kind that its prefix says (s size, u data
/// dependent, zf real, zuf real data) and the widest range: sizes are >= 0, or >= 1 when positive.
Expr find_or_add_symbol(ExprPool& pool, const std::string& name, bool positive);

/// Parses the whole text. Throws Error{corrupt} with the position and what was expected,
/// Error{limit_exceeded} beyond 256 levels, Error{out_of_range} when folding constants overflows.
Expr parse_expr(std::string_view text, ExprPool& pool, const SymbolResolver& resolver = {});

}  // namespace litz
