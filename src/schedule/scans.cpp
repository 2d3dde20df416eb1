// Scans many rows at the same time: lanes go across the rows. Squares of elements are transposed
// between memory, where rows are contiguous, and registers, where each row is a lane.
//
//   for r in 0..64 {                                        r in lanes; x[r, i], y[r, i] transposed
//     for i in 0..8193 carry (%0 = 1) {
//       %1 = load x[r, i]   %2 = mul %0, %1   store y[r, i], %2   yield %2
//     }
//   }
//
// Each row is still scanned in order, so results do not depend on layout, target or number of
// threads.

#include <algorithm>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "loops/squares.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;

bool is_scan_square(const loops::Kernel& kernel, const Instr& access, SymbolId lane,
                    const Instr& scan) {
  return !scan.carried.empty() && loops::is_square_of_scan(kernel, access, lane, scan);
}

/// Marks the accesses of scans that lanes along `lane` make in squares. Marks are set in place: the
/// choice for the next access does not read them.
void mark_squares(const loops::Kernel& kernel, loops::Block& block, SymbolId lane) {
  loops::edit_each_instr(block, [&](Instr& scan) {
    if (scan.carried.empty()) return;
    for (Instr& access : scan.blocks[0]->instrs) {
      if (is_scan_square(kernel, access, lane, scan)) access.marks.is_transposed = true;
    }
  });
}

}  // namespace

bool has_scan(const loops::Kernel& kernel, const Instr& loop) {
  const SymbolId lane = loops::lane_symbol(loop);
  bool has = false;
  loops::for_each_inside(loop, [&](const Instr& scan) {
    if (scan.carried.empty()) return;
    has = has || std::ranges::any_of(scan.blocks[0]->instrs, [&](const Instr& access) {
            return is_scan_square(kernel, access, lane, scan);
          });
  });
  return has;
}

void choose_scans(loops::Kernel& kernel) {
  loops::edit_each_instr(kernel.body, [&](Instr& loop) {
    if (loops::lanes_of(loop) == 1) return;
    for (const auto& block : loop.blocks) {
      mark_squares(kernel, *block, loops::lane_symbol(loop));
    }
  });
}

}  // namespace litz::schedule
