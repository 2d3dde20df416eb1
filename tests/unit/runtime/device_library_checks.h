// What every device's library does with functions of the host.

#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {

inline void expect_runs_functions(GraphDevice& device, DeviceLibrary& library) {
  const DeviceStream where{device, {}};
  const Tensor a = copied(Tensor::of<float>(DType::f32, {2, 2}, {1, 2, 3, 4}), {}, where);
  const std::vector<kernels::LibraryArgument> arguments{a, a};
  std::vector<Tensor> results{fresh(DType::f32, {2, 2}, {2, 1}, where)};
  const Tensor given = results[0];
  library.run("matmul", arguments, results, {});
  EXPECT_EQ(results[0].storage(), given.storage());
  EXPECT_EQ(on_host(results[0], where).at({1, 0}), 15);
  EXPECT_THROW(library.run("absent", {}, results, {}), Error);
}

/// Sizes follow from data: the function makes its result.
inline void expect_places_made_results(GraphDevice& device, DeviceLibrary& library) {
  const DeviceStream where{device, {}};
  const Tensor x = copied(Tensor::of<float>(DType::f32, {4}, {0, 5, 0, 7}), {}, where);
  const std::vector<kernels::LibraryArgument> arguments{x};
  std::vector<Tensor> results(1);
  library.run("nonzero", arguments, results, {});
  ASSERT_TRUE(results[0].defined());
  EXPECT_EQ(results[0].device(), device.device());
  const Tensor found = on_host(results[0], where);
  EXPECT_EQ(found.sizes(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(found.int_at({1, 0}), 3);
}

}  // namespace litz::runtime
