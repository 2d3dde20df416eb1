#include "loops/marks.h"

#include <algorithm>

namespace litz::loops {

int lanes_of(const Instr& instr) { return instr.vars.empty() ? 1 : instr.vars.back().lanes; }

SymbolId lane_symbol(const Instr& instr) { return instr.vars.back().symbol.symbol(); }

bool is_tiled(const Instr& instr) {
  return instr.vars.size() > 1 && instr.vars.back().is_tiled &&
         instr.vars[instr.vars.size() - 2].is_tiled;
}

bool has_column_blocks(const Instr& instr) {
  return !instr.vars.empty() && instr.vars.back().is_tiled && !is_tiled(instr);
}

bool is_scan(const Instr& instr) {
  return !instr.carried.empty() &&
         std::ranges::any_of(instr.blocks[0]->instrs,
                             [](const Instr& inner) { return inner.marks.is_transposed; });
}

Expr offset_of(const Instr& access) { return std::get<Expr>(access.indices.front()); }

bool has_computed_index(const Instr& access) { return access.indices.size() > 1; }

bool steps_by_one(Expr expr, SymbolId symbol) {
  if (expr.is_symbol()) return expr.symbol() == symbol;
  if (expr.is_constant() || expr.kind() != ExprKind::add) return false;
  bool has_symbol = false;
  for (const Expr term : expr.operands()) {
    if (term.is_symbol() && term.symbol() == symbol) {
      has_symbol = true;
    } else if (mentions(term, symbol)) {
      return false;
    }
  }
  return has_symbol;
}

}  // namespace litz::loops
