#include "runtime/placement.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(Placement, IsReadFromText) {
  EXPECT_EQ(parse_placement("cpu"), Device{});
  EXPECT_EQ(parse_placement("sim"), (Device{DeviceKind::sim, 0}));
  EXPECT_EQ(parse_placement("sim:2"), (Device{DeviceKind::sim, 2}));
  EXPECT_EQ(parse_placement("cuda"), (Device{DeviceKind::cuda, 0}));
  EXPECT_EQ(parse_placement("cuda:1"), (Device{DeviceKind::cuda, 1}));
  for (const char* text : {"", "gpu", "cpu:1", "meta", "sim:x"}) {
    EXPECT_THROW(parse_placement(text), Error) << text;
  }
}

TEST(Placement, CodeForTheHostRunsOnTheHostOrASimulatedDevice) {
  EXPECT_TRUE(make_host_device(std::nullopt, nullptr)->caps().is_immediate);
  EXPECT_FALSE(make_host_device(Device{DeviceKind::sim, 0}, nullptr)->caps().is_immediate);
  EXPECT_THROW(make_host_device(Device{DeviceKind::cuda, 0}, nullptr), Error);
}

}  // namespace
}  // namespace litz::runtime
