// The calling convention of compiled kernels, shared by code generators and the runtime.
//
// It is plain data, the same for kernels made in this process, read from the cache or compiled
// ahead of time. A kernel reads its arguments only through this block, and calls only the imports
// that its code lists.

#pragma once

#include <cstdint>

namespace litz::artifact {

/// The failure that stops a kernel: check number `check` (KernelCode::checks) found that `value` is
/// not below `extent`.
struct KernelFailure {
  int64_t check = -1;
  int64_t value = 0;
  int64_t extent = 0;
};

struct KernelArguments {
  void* const* buffers = nullptr;    ///< Element 0 of each buffer, in the kernel's buffer order.
  const int64_t* scalars = nullptr;  ///< Symbol values; real symbols as the bits of a double.
  KernelFailure* failure = nullptr;  ///< Written when the kernel returns nonzero.
};

/// Runs iterations begin .. end - 1 of the kernel's outer loop. Returns 0, or 1 after writing
/// `failure`. Disjoint ranges may run in parallel: their results do not depend on each other.
using KernelFunction = int32_t (*)(const KernelArguments* arguments, int64_t begin, int64_t end);

}  // namespace litz::artifact
