// Sums of squared deviations from a mean that the same block computes.
//
//   %0 = reduce sum k { x[k, j] }
//   %1 = div %0, 4096
//   %2 = reduce sum l { (x[l, j] - %1)^2 }
//
// Here %2 sums deviations from the mean of %0.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Returns the sum of the block whose mean `squares`, a reduction of the block, subtracts from the
/// same elements before it sums their squares; null if there is none.
const Instr* sum_of_mean(const Kernel& kernel, const Block& block, const Instr& squares);

}  // namespace litz::loops
