// Chooses the variables of top-level loops that threads divide.
//
//   for i in 0..900, j in 0..4, k in 0..16        %1 is read at j: stores of one i and k may meet
//     store %y at [48*i + k, %1 * 16], %2    =>   for i in 0..900 parallel, j in 0..4, k in 0..16

#include <algorithm>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

/// True if iterations of the loop that differ in the variable may store to one element, like equal
/// indices in a scatter: the later iteration must win, whichever threads run them.
bool may_collide(const Instr& loop, const loops::LoopVar& var) {
  bool collides = false;
  loops::for_each_inside(loop, [&](const Instr& instr) {
    if (instr.kind != InstrKind::store || !loops::has_computed_index(instr)) return;
    collides |= !mentions(loops::offset_of(instr), var.symbol.symbol());
  });
  return collides;
}

/// Variables that threads divide: `count` of them from `first` on.
struct Division {
  size_t first = 0;
  size_t count = 0;
};

/// The outermost variables that may iterate in any order on any thread. Variables before them, in
/// which stores may collide, run in order on each thread.
Division division_of(const Instr& loop) {
  if (loop.kind != InstrKind::loop || !loop.carried.empty()) return {};
  bool assigns = true;
  loops::for_each_inside(loop, [&](const Instr& instr) {
    assigns &= instr.kind != InstrKind::store || instr.mode == loops::StoreMode::assign;
  });
  if (!assigns) return {};
  std::vector<bool> collides;
  for (const loops::LoopVar& var : loop.vars) collides.push_back(may_collide(loop, var));
  const auto first = std::ranges::find(collides, false);
  auto last = std::find(first, collides.end(), true);
  // The vectorised variable is divided alone, in tiles, or not at all.
  const bool has_lanes = loops::lanes_of(loop) > 1 && !loops::is_tiled(loop);
  if (has_lanes && last == collides.end() && last - first > 1) --last;
  return {.first = static_cast<size_t>(first - collides.begin()),
          .count = static_cast<size_t>(last - first)};
}

}  // namespace

void divide_loops(loops::Kernel& kernel) {
  std::vector<Instr>& body = kernel.body.instrs;
  const bool divides = std::ranges::all_of(body, [](const Instr& instr) {
    return loops::is_pure(instr) || division_of(instr).count > 0;
  });
  if (!divides) return;
  for (Instr& loop : body) {
    if (loop.kind != InstrKind::loop) continue;
    const Division division = division_of(loop);
    for (size_t v = 0; v < division.count; ++v) loop.vars[division.first + v].is_parallel = true;
  }
}

}  // namespace litz::schedule
