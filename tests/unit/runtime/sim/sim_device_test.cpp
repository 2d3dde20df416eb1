#include "runtime/sim/sim_device.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/test_kernels.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

Tensor numbers(std::initializer_list<float> values) {
  return Tensor::of(DType::f32, {static_cast<int64_t>(values.size())}, values);
}

TEST(SimDevice, CopiesThereAndBack) {
  SimDevice device(3);
  const DeviceStream where{device, {}};
  const Tensor host = numbers({1, 2, 3, 4});
  const Tensor there = copied(host, {}, where);
  EXPECT_EQ(there.device(), (Device{DeviceKind::sim, 3}));
  EXPECT_THROW(there.data(), Error);
  const Tensor turned = there.view({2, 2}, {1, 2}, 0);
  const Tensor again = on_host(copied(turned, {}, where), where);
  EXPECT_EQ(again.at({0, 1}), 3);
  EXPECT_EQ(again.at({1, 0}), 2);
}

// What lies on the host is read at once, and may change then.
TEST(SimDevice, HostValuesAreThoseOfTheCall) {
  SimDevice device;
  const DeviceStream where{device, {}};
  Tensor host = numbers({1, 2});
  const Tensor there = copied(host, {}, where);
  host.copy_from(numbers({8, 9}));
  EXPECT_EQ(on_host(there, where).at({0}), 1);
}

TEST(SimDevice, MostWorkRunsLater) {
  int late = 0;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    SimDevice device;
    device.set_modes({.order_seed = seed});
    int done = 0;
    for (int i = 0; i < 8; ++i) device.give({}, [&] { ++done; });
    if (done < 8) ++late;
    device.synchronize({});
    EXPECT_EQ(done, 8);
  }
  EXPECT_GT(late, 16);
}

TEST(SimDevice, StreamsOvertakeUnlessEventsOrderThem) {
  int overtaken = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    for (const bool waits : {false, true}) {
      SimDevice device;
      device.set_modes({.order_seed = seed});
      const StreamId side = device.make_stream();
      std::vector<int> order;
      for (int i = 0; i < 3; ++i) device.give({}, [&order, i] { order.push_back(i); });
      if (waits) device.wait(side, device.record({}));
      device.give(side, [&order] { order.push_back(10); });
      device.synchronize(side);
      device.synchronize({});
      ASSERT_EQ(order.size(), 4U);
      if (waits) {
        EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10}));
      } else if (order.back() != 10) {
        ++overtaken;
      }
    }
  }
  EXPECT_GT(overtaken, 10);
}

TEST(SimDevice, FailuresComeWithTheStream) {
  SimDevice device;
  const StreamId side = device.make_stream();
  device.give(side, [] { fail(ErrorCode::unsupported, "not today"); });
  device.give(side, [] { fail(ErrorCode::io, "nor tomorrow"); });
  EXPECT_NO_THROW(device.synchronize({}));
  try {
    device.synchronize(side);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);  // The first.
  }
  EXPECT_NO_THROW(device.synchronize(side));
}

TEST(SimDevice, BuffersMustBeAllocated) {
  SimDevice device;
  std::shared_ptr<Storage> memory = device.allocate(64);
  const Binding binding{memory->address(), 64};
  EXPECT_NO_THROW(device.seen(binding));
  EXPECT_THROW(device.seen(Binding{memory->address(), 65}), Error);
  memory.reset();
  EXPECT_THROW(device.seen(binding), Error);
}

TEST(SimDevice, UnknownStreamsAndEventsAreRefused) {
  SimDevice device;
  EXPECT_THROW(device.record(StreamId{1}), Error);
  EXPECT_THROW(device.wait({}, EventId{0}), Error);
  EXPECT_THROW(device.synchronize(StreamId{-1}), Error);
  EXPECT_FALSE(device.caps().is_immediate);
}

TEST(SimDevice, ThreadsUseItAtATime) {
  SimDevice device;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&device, t] {
      const DeviceStream where{device, device.make_stream()};
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(100 * t + i);
        const Tensor there = copied(numbers({value}), {}, where);
        ASSERT_EQ(on_host(there, where).at({0}), value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace litz::runtime
