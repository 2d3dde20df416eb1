// Evaluates kernels one element at a time, in the plainest way: what the interpreter is tested
// against. Shares no code with it. Handles bool, i64 and f32 and what random kernels use.

#pragma once

#include <span>
#include <vector>

#include "loops/kernel.h"
#include "types/tensor.h"

namespace litz::loops {

void evaluate_simply(const Kernel& kernel, std::span<const Tensor> buffers,
                     const Bindings& bindings);

}  // namespace litz::loops
