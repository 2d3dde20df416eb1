// Selects the tiles for this CPU, and contains those for any CPU.

#include "kernels/micro_kernels.h"

#include "kernels/softmax_row.h"
#include "kernels/thin_kernel.h"

namespace litz::kernels {

MicroKernels portable_micro_kernels() {
  return {micro_kernel<float, 2, 2, 2, 16>(),    micro_kernel<double, 2, 2, 2, 16>(),
          micro_kernel<uint64_t, 2, 2, 2, 16>(), thin_kernels<float, 16>(),
          thin_kernels<uint16_t, 16>(),          softmax_row<16>};
}

const MicroKernels& micro_kernels() {
  static const MicroKernels kChosen = [] {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
      return avx512_micro_kernels();
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      return avx2_micro_kernels();
    }
#endif
    return portable_micro_kernels();
  }();
  return kChosen;
}

}  // namespace litz::kernels
