// Tiles for AVX2 and FMA: 12 of 16 registers hold sums.

#include "kernels/softmax_row.h"
#include "kernels/thin_kernel.h"

namespace litz::kernels {

MicroKernels avx2_micro_kernels() {
  return {micro_kernel<float, 2, 3, 2, 32>(),    micro_kernel<double, 2, 3, 2, 32>(),
          micro_kernel<uint64_t, 2, 2, 2, 32>(), thin_kernels<float, 32>(),
          thin_kernels<uint16_t, 32>(),          softmax_row<32>};
}

}  // namespace litz::kernels
