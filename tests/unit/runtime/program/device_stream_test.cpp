#include "runtime/program/device_stream.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "runtime/sim/sim_device.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(DeviceStream, TensorsOfTheHostAreReadInPlace) {
  HostStream host;
  const Tensor tensor = Tensor::of<float>(DType::f32, {2}, {1, 2});
  EXPECT_TRUE(host.where.holds(tensor));
  EXPECT_EQ(on_host(tensor, host.where).storage(), tensor.storage());
  const Tensor copy = copied(tensor, {}, host.where);
  EXPECT_NE(copy.storage(), tensor.storage());
  EXPECT_EQ(copy.at({1}), 2);
  EXPECT_THROW(fresh(DType::f32, {int64_t{1} << 50}, {1}, host.where), Error);
}

TEST(DeviceStream, TensorsOfADeviceAreCopied) {
  SimDevice device;
  const DeviceStream where{device, device.make_stream()};
  const Tensor rows = Tensor::of<float>(DType::f32, {2, 2}, {1, 2, 3, 4});
  EXPECT_FALSE(where.holds(rows));
  const Tensor columns = copied(rows, {1, 2}, where);
  EXPECT_TRUE(where.holds(columns));
  EXPECT_EQ(columns.strides(), (std::vector<int64_t>{1, 2}));
  const Tensor later = on_host_later(columns, where);
  device.synchronize(where.stream);
  EXPECT_EQ(later.at({1, 0}), 3);
  EXPECT_EQ(later.strides(), columns.strides());
}

}  // namespace
}  // namespace litz::runtime
