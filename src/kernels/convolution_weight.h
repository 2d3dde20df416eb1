// Converts weights of convolutions to the layout that kernels read: outputs, inputs, window,
// row-major. Those of transposed convolutions and of models with innermost channels have other
// layouts. Constant weights are converted once.

#pragma once

#include <cstdint>

#include "kernels/library_context.h"
#include "types/tensor.h"

namespace litz::kernels {

struct LaidOutWeight {
  Tensor weight;             ///< [groups * outputs, inputs, window...], row-major.
  bool is_constant = false;  ///< The keeper owns it permanently: may be packed from there.
};

/// `keeper` is the context that stores it for later calls if the given weight is constant; else
/// null.
LaidOutWeight row_major_weight(const Tensor& weight, int64_t groups, bool transposed,
                               LibraryContext* keeper);

}  // namespace litz::kernels
