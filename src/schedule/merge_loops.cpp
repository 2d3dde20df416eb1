// Makes fewer, longer loops: [32, 64] contiguous elements are one loop of 2048.
//
// Variables of one loop are first ordered by their steps through memory, largest first, where the
// order is free. Then neighbours a (outer) and b merge when every expression in the loop that names
// either is linear in both with step(a) = extent(b) * step(b).

#include <algorithm>
#include <optional>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;
using loops::LoopVar;
using loops::ReduceKind;
using loops::StoreMode;

bool is_access(const Instr& instr) {
  return instr.kind == InstrKind::load || instr.kind == InstrKind::store;
}

/// Calls `edit` with every expression of the instructions inside that may name loop variables.
void edit_exprs(loops::Block& block, const std::function<void(Expr&)>& edit) {
  loops::edit_each_instr(block, [&](Instr& instr) {
    if (instr.kind == InstrKind::index || instr.kind == InstrKind::bound_index) edit(instr.expr);
    if (is_access(instr)) edit(std::get<Expr>(instr.indices[0]));
    for (LoopVar& var : instr.vars) edit(var.extent);
  });
}

bool is_order_free(const Instr& instr) {
  if (!instr.carried.empty()) return false;
  if (instr.kind == InstrKind::reduce &&
      (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin)) {
    return false;
  }
  bool is_free = true;
  loops::for_each_inside(instr, [&](const Instr& inner) {
    if (inner.kind == InstrKind::store && inner.mode != StoreMode::assign) is_free = false;
  });
  return is_free;
}

/// The constant step of the first access that decides the order: a store of a loop, else a load.
std::vector<int64_t> steps_of(const Instr& instr) {
  const Instr* deciding = nullptr;
  loops::for_each_inside(instr, [&](const Instr& inner) {
    if (!is_access(inner)) return;
    const bool is_first_store =
        inner.kind == InstrKind::store && deciding != nullptr && deciding->kind == InstrKind::load;
    if (deciding == nullptr || is_first_store) deciding = &inner;
  });
  std::vector<int64_t> steps;
  if (deciding == nullptr) return steps;
  for (const LoopVar& var : instr.vars) {
    const auto linear = linear_in(loops::offset_of(*deciding), var.symbol.symbol());
    const auto step = linear ? linear->first.maybe_constant() : std::nullopt;
    if (!step) return {};
    steps.push_back(std::abs(*step));
  }
  return steps;
}

void order_vars(Instr& instr) {
  if (instr.vars.size() < 2 || !is_order_free(instr)) return;
  const std::vector<int64_t> steps = steps_of(instr);
  if (steps.empty()) return;
  std::vector<size_t> order(steps.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return steps[a] > steps[b]; });
  std::vector<LoopVar> vars;
  vars.reserve(order.size());
  for (const size_t i : order) vars.push_back(instr.vars[i]);
  instr.vars = std::move(vars);
}

struct Split {
  Expr step;
  Expr rest;
};

/// expr = step * (extent * outer + inner) + rest, if it is so.
std::optional<Split> split(Expr expr, const LoopVar& outer, const LoopVar& inner) {
  const auto by_outer = linear_in(expr, outer.symbol.symbol());
  if (!by_outer) return std::nullopt;
  const auto by_inner = linear_in(by_outer->second, inner.symbol.symbol());
  if (!by_inner || mentions(by_outer->first, inner.symbol.symbol())) return std::nullopt;
  if (!(by_outer->first == inner.extent * by_inner->first)) return std::nullopt;
  return Split{by_inner->first, by_inner->second};
}

bool try_merge(ExprPool& pool, Instr& instr, size_t outer) {
  const LoopVar a = instr.vars[outer];
  const LoopVar b = instr.vars[outer + 1];
  bool merges = a.is_parallel == b.is_parallel;
  for (const auto& block : instr.blocks) {
    edit_exprs(*block, [&](Expr& expr) {
      const bool concerns = mentions(expr, a.symbol.symbol()) || mentions(expr, b.symbol.symbol());
      if (merges && concerns && !split(expr, a, b)) merges = false;
    });
  }
  if (!merges) return false;
  LoopVar merged =
      loops::new_loop_var(pool, pool.symbol(a.symbol.symbol()).name, a.extent * b.extent);
  merged.is_parallel = a.is_parallel;
  for (const auto& block : instr.blocks) {
    edit_exprs(*block, [&](Expr& expr) {
      if (!mentions(expr, a.symbol.symbol()) && !mentions(expr, b.symbol.symbol())) return;
      const Split parts = *split(expr, a, b);
      expr = parts.rest + parts.step * merged.symbol;
    });
  }
  instr.vars[outer] = merged;
  instr.vars.erase(instr.vars.begin() + static_cast<ptrdiff_t>(outer) + 1);
  return true;
}

}  // namespace

void merge_loops(loops::Kernel& kernel) {
  loops::edit_each_instr(kernel.body, [&](Instr& instr) {
    if (instr.kind != InstrKind::loop && instr.kind != InstrKind::reduce) return;
    order_vars(instr);
    for (size_t i = instr.vars.size(); i-- > 1;) try_merge(*kernel.pool, instr, i - 1);
  });
}

}  // namespace litz::schedule
