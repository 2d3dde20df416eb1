// Weights of convolutions in the layout that kernels read: outputs, inputs, window, row-major. Those
// of transposed convolutions and of models with channels innermost come otherwise; constant ones are
// laid out once.

#pragma once

#include <cstdint>

#include "kernels/library_context.h"
#include "types/tensor.h"

namespace litz::kernels {

struct LaidOutWeight {
  Tensor weight;             ///< [groups * outputs, inputs, window...], row-major.
  bool is_constant = false;  ///< Lies in the keeper for good: may be packed from there.
};

/// `keeper`: the context that keeps it for later calls, where the given one is constant; else null.
LaidOutWeight row_major_weight(const Tensor& weight, int64_t groups, bool transposed,
                               LibraryContext* keeper);

}  // namespace litz::kernels
