#include "runtime/program/arena_pool.h"

#include <gtest/gtest.h>

#include "host_stream.h"

namespace litz::runtime {
namespace {

TEST(ArenaPool, SizesComeInSteps) {
  EXPECT_EQ(arena_size(0), 4096U);
  EXPECT_EQ(arena_size(4096), 4096U);
  EXPECT_EQ(arena_size(4097), 5120U);
  EXPECT_EQ(arena_size(5000), arena_size(5120));
  for (const size_t bytes : {10'000U, 65'537U, 1'000'000U, 123'456'789U}) {
    EXPECT_GE(arena_size(bytes), bytes);
    EXPECT_LE(arena_size(bytes), bytes + bytes / 4 + 1);
  }
}

TEST(ArenaPool, OneCallAtATimeNeedsOneArena) {
  HostStream host;
  ArenaPool pool(host.device);
  const auto small = pool.take(5000);
  ArenaPool::give_back(*small);
  const auto again = pool.take(100);
  EXPECT_EQ(again, small);
  ArenaPool::give_back(*again);
  const std::byte* const base = small->memory->address();
  const auto large = pool.take(100'000);
  EXPECT_EQ(large, small);  // It has grown,
  EXPECT_EQ(large->memory->address(), base);
  EXPECT_EQ(pool.bytes(), arena_size(100'000));
  ArenaPool::give_back(*large);
  EXPECT_EQ(pool.take(5000), large);
  EXPECT_EQ(pool.bytes(), arena_size(100'000));  // and never shrinks.
}

TEST(ArenaPool, WhatOutgrowsItsAddressesIsReplaced) {
  HostStream host;
  ArenaPool pool(host.device);
  const auto small = pool.take(5000);
  ArenaPool::give_back(*small);
  const auto large = pool.take(size_t{300} << 20);
  EXPECT_TRUE(small->is_dropped);
  EXPECT_FALSE(large->is_dropped);
  EXPECT_NE(large->memory->address(), small->memory->address());
}

TEST(ArenaPool, CallsAtOnceHaveTheirOwn) {
  HostStream host;
  ArenaPool pool(host.device);
  const auto first = pool.take(5000);
  const auto second = pool.take(5000);
  EXPECT_NE(first, second);
  const auto third = pool.take(100'000);
  EXPECT_FALSE(first->is_dropped);  // In use.
  ArenaPool::give_back(*second);
  EXPECT_EQ(pool.take(4000), second);
  ArenaPool::give_back(*second);
  ArenaPool::give_back(*third);
  EXPECT_EQ(pool.take(5000), second);  // Not the larger one.
  EXPECT_EQ(pool.bytes(), 2 * arena_size(5000) + arena_size(100'000));
}

}  // namespace
}  // namespace litz::runtime
