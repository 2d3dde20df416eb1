// How compiled kernels are called: the contract between code generators and the runtime.
//
// Plain data, the same for a kernel made in this process, read from the cache or packaged ahead of
// time. A kernel reads its arguments only through this block and calls nothing that is not listed
// in its code's imports.

#pragma once

#include <cstdint>

namespace litz::artifact {

/// What a kernel reports when it cannot go on: check number `check` (KernelCode::checks) saw
/// `value`, which must lie below `extent`.
struct KernelFailure {
  int64_t check = -1;
  int64_t value = 0;
  int64_t extent = 0;
};

struct KernelArguments {
  void* const* buffers = nullptr;    ///< Element 0 of each buffer, in the kernel's buffer order.
  const int64_t* scalars = nullptr;  ///< Symbol values; of real symbols the bits of a double.
  KernelFailure* failure = nullptr;  ///< Written when the kernel returns nonzero.
};

/// Runs iterations begin .. end - 1 of the kernel's outer loop; 0, or 1 with `failure` written.
/// Disjoint ranges may run in parallel; what a range computes does not depend on the others.
using KernelFunction = int32_t (*)(const KernelArguments* arguments, int64_t begin, int64_t end);

}  // namespace litz::artifact
