#include "runtime/program/output_pool.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "host_stream.h"

namespace litz::runtime {
namespace {

constexpr size_t kLarge = 1 << 20;
constexpr size_t kSmall = 64 << 10;  // The least that is kept.

TEST(OutputPool, GivesAgainWhatWasDropped) {
  HostStream host;
  OutputPool pool(host.device, 8);
  std::shared_ptr<Storage> first = pool.take(kLarge);
  const Storage* const known = first.get();
  std::shared_ptr<Storage> second = pool.take(kLarge);
  EXPECT_NE(second.get(), known);  // The first is in use.
  first.reset();
  EXPECT_EQ(pool.take(kLarge).get(), known);
}

TEST(OutputPool, FitsAreClose) {
  HostStream host;
  OutputPool pool(host.device, 8);
  const Storage* const known = pool.take(kLarge).get();
  EXPECT_NE(pool.take(kLarge / 2).get(), known);
  EXPECT_NE(pool.take(kLarge + 1).get(), known);
  EXPECT_EQ(pool.take(kLarge - kLarge / 8).get(), known);
}

// Run it under the thread sanitizer, too.
TEST(OutputPool, ThreadsPassMemoryOn) {
  constexpr int kThreads = 4;
  constexpr int kTurns = 300;
  HostStream host;
  OutputPool pool(host.device, kThreads + 1);
  std::latch start(kThreads);
  std::atomic<int> disturbed = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int turn = 0; turn < kTurns; ++turn) {
        const std::shared_ptr<Storage> block = pool.take(kSmall);
        const auto mark = static_cast<std::byte>(thread * 50 + turn % 50);
        std::fill_n(block->mutable_data(), kSmall, mark);
        std::this_thread::yield();
        const auto* const end = block->data() + kSmall;
        if (std::count(block->data(), end, mark) != static_cast<ptrdiff_t>(kSmall)) ++disturbed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disturbed, 0);
}

TEST(OutputPool, ForgetsTheOldest) {
  HostStream host;
  OutputPool pool(host.device, 2);
  std::weak_ptr<Storage> first = pool.take(kLarge);
  pool.take(2 * kLarge);
  EXPECT_FALSE(first.expired());
  pool.take(4 * kLarge);
  EXPECT_TRUE(first.expired());
}

TEST(OutputPool, KeepsNothingSmall) {
  HostStream host;
  OutputPool pool(host.device, 8);
  std::weak_ptr<Storage> small = pool.take(100);
  EXPECT_TRUE(small.expired());
}

}  // namespace
}  // namespace litz::runtime
