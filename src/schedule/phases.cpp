// Top-level loops become phases whose iterations are divided over threads.

#include <algorithm>
#include <set>

#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

bool is_pure(const Instr& instr) {
  return instr.kind == InstrKind::constant || instr.kind == InstrKind::index ||
         instr.kind == InstrKind::op;
}

/// Whether iterations of the loop that differ in the variable may store to one element, as those of
/// equal indices in a scatter do: the later one must win, whatever runs on which thread.
bool may_collide(const Schedule& schedule, const Instr& loop, const loops::LoopVar& var) {
  bool collides = false;
  for (const auto& block : loop.blocks) {
    walk(static_cast<const loops::Block&>(*block), [&](const Instr& instr) {
      if (instr.kind != InstrKind::store) return;
      const Access& access = schedule.accesses.at(&instr);
      collides |= !access.computed.empty() && !mentions(access.offset, var.symbol.symbol());
    });
  }
  return collides;
}

/// Variables that threads divide: `count` of them from `first` on.
struct Division {
  size_t first = 0;
  size_t count = 0;
};

/// The outermost variables that iterate in any order on any thread. Those before them, in which
/// stores may collide, then run in order on each thread.
Division division_of(const Schedule& schedule, const Instr& loop) {
  if (loop.kind != InstrKind::loop || !loop.carried.empty()) return {};
  bool assigns = true;
  for (const auto& block : loop.blocks) {
    walk(static_cast<const loops::Block&>(*block), [&](const Instr& instr) {
      assigns &= instr.kind != InstrKind::store || instr.mode == loops::StoreMode::assign;
    });
  }
  if (!assigns) return {};
  std::vector<bool> collides;
  for (const loops::LoopVar& var : loop.vars) collides.push_back(may_collide(schedule, loop, var));
  const auto first = std::ranges::find(collides, false);
  auto last = std::find(first, collides.end(), true);
  // The variable of the lanes is divided alone or not at all.
  const bool has_lanes = schedule.lanes_of(loop) > 1;
  if (has_lanes && last == collides.end() && last - first > 1) --last;
  return {.first = static_cast<size_t>(first - collides.begin()),
          .count = static_cast<size_t>(last - first)};
}

Phase phase_of(const Schedule& schedule, const Instr& loop) {
  Phase phase;
  phase.loop = &loop;
  const int lanes = schedule.lanes_of(loop);
  const Division division = division_of(schedule, loop);
  phase.first = division.first;
  phase.divided = division.count;
  double inner = cost_of(schedule, *loop.blocks[0]) / lanes;
  std::vector<Expr> extents;
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    const bool is_divided = v >= phase.first && v < phase.first + phase.divided;
    if (is_divided) {
      extents.push_back(loop.vars[v].extent);
    } else {
      inner *= estimate(loop.vars[v].extent);
    }
  }
  if (phase.divides_last()) phase.grain = lanes;
  if (schedule.tiled.contains(&loop)) {
    phase.is_tiled = true;
    extents.back() = ceil_div(extents.back(), Expr(kTileRows));
    extents.push_back(ceil_div(loop.vars.back().extent, Expr(kTileSpan)));
    inner *= kTileRows * std::min<double>(kTileSpan / estimate(loop.vars.back().extent), 1);
  }
  phase.iterations = product(extents);
  phase.cost = inner;
  return phase;
}

void note_divisions(Expr expr, Schedule& schedule) {
  if (expr.is_constant() || expr.is_symbol()) return;
  for (const Expr operand : expr.operands()) note_divisions(operand, schedule);
  switch (expr.kind()) {
    case ExprKind::floor_div:
    case ExprKind::mod:
    case ExprKind::clean_div:
      if (bounds(expr.operands()[0]).lo >= 0 && bounds(expr.operands()[1]).lo > 0) {
        schedule.natural_divisions.insert(expr);
      }
      [[fallthrough]];
    case ExprKind::ceil_div:
      if (known_not_equal(expr.operands()[1], 0)) schedule.safe_divisions.insert(expr);
      break;
    default:
      break;
  }
}

}  // namespace

double cost_of(const Schedule& schedule, const loops::Block& block) {
  constexpr double kNanoseconds = 0.3;  // An addition, or an access that hits the cache.
  double total = 0;
  for (const Instr& instr : block.instrs) {
    if (instr.blocks.empty()) {
      total += kNanoseconds * weight(instr);
      continue;
    }
    double inner = kNanoseconds * own_weight(instr);
    for (const auto& nested : instr.blocks) inner += cost_of(schedule, *nested);
    for (const loops::LoopVar& var : instr.vars) inner *= estimate(var.extent);
    total += inner / schedule.lanes_of(instr);
  }
  return total;
}

void choose_phases(Schedule& schedule) {
  std::set<SymbolId> scalars;
  const auto note = [&](Expr expr) {
    note_divisions(expr, schedule);
    for (const SymbolId symbol : free_symbols(expr)) {
      if (schedule.kernel.pool->symbol(symbol).kind != SymbolKind::index) scalars.insert(symbol);
    }
  };
  walk(schedule.kernel.body, [&](const Instr& instr) {
    note(instr.expr);
    note(instr.position.extent);
    for (const loops::LoopVar& var : instr.vars) note(var.extent);
    if (const auto found = schedule.accesses.find(&instr); found != schedule.accesses.end()) {
      note(found->second.offset);
      note(found->second.step);
      for (const auto& [value, stride] : found->second.computed) note(stride);
    }
  });
  for (size_t b = schedule.bound_buffers; b < schedule.kernel.buffers.size(); ++b) {
    note(schedule.kernel.buffers[b].type.numel());
  }
  schedule.scalars.assign(scalars.begin(), scalars.end());

  const std::vector<Instr>& body = schedule.kernel.body.instrs;
  const bool divides = std::ranges::all_of(body, [&](const Instr& instr) {
    return is_pure(instr) || division_of(schedule, instr).count > 0;
  });
  if (!divides) {
    Phase whole;
    whole.iterations = Expr(1);
    whole.cost = cost_of(schedule, schedule.kernel.body);
    schedule.phases.push_back(whole);
    return;
  }
  for (const Instr& instr : body) {
    if (instr.kind == InstrKind::loop) schedule.phases.push_back(phase_of(schedule, instr));
  }
}

}  // namespace litz::schedule
