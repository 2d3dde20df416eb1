// Mean and squared deviations of the same columns, from one pass over their rows.
//
//   %0 = reduce sum k { x[k, j] }
//   %1 = div %0, 4096
//   %2 = reduce sum mean_of %0 l { (x[l, j] - %1)^2 }     gathered while %0 is
//
// Deviations are taken from a mean that is corrected part by part (Welford's recurrence for parts,
// as Chan, Golub and LeVeque give it), which loses no digits. Rows of columns come from memory each
// time; single rows mostly stay in a cache for their second pass, which then costs less.

#include "loops/deviations.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {

using loops::Instr;

void pair_variance(loops::Kernel& kernel) {
  for (Instr& loop : kernel.body.instrs) {
    if (!loops::has_column_blocks(loop)) continue;
    loops::Block& block = *loop.blocks[0];
    for (Instr& instr : block.instrs) {
      if (instr.kind != loops::InstrKind::reduce) continue;
      const Instr* sum = loops::sum_of_mean(kernel, block, instr);
      if (sum != nullptr) instr.marks.mean_of = sum->results[0];
    }
  }
}

}  // namespace litz::schedule
