#include "runtime/sim/sim_memory.h"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(SimMemory, BytesLieElsewhere) {
  SimMemory memory;
  std::byte* const address = memory.allocate(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 256, 0U);
  std::byte* const bytes = memory.bytes_of(address);
  EXPECT_NE(bytes, address);
  std::memset(bytes, 7, 1000);
  EXPECT_EQ(memory.bytes_of(address + 999)[0], std::byte{7});
  EXPECT_EQ(memory.bytes_of(nullptr), nullptr);
  int local = 0;
  EXPECT_THROW(memory.bytes_of(reinterpret_cast<std::byte*>(&local)), InternalError);
  EXPECT_THROW(memory.allocate(size_t{1} << 40), Error);
}

TEST(SimMemoryDeathTest, TheHostCannotReadIt) {
  SimMemory memory;
  const std::byte* const address = memory.allocate(8);
  EXPECT_DEATH({ std::exit(static_cast<int>(*static_cast<const volatile std::byte*>(address))); },
               "");
}

TEST(SimMemory, KnowsWhatIsAllocated) {
  SimMemory memory;
  std::byte* const first = memory.allocate(100);
  std::byte* const second = memory.allocate(256);
  EXPECT_TRUE(memory.is_live(first, 100));
  EXPECT_TRUE(memory.is_live(first + 100, 0));
  EXPECT_FALSE(memory.is_live(first, 101));
  EXPECT_FALSE(memory.is_live(second + 200, 57));
  EXPECT_GE(second - first, 100);
  memory.free(second);
  EXPECT_FALSE(memory.is_live(second, 1));
  EXPECT_THROW(memory.free(second), InternalError);
}

// Work that was given before memory came back may still use it.
TEST(SimMemory, IsUsedAgainOnceWorkHasRun) {
  SimMemory memory;
  std::byte* const address = memory.allocate(1 << 20);
  memory.note_given(5);
  memory.free(address);
  memory.note_finished_below(5);
  std::byte* const other = memory.allocate(1 << 20);
  EXPECT_NE(other, address);
  memory.note_finished_below(6);
  EXPECT_EQ(memory.allocate(1 << 20), address);
}

TEST(SimMemory, NeighboursAreJoined) {
  SimMemory memory;
  std::byte* blocks[3];
  for (std::byte*& block : blocks) block = memory.allocate(1000);
  for (const int i : {0, 2, 1}) memory.free(blocks[i]);
  memory.note_finished_below(1);
  EXPECT_EQ(memory.allocate(3000), blocks[0]);
}

}  // namespace
}  // namespace litz::runtime
