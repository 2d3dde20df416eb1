// Kernels for tests of the host device, written in C++ with the calling convention of compiled ones.

#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "runtime/cpu/host_device.h"

namespace litz::runtime {

/// y[i] = x[i] + scalars[0], for buffers x, y of int64.
inline int32_t add_scalar(const artifact::KernelArguments* arguments, int64_t begin, int64_t end) {
  const auto* const x = static_cast<const int64_t*>(arguments->buffers[0]);
  auto* const y = static_cast<int64_t*>(arguments->buffers[1]);
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] + arguments->scalars[0];
  return 0;
}

/// z[i] = x[i] * y[i]
inline int32_t multiply(const artifact::KernelArguments* arguments, int64_t begin, int64_t end) {
  const auto* const x = static_cast<const int64_t*>(arguments->buffers[0]);
  const auto* const y = static_cast<const int64_t*>(arguments->buffers[1]);
  auto* const z = static_cast<int64_t*>(arguments->buffers[2]);
  for (int64_t i = begin; i < end; ++i) z[i] = x[i] * y[i];
  return 0;
}

/// Check 0 fails at the first x[i] that is not below scalars[0].
inline int32_t check_below(const artifact::KernelArguments* arguments, int64_t begin, int64_t end) {
  const auto* const x = static_cast<const int64_t*>(arguments->buffers[0]);
  for (int64_t i = begin; i < end; ++i) {
    if (x[i] < arguments->scalars[0]) continue;
    *arguments->failure = {0, x[i], arguments->scalars[0]};
    return 1;
  }
  return 0;
}

/// flag = (counter -= 1) != 0, for a byte and an int64.
inline int32_t count_down(const artifact::KernelArguments* arguments, int64_t, int64_t) {
  auto* const flag = static_cast<uint8_t*>(arguments->buffers[0]);
  auto* const counter = static_cast<int64_t*>(arguments->buffers[1]);
  *counter -= 1;
  *flag = *counter != 0 ? 1 : 0;
  return 0;
}

/// Counts its calls.
inline int32_t count_calls(const artifact::KernelArguments* arguments, int64_t, int64_t) {
  auto* const calls = static_cast<int64_t*>(arguments->buffers[0]);
  std::atomic_ref(*calls).fetch_add(1);
  return 0;
}

inline KernelId add_kernel(HostDevice& device, artifact::KernelFunction function) {
  return device.add_kernel({.name = "test",
                            .phases = {{.function = function, .grain = 1}},
                            .checks = {{.text = "index of a test"}}});
}

/// Memory that a test owns, as a buffer.
struct TestBuffer {
  explicit TestBuffer(std::initializer_list<int64_t> initial) : values(initial) {}

  Binding binding() {
    return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(int64_t)};
  }

  std::vector<int64_t> values;
};

}  // namespace litz::runtime
