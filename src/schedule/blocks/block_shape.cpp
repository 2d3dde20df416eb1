// Chooses the threads that run one iteration of a phase.
//
// Neighbouring threads should access neighbouring elements. If the loops inside walk along
// contiguous elements, the threads of a team divide them; if the phase's own last variable does,
// each thread takes an iteration of its own.

#include <algorithm>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

constexpr int32_t kSmallBlock = 128;
constexpr int32_t kBlock = 256;
constexpr int32_t kLargeBlock = 1024;
/// Fewer iterations than this in a loop inside are not worth a team.
constexpr double kLeastShared = 16;
/// More iterations of a phase than this keep a large machine busy with one thread each.
constexpr double kEnoughThreads = 1 << 15;
/// More rows than this keep a large machine busy with a warp each, whose threads need not wait for each
/// other, if they take few neighbours each.
constexpr double kEnoughWarps = 1 << 11;
constexpr double kMostSteps = 4;
/// Threads that hide the time of memory: 2,048 on each of 132 multiprocessors.
constexpr double kWantedThreads = 1 << 18;
constexpr int32_t kMostColumnThreads = 32;

/// Bytes that loops inside access contiguously along their own last variable, and along the
/// phase's.
struct Directions {
  double inside = 0;
  double outside = 0;
};

void add_directions(const loops::Kernel& kernel, const Instr& shared, SymbolId outer,
                    Directions& directions) {
  if (shared.vars.empty()) return;
  const SymbolId inner = shared.vars.back().symbol.symbol();
  loops::for_each_inside(shared, [&](const Instr& access) {
    if (access.kind != InstrKind::load && access.kind != InstrKind::store) return;
    const Expr offset = loops::offset_of(access);
    const auto bytes = static_cast<double>(
        item_size(kernel.buffers[static_cast<size_t>(access.buffer)].type.dtype));
    if (loops::steps_by_one(offset, inner)) directions.inside += bytes;
    if (loops::steps_by_one(offset, outer)) directions.outside += bytes;
  });
}

/// The longest loop that a team could divide: its iterations, or the most times that threads which
/// take neighbours at a time access them.
double longest_shared(const Schedule& schedule, const loops::Block& block,
                      bool in_accesses = false) {
  double longest = 0;
  for (const Instr& instr : block.instrs) {
    if (is_team_work(schedule, instr)) {
      longest = std::max(longest, trips(instr) / (in_accesses ? schedule.width_of(instr) : 1));
    } else {
      for (const auto& nested : instr.blocks) {
        longest = std::max(longest, longest_shared(schedule, *nested, in_accesses));
      }
    }
  }
  return longest;
}

/// True if the loop uses memory of a block.
bool uses_scratch(const Schedule& schedule, const Instr& loop) {
  bool uses = false;
  loops::for_each_inside(loop, [&](const Instr& instr) {
    uses |= instr.kind == InstrKind::sort;
    const bool is_access = instr.kind == InstrKind::load || instr.kind == InstrKind::store;
    uses |= is_access && static_cast<size_t>(instr.buffer) >= schedule.bound_buffers;
  });
  return uses;
}

/// True if a loop combines tuples, which teams of neighbours do.
bool has_combining(const loops::Block& block) {
  bool has = false;
  loops::for_each_instr(block, [&](const Instr& instr) { has |= loops::is_combining(instr); });
  return has;
}

}  // namespace

BlockShape block_shape(const Schedule& schedule, const Instr& loop) {
  const loops::Block& body = *loop.blocks[0];
  const double shared = longest_shared(schedule, body);
  double iterations = 1;
  for (const loops::LoopVar* var : divided_vars(schedule, loop))
    iterations *= estimate(var->extent);

  Directions directions;
  for (const Instr& instr : body.instrs) {
    if (instr.kind == InstrKind::loop || instr.kind == InstrKind::reduce) {
      add_directions(schedule.kernel, instr, loop.vars.back().symbol.symbol(), directions);
    }
  }
  const bool is_along_phase = directions.outside > directions.inside && iterations >= kWarpThreads;
  const bool is_busy = iterations >= kEnoughThreads;
  // Scratch buffers belong to a block.
  if (!uses_scratch(schedule, loop)) {
    if (shared < kLeastShared) return {kBlock, 1};
    if (is_busy && (is_along_phase || shared <= kWarpThreads)) return {kBlock, 1};
    if (is_along_phase && !has_combining(body)) {
      int32_t team = 4;
      while (team < kMostColumnThreads && team * iterations < kWantedThreads) team *= 2;
      return {team * kWarpThreads, team, true};
    }
    const bool are_short = iterations >= kEnoughWarps &&
                           longest_shared(schedule, body, true) <= kMostSteps * kWarpThreads;
    if (shared <= 8 * kWarpThreads || are_short) return {kSmallBlock, kWarpThreads};
  }
  const int32_t threads = shared <= 4096 ? kSmallBlock : shared <= 16384 ? kBlock : kLargeBlock;
  return {threads, threads};
}

}  // namespace litz::schedule
