#include "schedule/blocks/block_schedule.h"

#include <algorithm>

#include "loops/instrs.h"
#include "loops/simplify.h"
#include "schedule/blocks/attention_schedule.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/complex_parts.h"
#include "support/check.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;
using loops::LoopVar;

/// Iterations of single threads that one thread takes, to have several loads on the way at once.
constexpr int64_t kIterationsPerThread = 4;
constexpr int32_t kWholeThreads = 1024;

/// Moves the marks of divisible variables from the loops, where rewriting kept them, to the
/// schedule.
void take_marks(Schedule& schedule) {
  loops::edit_each_instr(schedule.kernel.body, [&](Instr& instr) {
    for (LoopVar& var : instr.vars) {
      if (var.is_parallel) schedule.divisible.insert(var.symbol.symbol());
      var.is_parallel = false;
    }
  });
}

bool has_sort(const loops::Block& block) {
  bool has = false;
  loops::for_each_instr(block, [&](const Instr& instr) { has |= instr.kind == InstrKind::sort; });
  return has;
}

/// Longer rows than this do not stay in the registers of a block: one pass over them is better than
/// two.
constexpr double kLongRow = 1 << 16;

bool has_long_rows(const loops::Kernel& kernel) {
  bool has = false;
  loops::for_each_instr(kernel.body, [&](const Instr& instr) {
    has |= instr.kind == InstrKind::reduce && trips(instr) > kLongRow;
  });
  return has;
}

Phase phase_of(const Schedule& schedule, const Instr& loop, size_t position) {
  Phase phase;
  phase.position = position;
  phase.block = block_shape(schedule, loop);
  std::vector<Expr> extents;
  for (const LoopVar* var : divided_vars(schedule, loop)) extents.push_back(var->extent);
  phase.iterations = product(extents);
  set_grain(schedule, phase);
  return phase;
}

/// Phases, if all instructions that do something are loops that teams can divide; else one block
/// runs the whole body.
void find_block_phases(Schedule& schedule) {
  const std::vector<Instr>& body = schedule.kernel.body.instrs;
  const auto is_divided = [&](const Instr& instr) {
    return instr.kind == InstrKind::loop && !divided_vars(schedule, instr).empty();
  };
  const bool divides = std::ranges::all_of(
      body, [&](const Instr& instr) { return loops::is_pure(instr) || is_divided(instr); });
  if (divides) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (!is_divided(body[i])) continue;
      schedule.phases.push_back(phase_of(schedule, body[i], i));
      Phase& phase = schedule.phases.back();
      choose_squares(schedule, phase);
      choose_flat_stores(schedule, phase);
      keep_rows_in_registers(schedule, phase);
      keep_values_in_registers(schedule, phase);
    }
    return;
  }
  Phase whole;
  whole.iterations = Expr(1);
  whole.block = {kWholeThreads, kWholeThreads};
  schedule.phases.push_back(whole);
}

}  // namespace

void set_grain(const Schedule& schedule, Phase& phase) {
  const int64_t width = schedule.width_of(*schedule.loop_of(phase));
  const int64_t teams = phase.block.teams();
  phase.grain = phase.block.team == 1 ? teams * std::max(kIterationsPerThread, width) : teams;
}

double trips(const Instr& loop, int64_t unknown) {
  double count = 1;
  for (const LoopVar& var : loop.vars) count *= estimate(var.extent, unknown);
  return count;
}

std::vector<const LoopVar*> divided_vars(const Schedule& schedule, const Instr& loop) {
  std::vector<const LoopVar*> divided;
  for (const LoopVar& var : loop.vars) {
    if (schedule.divisible.contains(var.symbol.symbol())) divided.push_back(&var);
  }
  return divided;
}

bool is_team_work(const Schedule& schedule, const Instr& instr) {
  return loops::is_combining(instr) || instr.kind == InstrKind::sort ||
         !divided_vars(schedule, instr).empty();
}

bool is_shared_by_team(const Schedule& schedule, const Instr& instr, int32_t team) {
  if (team == 1 || !is_team_work(schedule, instr)) return false;
  if (instr.kind != InstrKind::loop || loops::is_combining(instr)) return true;
  if (has_sort(*instr.blocks[0])) return false;  // Only a team can sort.
  // A short loop around long ones leaves those to the team.
  if (2 * trips(instr) >= team) return true;
  return std::ranges::none_of(instr.blocks[0]->instrs,
                              [&](const Instr& inner) { return is_team_work(schedule, inner); });
}

Schedule make_block_schedule(loops::Kernel kernel) {
  if (attention_of(kernel) != nullptr) return make_attention_schedule(std::move(kernel));
  if (has_complex(kernel)) kernel = in_parts(kernel).value();
  while (loops::simplify(kernel)) {
  }
  mark_divisible(kernel);
  flatten_accesses(kernel);
  merge_loops(kernel);
  if (has_long_rows(kernel)) pair_softmax(kernel);
  Schedule schedule;
  schedule.kernel = std::move(kernel);
  take_marks(schedule);
  loops::verify(schedule.kernel);
  schedule.bound_buffers = bound_buffers(schedule.kernel);
  note_expressions(schedule);
  choose_widths(schedule);
  find_block_phases(schedule);
  return schedule;
}

}  // namespace litz::schedule
