// Scans of many rows at once: lanes across the rows, and squares of elements between memory, where
// rows are dense, and registers, where a row is a lane.
//
//   for r in 0..64 {                                        r in lanes; x[r, i], y[r, i] transposed
//     for i in 0..8193 carry (%0 = 1) {
//       %1 = load x[r, i]   %2 = mul %0, %1   store y[r, i], %2   yield %2
//     }
//   }
//
// Each row is still scanned in its order, so that results are the same in any layout, on any target
// and any number of threads.

#include <utility>

#include "schedule/lane_access.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;

/// Calls `visit` for the accesses inside `scan` that lanes of `loop` make in squares.
void visit_squares(const Schedule& schedule, const Instr& loop, const Instr& scan,
                   const std::function<void(const Instr&)>& visit) {
  if (scan.carried.empty()) return;
  const SymbolId lane = loop.vars.back().symbol.symbol();
  for (const Instr& instr : scan.blocks[0]->instrs) {
    if (is_square_of_scan(schedule, instr, lane, scan)) visit(instr);
  }
}

}  // namespace

bool has_scan(const Schedule& schedule, const Instr& loop) {
  bool has = false;
  for (const auto& block : loop.blocks) {
    walk(static_cast<const loops::Block&>(*block), [&](const Instr& scan) {
      visit_squares(schedule, loop, scan, [&](const Instr&) { has = true; });
    });
  }
  return has;
}

void choose_scans(Schedule& schedule) {
  walk(std::as_const(schedule.kernel.body), [&](const Instr& loop) {
    if (schedule.lanes_of(loop) == 1) return;
    for (const auto& block : loop.blocks) {
      walk(static_cast<const loops::Block&>(*block), [&](const Instr& scan) {
        visit_squares(schedule, loop, scan, [&](const Instr& access) {
          schedule.accesses.at(&access).is_transposed = true;
          schedule.scans.insert(&scan);
        });
      });
    }
  });
}

}  // namespace litz::schedule
