// Products of a few rows or columns with a matrix. The matrix is read once, in place, at the speed
// of memory; packing would read it twice.

#pragma once

#include "kernels/gemm.h"

namespace litz::kernels {

/// Computes the product and returns true if it is thin and both operands are in memory.
bool run_thin_product(const Gemm& gemm, GemmWorkspace& workspace);

}  // namespace litz::kernels
