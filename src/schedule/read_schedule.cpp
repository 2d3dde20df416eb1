// What follows from the words of a scheduled kernel: phases, one for each parallel loop, the values
// that code must be given, and what is known of the divisions in its expressions.

#include <algorithm>
#include <set>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::LoopVar;

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

void note_expressions(Schedule& schedule) {
  const loops::Kernel& kernel = schedule.kernel;
  std::set<SymbolId> scalars;
  const auto note = [&](Expr expr) {
    note_divisions(expr, schedule);
    for (const SymbolId symbol : free_symbols(expr)) {
      if (kernel.pool->symbol(symbol).kind != SymbolKind::index) scalars.insert(symbol);
    }
  };
  loops::for_each_instr(kernel.body, [&](const Instr& instr) {
    note(instr.expr);
    note(instr.position.extent);
    for (const LoopVar& var : instr.vars) note(var.extent);
    for (const loops::Index& index : instr.indices) {
      if (const auto* offset = std::get_if<Expr>(&index)) note(*offset);
    }
    for (const Expr stride : instr.strides) note(stride);
  });
  for (size_t b = schedule.bound_buffers; b < kernel.buffers.size(); ++b) {
    note(kernel.buffers[b].type.numel());
  }
  schedule.scalars.assign(scalars.begin(), scalars.end());
}

Phase phase_of(const Instr& loop, size_t position) {
  Phase phase;
  phase.position = position;
  const auto first = std::ranges::find(loop.vars, true, &LoopVar::is_parallel);
  phase.first = static_cast<size_t>(first - loop.vars.begin());
  phase.is_tiled = loops::is_tiled(loop);
  const auto parallel = std::ranges::count(loop.vars, true, &LoopVar::is_parallel);
  phase.divided = static_cast<size_t>(parallel) - (phase.is_tiled ? 1 : 0);
  phase.divides_last = phase.first + phase.divided == loop.vars.size();
  const int lanes = loops::lanes_of(loop);
  double inner = cost_of(*loop.blocks[0]) / lanes;
  std::vector<Expr> extents;
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    const bool is_divided = v >= phase.first && v < phase.first + phase.divided;
    if (is_divided) {
      extents.push_back(loop.vars[v].extent);
    } else {
      inner *= estimate(loop.vars[v].extent);
    }
  }
  if (phase.divides_last) phase.grain = lanes;
  if (phase.is_tiled) {
    const double columns = estimate(loop.vars.back().extent);
    extents.back() = ceil_div(extents.back(), Expr(kTileRows));
    extents.push_back(ceil_div(loop.vars.back().extent, Expr(kTileSpan)));
    inner *= kTileRows * std::min<double>(kTileSpan / columns, 1);
  }
  phase.iterations = product(extents);
  phase.cost = inner;
  return phase;
}

void find_phases(Schedule& schedule) {
  const std::vector<Instr>& body = schedule.kernel.body.instrs;
  for (size_t i = 0; i < body.size(); ++i) {
    if (std::ranges::any_of(body[i].vars, &LoopVar::is_parallel)) {
      schedule.phases.push_back(phase_of(body[i], i));
    }
  }
  if (!schedule.phases.empty() || std::ranges::all_of(body, loops::is_pure)) return;
  Phase whole;
  whole.iterations = Expr(1);
  whole.cost = cost_of(schedule.kernel.body);
  schedule.phases.push_back(whole);
}

}  // namespace

double cost_of(const loops::Block& block) {
  constexpr double kNanoseconds = 0.3;  // An addition, or an access that hits the cache.
  double total = 0;
  for (const Instr& instr : block.instrs) {
    if (instr.blocks.empty()) {
      total += kNanoseconds * weight(instr);
      continue;
    }
    double inner = kNanoseconds * own_weight(instr);
    for (const auto& nested : instr.blocks) inner += cost_of(*nested);
    for (const LoopVar& var : instr.vars) inner *= estimate(var.extent);
    total += inner / loops::lanes_of(instr);
  }
  return total;
}

Schedule read_schedule(loops::Kernel scheduled) {
  Schedule schedule;
  schedule.kernel = std::move(scheduled);
  schedule.bound_buffers = bound_buffers(schedule.kernel);
  note_expressions(schedule);
  find_phases(schedule);
  return schedule;
}

}  // namespace litz::schedule
