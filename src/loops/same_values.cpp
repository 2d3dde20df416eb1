#include "loops/same_values.h"

#include <algorithm>

#include "loops/instr_key.h"

namespace litz::loops {

SameValues::SameValues(const Kernel& kernel, Loop a, Loop b)
    : kernel_(kernel), a_(a), b_(b), in_a_(definitions(a.block)), in_b_(definitions(b.block)) {
  for (size_t i = 0; i < std::min(a.vars.size(), b.vars.size()); ++i) {
    renamed_.emplace_back(a.vars[i].symbol.symbol(), b.vars[i].symbol);
  }
}

SameValues::Definitions SameValues::definitions(const Block& block) {
  Definitions found;
  for (const Instr& instr : block.instrs) {
    for (const ValueId result : instr.results) found.emplace(result, &instr);
  }
  return found;
}

bool SameValues::extents() const {
  return std::ranges::equal(a_.vars, b_.vars, [&](const LoopVar& a, const LoopVar& b) {
    return renamed(a.extent) == b.extent;
  });
}

bool SameValues::values(ValueId a, ValueId b) {
  const auto in_a = in_a_.find(a);
  const auto in_b = in_b_.find(b);
  // A value from outside both loops equals only itself.
  if (in_a == in_a_.end() && in_b == in_b_.end()) return a == b;
  if (in_a == in_a_.end() || in_b == in_b_.end()) return false;
  const auto [known, is_new] = known_.try_emplace({a, b}, false);
  if (is_new) known->second = instrs(*in_a->second, *in_b->second);
  return known->second;
}

bool SameValues::checks() const {
  return std::ranges::all_of(b_.block.instrs, [&](const Instr& instr) {
    return instr.kind != InstrKind::bound_index ||
           std::ranges::any_of(known_, [&](const auto& pair) {
             return pair.second && pair.first.second == instr.results[0];
           });
  });
}

// Compares only instructions that compute one value from others, without stores or nested blocks.
bool SameValues::instrs(const Instr& a, const Instr& b) {
  const bool is_plain = a.results.size() == 1 && b.results.size() == 1 && a.blocks.empty() &&
                        b.blocks.empty() && a.operands.size() == b.operands.size();
  if (!is_plain || a.kind != b.kind) return false;
  // Compare everything except operands.
  Instr bare_a;
  Instr bare_b;
  for (const auto& [bare, from] : {std::pair(&bare_a, &a), std::pair(&bare_b, &b)}) {
    bare->kind = from->kind;
    bare->op = from->op;
    bare->literal = from->literal;
    bare->buffer = from->buffer;
    bare->flag = from->flag;
    bare->text = from->text;
  }
  bare_a.expr = renamed(a.expr);
  bare_b.expr = b.expr;
  const auto dtype = [&](const Instr& instr) {
    return kernel_.values[static_cast<size_t>(instr.results[0])].dtype;
  };
  if (instr_key(bare_a, dtype(a)) != instr_key(bare_b, dtype(b))) return false;
  if (a.kind == InstrKind::load && !loads(a, b)) return false;
  return std::ranges::equal(a.operands, b.operands,
                            [&](ValueId x, ValueId y) { return values(x, y); });
}

bool SameValues::loads(const Instr& a, const Instr& b) {
  const auto same_index = [&](const Index& x, const Index& y) {
    if (x.index() != y.index()) return false;
    if (const auto* expr = std::get_if<Expr>(&x)) return renamed(*expr) == std::get<Expr>(y);
    return values(std::get<ValueId>(x), std::get<ValueId>(y));
  };
  return std::ranges::equal(a.indices, b.indices, same_index) && a.strides == b.strides &&
         optional(a.predicate, b.predicate) && optional(a.other, b.other);
}

bool SameValues::optional(ValueId a, ValueId b) {
  if (a == kNoValue || b == kNoValue) return a == b;
  return values(a, b);
}

Expr SameValues::renamed(Expr expr) const { return substitute(expr, renamed_); }

}  // namespace litz::loops
