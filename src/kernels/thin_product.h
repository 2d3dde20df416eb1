// Products of a few rows, or columns, with a matrix: the matrix is read once, where it lies, at the
// speed of memory. Packing would read it twice.

#pragma once

#include "kernels/gemm.h"

namespace litz::kernels {

/// Whether the product is thin and both operands lie in memory; then it has been computed.
bool run_thin_product(const Gemm& gemm, GemmWorkspace& workspace);

}  // namespace litz::kernels
