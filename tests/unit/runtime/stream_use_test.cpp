#include "runtime/stream_use.h"

#include <gtest/gtest.h>

#include "runtime/program/device_stream.h"
#include "runtime/sim/sim_device.h"

namespace litz::runtime {
namespace {

Tensor fours(SimDevice& device, StreamId stream, double value) {
  Tensor host = Tensor::empty(DType::f32, {4});
  host.copy_from(Tensor::of<float>(DType::f32, {4},
                                   {static_cast<float>(value), static_cast<float>(value),
                                    static_cast<float>(value), static_cast<float>(value)}));
  return copied(host, {}, {device, stream});
}

// On a device whose streams overtake each other, each reader sees what was written before it and not after.
TEST(StreamUse, ReadersFollowWritersAndWritersFollowReaders) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimDevice device;
    device.set_modes({.order_seed = seed});
    const StreamId writer = device.make_stream();
    const StreamId readers[] = {device.make_stream(), device.make_stream()};
    const Tensor tensor = fours(device, writer, 1);
    std::vector<Tensor> seen;
    for (int round = 1; round <= 3; ++round) {
      for (const StreamId reader : readers) {
        before_read(device, reader, tensor);
        before_read(device, reader, tensor);  // Costs nothing.
        seen.push_back(on_host_later(tensor, {device, reader}));
      }
      before_write(device, writer, tensor);
      device.copy(writer, tensor, fours(device, writer, round + 1));
    }
    device.finish();
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].at({3}), static_cast<double>(i / 2 + 1)) << seed;
    }
  }
}

TEST(StreamUse, AccountsEnd) {
  SimDevice device;
  const Tensor tensor = fours(device, {}, 1);
  ASSERT_TRUE(is_accounted(tensor));
  EXPECT_EQ(tensor.storage()->use()->writer, 0);
  device.synchronize({});
  end_account(tensor);
  EXPECT_EQ(tensor.storage()->use()->writer, -1);
  EXPECT_EQ(tensor.storage()->use()->users, 0U);
  const Tensor host = Tensor::zeros(DType::f32, {4});
  EXPECT_FALSE(is_accounted(host));
  before_read(device, {}, host);
  before_write(device, {}, host);
  end_account(host);
}

}  // namespace
}  // namespace litz::runtime
