// Derives facts from the marks of a scheduled kernel: phases, one per parallel loop, the values
// that the code needs, and properties of the divisions in its expressions.

#include <algorithm>
#include <cmath>
#include <set>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/computed_sizes.h"
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

}  // namespace

void note_expressions(Schedule& schedule) {
  const loops::Kernel& kernel = schedule.kernel;
  std::set<SymbolId> scalars;
  const auto note = [&](Expr expr) {
    note_divisions(expr, schedule);
    for (const SymbolId symbol : free_symbols(expr)) {
      if (kernel.pool->symbol(symbol).kind != SymbolKind::index) scalars.insert(symbol);
    }
  };
  loops::for_each_instr(kernel.body,
                        [&](const Instr& instr) { for_each_expr(kernel, instr, note); });
  for (size_t b = schedule.bound_buffers; b < kernel.buffers.size(); ++b) {
    note(kernel.buffers[b].type.numel());
  }
  schedule.scalars.assign(scalars.begin(), scalars.end());
}

namespace {

/// Any cost above this is worth a thread; products of two such numbers fit 64 bits.
constexpr int64_t kCostly = int64_t{1} << 30;

Expr rounded(double picoseconds) {
  return static_cast<int64_t>(std::llround(std::min(picoseconds, static_cast<double>(kCostly))));
}

/// True if the expression has a value at all sizes, even for loops that no call enters.
bool has_value(Expr expr) {
  if (expr.is_constant() || expr.is_symbol()) return true;
  if (!std::ranges::all_of(expr.operands(), has_value)) return false;
  switch (expr.kind()) {
    case ExprKind::add:
    case ExprKind::mul:
    case ExprKind::min:
    case ExprKind::max:
      return true;
    case ExprKind::floor_div:
    case ExprKind::ceil_div:
    case ExprKind::mod:
      return bounds(expr.operands()[1]).lo > 0;
    default:
      return false;
  }
}

/// The extent as a factor of a cost; an estimate if it might have no value.
Expr count_of(Expr extent) {
  const Expr count = has_value(extent) ? extent : Expr(static_cast<int64_t>(estimate(extent)));
  return min(count, Expr(kCostly));
}

/// Rough picoseconds of a block on one core, loops included, at `instruction` per instruction. An
/// expression if a call decides the loop counts.
Expr picoseconds_of(const loops::Block& block, double instruction) {
  double known = 0;
  Expr rest = 0;
  for (const Instr& instr : block.instrs) {
    if (instr.blocks.empty()) {
      known += instruction * weight(instr);
      continue;
    }
    double each = instruction / loops::lanes_of(instr);
    Expr unknown = 1;
    for (const LoopVar& var : instr.vars) {
      if (const auto count = var.extent.maybe_constant()) {
        each *= static_cast<double>(*count);
      } else {
        unknown = min(unknown * count_of(var.extent), Expr(kCostly));
      }
    }
    Expr inside = rounded(each * own_weight(instr));
    for (const auto& nested : instr.blocks) inside = inside + picoseconds_of(*nested, each);
    rest = min(rest + min(inside, Expr(kCostly)) * unknown, Expr(kCostly));
  }
  return min(rest + rounded(known), Expr(kCostly));
}

Phase phase_of(const Instr& loop, size_t position, double instruction) {
  Phase phase;
  phase.position = position;
  const auto first = std::ranges::find(loop.vars, true, &LoopVar::is_parallel);
  phase.first = static_cast<size_t>(first - loop.vars.begin());
  phase.is_tiled = loops::is_tiled(loop);
  const auto parallel = std::ranges::count(loop.vars, true, &LoopVar::is_parallel);
  phase.divided = static_cast<size_t>(parallel) - (phase.is_tiled ? 1 : 0);
  phase.divides_last = phase.first + phase.divided == loop.vars.size();
  const int lanes = loops::lanes_of(loop);
  std::vector<Expr> extents;
  std::vector<Expr> inside;  // Per iteration.
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    const bool is_divided = v >= phase.first && v < phase.first + phase.divided;
    (is_divided ? extents : inside).push_back(loop.vars[v].extent);
  }
  if (phase.divides_last) phase.grain = lanes;
  if (phase.is_tiled) {
    const Expr columns = loop.vars.back().extent;
    extents.back() = ceil_div(extents.back(), Expr(kTileRows));
    extents.push_back(ceil_div(columns, Expr(kTileSpan)));
    inside.back() = min(columns, Expr(kTileSpan));
    inside.emplace_back(kTileRows);
  }
  phase.iterations = product(extents);
  double each = instruction / lanes;
  for (const Expr extent : inside) {
    if (const auto count = extent.maybe_constant()) each *= static_cast<double>(*count);
  }
  phase.cost = picoseconds_of(*loop.blocks[0], each);
  for (const Expr extent : inside) {
    if (extent.is_constant()) continue;
    phase.cost = min(phase.cost * count_of(extent), Expr(kCostly));
  }
  return phase;
}

void find_phases(Schedule& schedule, const machine::Machine& machine) {
  const double instruction = 1000 * machine.instruction_nanoseconds;
  const std::vector<Instr>& body = schedule.kernel.body.instrs;
  for (size_t i = 0; i < body.size(); ++i) {
    if (std::ranges::any_of(body[i].vars, &LoopVar::is_parallel)) {
      schedule.phases.push_back(phase_of(body[i], i, instruction));
    }
  }
  if (!schedule.phases.empty() || std::ranges::all_of(body, loops::is_pure)) return;
  Phase whole;
  whole.iterations = Expr(1);
  whole.cost = picoseconds_of(schedule.kernel.body, instruction);
  schedule.phases.push_back(whole);
}

}  // namespace

double cost_of(const loops::Block& block) {
  double total = 0;
  for (const Instr& instr : block.instrs) {
    if (instr.blocks.empty()) {
      total += weight(instr);
      continue;
    }
    double inner = own_weight(instr);
    for (const auto& nested : instr.blocks) inner += cost_of(*nested);
    for (const LoopVar& var : instr.vars) inner *= estimate(var.extent);
    total += inner / loops::lanes_of(instr);
  }
  return total;
}

Schedule read_schedule(loops::Kernel scheduled, const machine::Machine& machine) {
  Schedule schedule;
  schedule.kernel = std::move(scheduled);
  schedule.bound_buffers = bound_buffers(schedule.kernel);
  note_expressions(schedule);
  find_phases(schedule, machine);
  return schedule;
}

}  // namespace litz::schedule
