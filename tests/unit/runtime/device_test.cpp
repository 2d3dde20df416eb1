#include "runtime/device.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// What only cards have is refused with the device's name.
TEST(GraphDevice, TheHostHasNoStreamsAndMemoryOfCallers) {
  HostStream host;
  EXPECT_THROW(host.device.callers_stream(nullptr), Error);
  EXPECT_THROW(host.device.lend({}, nullptr, std::nullopt), Error);
  GraphDevice& device = host.device;
  EXPECT_EQ(device.begin_call(), StreamId{});
  device.end_call({});
  EXPECT_EQ(device.memory_use().peak_bytes, 0U);
  EXPECT_EQ(device.allocate_on({}, 64)->size(), 64U);
}

}  // namespace
}  // namespace litz::runtime
