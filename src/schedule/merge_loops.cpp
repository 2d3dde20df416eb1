// Fewer, longer loops: [32, 64] elements that lie densely are one loop of 2048.
//
// Variables of one loop are first ordered by their steps through memory, largest first, where the
// order is free. Then neighbours a (outer) and b merge when every expression in the loop that names
// either is linear in both with step(a) = extent(b) * step(b).

#include <algorithm>
#include <optional>

#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;
using loops::LoopVar;
using loops::ReduceKind;
using loops::StoreMode;

/// Calls `visit` with every expression of the instructions inside that may name loop variables.
void visit_exprs(Schedule& schedule, loops::Block& block, const std::function<void(Expr&)>& visit) {
  walk(block, [&](Instr& instr) {
    if (instr.kind == InstrKind::index || instr.kind == InstrKind::bound_index) visit(instr.expr);
    if (const auto found = schedule.accesses.find(&instr); found != schedule.accesses.end()) {
      visit(found->second.offset);
    }
    for (LoopVar& var : instr.vars) visit(var.extent);
  });
}

bool is_order_free(const Instr& instr) {
  if (!instr.carried.empty()) return false;
  if (instr.kind == InstrKind::reduce &&
      (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin)) {
    return false;
  }
  bool is_free = true;
  for (const auto& block : instr.blocks) {
    walk(static_cast<const loops::Block&>(*block), [&](const Instr& inner) {
      if (inner.kind == InstrKind::store && inner.mode != StoreMode::assign) is_free = false;
    });
  }
  return is_free;
}

/// The constant step of the first access that decides the order: a store of a loop, else a load.
std::vector<int64_t> steps_of(const Schedule& schedule, const Instr& instr) {
  const Access* deciding = nullptr;
  bool is_store = false;
  for (const auto& block : instr.blocks) {
    walk(static_cast<const loops::Block&>(*block), [&](const Instr& inner) {
      const auto found = schedule.accesses.find(&inner);
      if (found == schedule.accesses.end()) return;
      if (deciding == nullptr || (!is_store && inner.kind == InstrKind::store)) {
        deciding = &found->second;
        is_store = inner.kind == InstrKind::store;
      }
    });
  }
  std::vector<int64_t> steps;
  if (deciding == nullptr) return steps;
  for (const LoopVar& var : instr.vars) {
    const auto linear = linear_in(deciding->offset, var.symbol.symbol());
    const auto step = linear ? linear->first.maybe_constant() : std::nullopt;
    if (!step) return {};
    steps.push_back(std::abs(*step));
  }
  return steps;
}

void order_vars(const Schedule& schedule, Instr& instr) {
  if (instr.vars.size() < 2 || !is_order_free(instr)) return;
  const std::vector<int64_t> steps = steps_of(schedule, instr);
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

bool try_merge(Schedule& schedule, Instr& instr, size_t outer) {
  const LoopVar a = instr.vars[outer];
  const LoopVar b = instr.vars[outer + 1];
  bool merges = true;
  for (const auto& block : instr.blocks) {
    visit_exprs(schedule, *block, [&](Expr& expr) {
      const bool concerns = mentions(expr, a.symbol.symbol()) || mentions(expr, b.symbol.symbol());
      if (merges && concerns && !split(expr, a, b)) merges = false;
    });
  }
  if (!merges) return false;
  ExprPool& pool = *schedule.kernel.pool;
  const LoopVar merged =
      loops::new_loop_var(pool, pool.symbol(a.symbol.symbol()).name, a.extent * b.extent);
  for (const auto& block : instr.blocks) {
    visit_exprs(schedule, *block, [&](Expr& expr) {
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

void merge_loops(Schedule& schedule) {
  walk(schedule.kernel.body, [&](Instr& instr) {
    if (instr.kind != InstrKind::loop && instr.kind != InstrKind::reduce) return;
    order_vars(schedule, instr);
    for (size_t i = instr.vars.size(); i-- > 1;) try_merge(schedule, instr, i - 1);
  });
}

}  // namespace litz::schedule
