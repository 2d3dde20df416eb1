// Parses symbolic expressions: one parser for every notation that exported programs use.
//
//   constructors    Add(Mul(Integer(2), Symbol('s17', positive=True, integer=True)), Integer(1))
//   infix           2*s17 + 1     s0//2     Mod(s0, 3)     Eq(u0, 1)     Max(1, u0)
//   printed text    the output of to_string
//   guards          L['x'].size()[0] == L['y'].size()[0] and math.trunc(L['n'] / 3) == 4
//
// Integers are promoted to reals as in Python; booleans never become numbers.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expr/expr.h"

namespace litz {

/// The part of an argument that a guard reads: L['a'][0]['k'].size()[1].
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
  int64_t index = 0;  ///< For size and stride; counts from the end if negative.

  bool operator==(const GuardPath&) const = default;
};

/// The path in a guard's spelling.
std::string to_string(const GuardPath& path);

/// Defines the meaning of names. An empty function uses the default.
struct SymbolResolver {
  /// Default: find_or_add_symbol.
  std::function<Expr(const std::string& name, bool positive)> symbol;
  /// Default: Error{corrupt}, for texts in which paths must not occur.
  std::function<Expr(const GuardPath& path)> path;
};

/// The symbol of that name. The first use adds it with the kind that its prefix implies (s size, u
/// data dependent, zf real, zuf real data) and the widest range: sizes are >= 0, or >= 1 if
/// positive.
Expr find_or_add_symbol(ExprPool& pool, const std::string& name, bool positive);

/// Parses the whole text. Throws Error{corrupt} with the position and what was expected,
/// Error{limit_exceeded} beyond 256 levels, Error{out_of_range} if folding constants overflows.
Expr parse_expr(std::string_view text, ExprPool& pool, const SymbolResolver& resolver = {});

}  // namespace litz
