#include "runtime/cpu/host_device.h"

#include <functional>

#include <gtest/gtest.h>

#include "cpu/test_kernels.h"

namespace litz::runtime {
namespace {

TEST(HostDevice, StreamsAndEventsBelongToIt) {
  HostDevice device;
  const StreamId stream = device.make_stream();
  const EventId event = device.record(StreamId{});
  EXPECT_NO_THROW(device.wait(stream, event));
  EXPECT_NO_THROW(device.synchronize(stream));
  EXPECT_THROW(device.record(StreamId{7}), Error);
  EXPECT_THROW(device.synchronize(StreamId{-1}), Error);
  EXPECT_EQ(device.counters().synchronizations, 1);
}

std::unique_ptr<GraphExec> fill_exec(HostDevice& device, TestBuffer& buffer) {
  const std::unique_ptr<GraphBuilder> graph = device.begin();
  graph->fill({}, {0, 0}, 0, 8);
  const Binding binding = buffer.binding();
  return device.instantiate(*graph, {&binding, 1});
}

TEST(HostDevice, RacesBetweenStreamsAreFound) {
  HostDevice device;
  device.set_modes({.check_accesses = true});
  TestBuffer buffer{1, 2};
  const std::unique_ptr<GraphExec> exec = fill_exec(device, buffer);
  const StreamId side = device.make_stream();
  exec->launch(StreamId{});
  EXPECT_THROW(exec->launch(side), InternalError);
  device.wait(side, device.record(StreamId{}));
  EXPECT_NO_THROW(exec->launch(side));
  EXPECT_THROW(exec->launch(StreamId{}), InternalError);
  device.synchronize(side);
  EXPECT_NO_THROW(exec->launch(StreamId{}));
}

TEST(HostDevice, GraphsOfAnotherDeviceAreRefused) {
  HostDevice device;
  HostDevice other;
  const std::unique_ptr<GraphBuilder> graph = device.begin();
  EXPECT_THROW(other.instantiate(*graph, {}), Error);
  EXPECT_THROW(device.kernel(KernelId{0}), Error);
}

// Whichever device call fails, the program can go on as if it had not been made.
TEST(HostDevice, AnyCallMayFail) {
  HostDevice device;
  const KernelId kernel = add_kernel(device, add_scalar);
  TestBuffer buffer{0};
  TestBuffer other{100};
  int64_t failures = 0;
  // Repeats an action until it works, as a caller that falls back and tries again would.
  const auto insist = [&](const std::function<void()>& action) {
    for (int turn = 0; turn < 2; ++turn) {
      try {
        return action();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
        ++failures;
      }
    }
    FAIL() << "one call fails once";
  };
  const auto program = [&] {
    buffer.values[0] = 0;
    other.values[0] = 100;
    std::unique_ptr<GraphBuilder> graph;
    insist([&] { graph = device.begin(); });
    const Ref pointers[] = {{0, 0}, {0, 0}};
    const int64_t scalar = 3;
    const int64_t extent = 1;
    NodeId node;
    const KernelLaunch launch{kernel, pointers, {&scalar, 1}, {&extent, 1}, {}};
    insist([&] { node = graph->kernel({}, launch); });
    insist([&] { node = graph->kernel({&node, 1}, launch); });
    EXPECT_EQ(node.index, 1);
    const Binding binding = buffer.binding();
    std::unique_ptr<GraphExec> exec;
    insist([&] { exec = device.instantiate(*graph, {&binding, 1}); });
    insist([&] { exec->launch(StreamId{}); });
    EXPECT_EQ(buffer.values[0], 6);
    const Patch patches[] = {BindBuffer{0, other.binding()}, SetScalar{node, 0, 5}};
    insist([&] { exec->patch(patches); });
    insist([&] { exec->launch(StreamId{}); });
    EXPECT_EQ(buffer.values[0], 6);
    EXPECT_EQ(other.values[0], 108);
  };
  program();
  const int64_t calls = device.counters().calls;
  EXPECT_EQ(calls, 7);
  for (int64_t n = 1; n <= calls; ++n) {
    device.fail_call(n);
    program();
    EXPECT_EQ(failures, n);
  }
}

TEST(HostDevice, ArenaCallsMayFail) {
  HostDevice device;
  device.fail_call(1);
  EXPECT_THROW(device.reserve(1 << 20), Error);
  const std::shared_ptr<Arena> arena = device.reserve(1 << 20);
  device.fail_call(1);
  EXPECT_THROW(arena->commit(100), Error);
  EXPECT_EQ(arena->committed(), 0U);
  EXPECT_NO_THROW(arena->commit(100));
}

}  // namespace
}  // namespace litz::runtime
