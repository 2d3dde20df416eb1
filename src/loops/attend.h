// The reference of attention over whole buffers (InstrKind::attend).

#pragma once

#include <span>

#include "loops/kernel.h"
#include "types/tensor.h"

namespace litz::loops {

/// Computes the instruction on the kernel's bound buffers, in f32, or f64 for operands of f64.
void run_attend(const Attend& buffers, double scale, bool safe, std::span<Tensor> tensors);

}  // namespace litz::loops
