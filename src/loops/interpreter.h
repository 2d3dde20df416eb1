// The reference interpreter of loop IR: the oracle that every optimised path is compared with.
//
// Arithmetic is done in the dtype that the kernel states; elementary functions are evaluated wider and
// rounded once; floating sums and products accumulate in double (complex: in double parts) and are rounded
// at the end, so the result does not depend on any order of evaluation. Independent iterations are evaluated in lanes for speed.

#pragma once

#include <span>

#include "loops/kernel.h"
#include "types/expr.h"
#include "types/tensor.h"

namespace litz::loops {

/// Runs a kernel. `buffers` are in the kernel's order and have the evaluated sizes and strides of its
/// types (checked); outputs are written in place. Throws Error{out_of_range} for a bad index.
void interpret(const Kernel& kernel, std::span<const Tensor> buffers, const Bindings& bindings);

}  // namespace litz::loops
