#include "support/thread_pool.h"

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(ThreadPool, CoversTheRangeOnce) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.size(), 4);
  for (const int64_t count : {0, 1, 3, 4, 5, 1000, 1001}) {
    std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
    pool.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
    });
    for (const std::atomic<int>& hit : hits) ASSERT_EQ(hit.load(), 1);
  }
}

TEST(ThreadPool, CutsAtFixedPlaces) {
  ThreadPool pool(3);
  std::set<std::pair<int64_t, int64_t>> first;
  for (int run = 0; run < 50; ++run) {
    std::set<std::pair<int64_t, int64_t>> pieces;
    std::mutex mutex;
    pool.parallel_for(100, 10, [&](int64_t begin, int64_t end) {
      const std::lock_guard lock(mutex);
      pieces.emplace(begin, end);
    });
    if (run == 0) first = pieces;
    ASSERT_EQ(pieces, first);
  }
  EXPECT_EQ(first, (std::set<std::pair<int64_t, int64_t>>{{0, 34}, {34, 67}, {67, 100}}));
}

TEST(ThreadPool, HonoursTheGrain) {
  ThreadPool pool(8);
  std::atomic<int> pieces{0};
  pool.parallel_for(100, 60, [&](int64_t, int64_t) { ++pieces; });
  EXPECT_EQ(pieces, 1);
  pieces = 0;
  pool.parallel_for(100, 30, [&](int64_t begin, int64_t end) {
    EXPECT_GE(end - begin, 30);
    ++pieces;
  });
  EXPECT_EQ(pieces, 3);
}

TEST(ThreadPool, ServesSeveralCallersAndNests) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int run = 0; run < 100; ++run) {
        pool.parallel_for(8, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            pool.parallel_for(4, 1, [&](int64_t first, int64_t last) { sum += last - first; });
          }
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 100 * 8 * 4);
}

TEST(ThreadPool, PassesTheFirstExceptionOn) {
  ThreadPool pool(2);
  for (int run = 0; run < 20; ++run) {
    EXPECT_THROW(pool.parallel_pieces(50,
                                      [](int64_t piece) {
                                        if (piece == 7) throw std::runtime_error("seven");
                                      }),
                 std::runtime_error);
  }
  std::atomic<int> done{0};
  pool.parallel_pieces(5, [&](int64_t) { ++done; });
  EXPECT_EQ(done, 5);
}

TEST(ThreadPool, WorksWithOneThread) {
  ThreadPool pool(1);
  const std::thread::id caller = std::this_thread::get_id();
  pool.parallel_pieces(3, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  EXPECT_GE(ThreadPool::available_cpus(), 1);
}

TEST(ThreadPool, WhatPiecesWriteIsVisibleToTheCaller) {
  ThreadPool pool(4);
  std::vector<int64_t> values(10'000);  // Not atomic: a race here is a bug of the pool.
  for (int run = 0; run < 20; ++run) {
    pool.parallel_for(static_cast<int64_t>(values.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), 20 * 9999 * 5000);
}

}  // namespace
}  // namespace litz
