// The host scalar that seeds a program's random operators.

#pragma once

#include "ir/graph.h"

namespace litz::ops {

inline constexpr std::string_view kSeedSymbol = "litz_seed";

/// The module's seed symbol, added on first use. A runner binds it anew for each call; a program
/// that draws nothing has none.
inline Expr seed_symbol(ir::Module& module) {
  if (const std::optional<Expr> found = module.exprs().find_symbol(kSeedSymbol)) return *found;
  return module.exprs().add_symbol({.name = std::string(kSeedSymbol),
                                    .kind = SymbolKind::size,
                                    .range = {0, INT64_MAX >> 1},
                                    .hint = {}});
}

}  // namespace litz::ops
