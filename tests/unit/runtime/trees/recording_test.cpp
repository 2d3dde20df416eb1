#include "runtime/trees/recording.h"

#include <array>

#include <gtest/gtest.h>

namespace litz::runtime::trees {
namespace {

TEST(Recording, joins_ranges_that_touch) {
  std::array<std::byte, 100> bytes{};
  std::byte* const at = bytes.data();
  const auto joined_ranges =
      joined({{at + 50, 10}, {at, 10}, {at + 10, 5}, {at + 12, 10}, {at + 90, 0}});
  ASSERT_EQ(joined_ranges.size(), 2U);
  EXPECT_EQ(joined_ranges[0], (Range{at, 22}));
  EXPECT_EQ(joined_ranges[1], (Range{at + 50, 10}));
}

}  // namespace
}  // namespace litz::runtime::trees
