#include "support/arena.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(Arena, KeepsAddressesAndAlignment) {
  Arena arena;
  const std::span<int64_t> first = arena.make_array<int64_t>(10);
  first[3] = 7;
  for (int i = 0; i < 10'000; ++i) {
    arena.allocate(1, 1);
    const std::span<double> aligned = arena.make_array<double>(17);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(aligned.data()) % alignof(double), 0u);
    ASSERT_EQ(aligned[16], 0.0);
  }
  EXPECT_EQ(first[3], 7);
}

TEST(Arena, ServesRequestsLargerThanABlock) {
  Arena arena;
  const std::span<std::byte> large = arena.make_array<std::byte>(20 << 20);
  large.back() = std::byte{1};
  EXPECT_EQ(large.size(), size_t{20} << 20);
  EXPECT_TRUE(arena.make_array<int>(0).empty());
  EXPECT_NE(arena.allocate(0, 1), nullptr);
}

}  // namespace
}  // namespace litz
