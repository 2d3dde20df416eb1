// Tiles for AVX-512: 24 of 32 registers hold sums.

#include "kernels/softmax_row.h"
#include "kernels/thin_kernel.h"

namespace litz::kernels {

MicroKernels avx512_micro_kernels() {
  return {micro_kernel<float, 4, 3, 2, 64>(),    micro_kernel<double, 4, 3, 2, 64>(),
          micro_kernel<uint64_t, 4, 2, 2, 64>(), thin_kernels<float, 64>(),
          thin_kernels<uint16_t, 64>(),          softmax_row<64>};
}

}  // namespace litz::kernels
