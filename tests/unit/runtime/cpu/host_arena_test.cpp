#include "runtime/cpu/host_arena.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "runtime/cpu/host_device.h"

namespace litz::runtime {
namespace {

TEST(HostArena, GrowsInPlace) {
  HostDevice device;
  const std::shared_ptr<Arena> arena = device.reserve(size_t{1} << 40);  // More than there is.
  std::byte* const base = arena->base();
  EXPECT_EQ(arena->committed(), 0U);
  arena->commit(100);
  EXPECT_GE(arena->committed(), 100U);
  base[99] = std::byte{7};
  arena->commit(10 << 20);
  EXPECT_EQ(arena->base(), base);
  EXPECT_EQ(base[99], std::byte{7});
  EXPECT_EQ(base[(10 << 20) - 1], std::byte{0});
  const size_t committed = arena->committed();
  arena->commit(5);  // Never less.
  EXPECT_EQ(arena->committed(), committed);
  EXPECT_TRUE(arena->contains(base));
  EXPECT_FALSE(arena->contains(base + arena->reserved()));
}

TEST(HostArena, TrimGivesMemoryBack) {
  HostDevice device;
  const std::shared_ptr<Arena> arena = device.reserve(8 << 20);
  arena->commit(4 << 20);
  arena->base()[(2 << 20) + 5] = std::byte{1};
  arena->trim(1 << 20);
  EXPECT_EQ(arena->committed(), size_t{1} << 20);
  arena->commit(4 << 20);
  EXPECT_EQ(arena->base()[(2 << 20) + 5], std::byte{0});
}

TEST(HostArena, LimitsAreKept) {
  HostDevice device;
  const std::shared_ptr<Arena> arena = device.reserve(1 << 20);
  EXPECT_THROW(arena->commit((1 << 20) + 1), Error);
  EXPECT_EQ(arena->committed(), 0U);
  EXPECT_THROW(device.reserve(size_t{1} << 60), Error);
}

TEST(HostArena, FreshMemoryIsPoisonedOnRequest) {
  HostDevice device;
  device.set_modes({.poison = true});
  const std::shared_ptr<Arena> arena = device.reserve(1 << 20);
  arena->commit(1 << 16);
  float single = 0;
  double whole = 0;
  int64_t index = 0;
  std::memcpy(&single, arena->base() + 64, sizeof(single));
  std::memcpy(&whole, arena->base() + 64, sizeof(whole));
  std::memcpy(&index, arena->base() + 64, sizeof(index));
  EXPECT_TRUE(std::isnan(single));
  EXPECT_TRUE(std::isnan(whole));
  EXPECT_LT(index, -1000);
}

TEST(HostArena, FillWordsStartsAtTheLowByte) {
  std::array<std::byte, 8> bytes{};
  fill_words(bytes.data() + 1, 0x04030201, 6);
  const std::array<unsigned char, 8> expected{0, 1, 2, 3, 4, 1, 2, 0};
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), 8), 0);
}

TEST(HostArena, AddressesBelongToLiveArenas) {
  HostDevice device;
  std::shared_ptr<Arena> arena = device.reserve(1 << 16);
  EXPECT_EQ(device.arena_of(arena->base() + 5), arena.get());
  const std::byte* const old = arena->base();
  arena.reset();
  EXPECT_EQ(device.arena_of(old + 5), nullptr);
}

}  // namespace
}  // namespace litz::runtime
