// Random kernels: nests of every kind of instruction over bool, i64 and f32, always valid.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "loops/kernel.h"
#include "types/tensor.h"

namespace litz::loops {

struct RandomKernel {
  Kernel kernel;
  Bindings bindings;
  /// Inputs filled with random values (NaN and infinities among them), outputs with zeros.
  std::vector<Tensor> buffers;
};

RandomKernel random_kernel(ExprPool& pool, std::mt19937& random);

}  // namespace litz::loops
