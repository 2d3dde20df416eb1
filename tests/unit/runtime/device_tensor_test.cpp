// Cards are in public_device_test.cpp: they need a driver of the whole process.

#include "runtime/device_tensor.h"

#include <gtest/gtest.h>

#include "runtime/program/device_stream.h"
#include "runtime/sim/sim_device.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(DeviceTensor, TheHostHasItsElements) {
  const Tensor tensor = Tensor::of<float>(DType::f32, {2}, {1, 2});
  EXPECT_EQ(copied_to(tensor, {}).storage(), tensor.storage());
  wait_for(tensor);
  EXPECT_THROW(copied_to(tensor, {DeviceKind::sim, 0}), Error);
  EXPECT_THROW(copied_to(tensor, {DeviceKind::meta, 0}), Error);
}

TEST(DeviceTensor, SimulatedDevicesAreReadWhileTheyLive) {
  Tensor there;
  {
    SimDevice device;
    const StreamId stream = device.make_stream();
    there = copied(Tensor::of<float>(DType::f32, {2}, {1, 2}), {}, {device, stream});
    EXPECT_EQ(copied_to(there, {}).at({1}), 2);
    EXPECT_THROW(wait_on_stream(there, nullptr), Error);
    wait_for(there);
  }
  EXPECT_THROW(copied_to(there, {}), Error);
}

}  // namespace
}  // namespace litz::runtime
