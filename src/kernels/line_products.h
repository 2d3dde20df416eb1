// A matrix times a vector: reads every line once, without packing, since nothing would be reused.

#pragma once

#include "kernels/panels.h"

namespace litz::kernels {

/// sums[i] = sum over d of line i at d times vector[d]. `vector` and `sums` have the accumulator's
/// type and are contiguous.
void multiply_lines(Accumulator accumulator, const MatrixLines& lines, int64_t count, int64_t depth,
                    const void* vector, void* sums);

}  // namespace litz::kernels
