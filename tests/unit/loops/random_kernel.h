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

/// How the operations of kernels are chosen.
enum class Arithmetic : uint8_t {
  any,
  /// All reals are small multiples of 1/4, so results do not depend on the order of sums.
  exact,
};

RandomKernel random_kernel(ExprPool& pool, std::mt19937& random,
                           Arithmetic arithmetic = Arithmetic::any);

}  // namespace litz::loops
