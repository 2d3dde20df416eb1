#include "support/thread_pool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/check.h"
#include "support/log.h"

namespace litz {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 4, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int64_t tasks : {0, 1, 2, 3, 4, 5, 100, 1001}) {
      std::vector<int> hits(static_cast<size_t>(tasks));  // Not atomic: one thread a task.
      pool.parallel(tasks, [&](int64_t task) { ++hits[static_cast<size_t>(task)]; });
      for (const int hit : hits) ASSERT_EQ(hit, 1);
    }
  }
}

// The caller's writes reach the tasks, and theirs the caller, without more synchronisation.
TEST(ThreadPool, ManyJobsInARow) {
  ThreadPool pool(3);
  std::vector<int64_t> values(64, 0);
  for (int run = 0; run < 20000; ++run) {
    const auto tasks = static_cast<int64_t>(1 + run % 64);
    pool.parallel(tasks, [&](int64_t task) { values[static_cast<size_t>(task)] += task; });
  }
  int64_t expected = 0;
  for (int run = 0; run < 20000; ++run) expected += run % 64 >= 5 ? 5 : 0;
  EXPECT_EQ(values[5], expected);
}

// Stacks of half the address space: one thread starts at most.
TEST(ThreadPool, GoesOnWithTheThreadsThatStart) {
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t huge;
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  set_log_level(LogLevel::off);
  ThreadPool pool(8);
  set_log_level(LogLevel::warning);
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_GE(pool.threads(), 1);
  EXPECT_LT(pool.threads(), 8);
  std::atomic<int64_t> sum{0};
  pool.parallel(100, [&](int64_t task) { sum += task; });
  EXPECT_EQ(sum, 4950);
}

TEST(ThreadPool, HasAMostNumberOfThreads) {
  EXPECT_EQ(ThreadPool::kMostThreads, 1024);  // As documented to users.
}

TEST(ThreadPool, SleepersWakeUp) {
  ThreadPool pool(4);
  for (int run = 0; run < 20; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // Longer than workers spin.
    std::atomic<int> sum{0};
    pool.parallel(4, [&](int64_t task) {
      sum += static_cast<int>(task);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // Longer than the caller spins.
    });
    ASSERT_EQ(sum, 6);
  }
}

// Tasks 0, 1 must run at the same time: one of them waits for the other.
TEST(ThreadPool, BlocksRunAtTheSameTime) {
  ThreadPool pool(2);
  std::atomic<bool> is_started{false};
  pool.parallel(2, [&](int64_t task) {
    if (task == 1) {
      is_started = true;
    } else {
      while (!is_started) std::this_thread::yield();
    }
  });
}

TEST(ThreadPool, LowestFailureWins) {
  ThreadPool pool(4);
  for (int run = 0; run < 200; ++run) {
    std::array<std::atomic<bool>, 16> done{};
    try {
      pool.parallel(16, [&](int64_t task) {
        done[static_cast<size_t>(task)] = true;
        if (task == 6 || task == 7 || task == 13) throw std::runtime_error(std::to_string(task));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "6");
    }
    for (size_t task = 0; task <= 6; ++task) EXPECT_TRUE(done[task]) << task;
  }
  int64_t sum = 0;
  pool.parallel(1, [&](int64_t) { sum = 1; });
  EXPECT_EQ(sum, 1);
}

// A thread is held up in its first task: others run the rest of its block.
TEST(ThreadPool, OthersTakeOverFromALateThread) {
  ThreadPool pool(2);
  for (const int64_t late : {0, 50}) {
    std::atomic<int> others{0};
    pool.parallel(100, [&](int64_t task) {
      if (task != late) {
        ++others;
        return;
      }
      while (others < 99) std::this_thread::yield();
    });
    EXPECT_EQ(others, 99);
  }
}

TEST(ThreadPool, NumbersOfThreadsAreUsedInTurn) {
  ThreadPool pool(4);
  std::array<std::atomic<int>, 3> users{};
  std::atomic<int> errors{0};
  pool.parallel_by_thread(2000, 3, [&](int64_t /*task*/, int64_t thread) {
    if (thread < 0 || thread >= 3) {
      ++errors;
      return;
    }
    std::atomic<int>& mine = users[static_cast<size_t>(thread)];
    if (mine.fetch_add(1) != 0) ++errors;
    std::this_thread::yield();
    --mine;
  });
  EXPECT_EQ(errors, 0);
}

// Turns of threads end within it, so that threads leave the job and come back.
TEST(ThreadPool, LongJobsAreFinished) {
  ThreadPool pool(4);
  std::vector<int> hits(400);
  pool.parallel(400, [&](int64_t task) {
    ++hits[static_cast<size_t>(task)];
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(300);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  for (const int hit : hits) ASSERT_EQ(hit, 1);
}

// Two threads on one CPU do the work of one.
TEST(ThreadPool, WorkersLeaveTheCpuOfTheCaller) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  ASSERT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
  if (CPU_COUNT(&usable) < 2) GTEST_SKIP() << "there is one CPU";
  ThreadPool pool(2);
  size_t first = 0;
  while (!CPU_ISSET(first, &usable)) ++first;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> elsewhere{0};  // The system may bring the worker back.
    for (int run = 0; run < 200; ++run) {
      std::atomic<bool> is_joined{false};
      pool.parallel(2, [&](int64_t task) {
        const bool is_worker = std::this_thread::get_id() != caller;
        if (is_worker && ::sched_getcpu() != static_cast<int>(first)) ++elsewhere;
        if (task == 1) is_joined = true;
        while (task == 0 && !is_joined) std::this_thread::yield();
      });
    }
    EXPECT_GT(elsewhere, 0);
  }).join();
}

TEST(ThreadPool, NestedCallsRunInline) {
  ThreadPool pool(3);
  std::atomic<int> hits{0};
  pool.parallel(6, [&](int64_t) {
    const std::thread::id self = std::this_thread::get_id();
    pool.parallel(5, [&](int64_t) { hits += std::this_thread::get_id() == self ? 1 : 100; });
  });
  EXPECT_EQ(hits, 30);
}

TEST(ThreadPool, ManyCallers) {
  ThreadPool pool(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int run = 0; run < 2000; ++run) {
        std::atomic<int64_t> sum{0};
        pool.parallel(10, [&](int64_t task) { sum += task; });
        total += sum;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 2000 * 45);
}

TEST(ThreadPool, FailureWhileOthersCall) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  std::atomic<int> failures{0};
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int run = 0; run < 500; ++run) {
        try {
          pool.parallel(4, [&](int64_t task) {
            if (task == 3) throw std::runtime_error("3");
          });
        } catch (const std::runtime_error&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(failures, 1500);
}

TEST(ThreadPool, PiecesAreWorthHandingOver) {
  const ThreadPool pool(3);
  const double least = ThreadPool::kHandoverNanoseconds;
  EXPECT_EQ(ThreadPool::worthwhile_threads(&pool, 0), 1);
  EXPECT_EQ(ThreadPool::worthwhile_threads(&pool, 1.9 * least), 1);
  EXPECT_EQ(ThreadPool::worthwhile_threads(&pool, 2 * least), 2);
  EXPECT_EQ(ThreadPool::worthwhile_threads(&pool, 1e30), 3);
  EXPECT_EQ(ThreadPool::worthwhile_threads(nullptr, 1e30), 1);
}

TEST(ThreadPool, LongWorkIsDividedFinely) {
  const ThreadPool pool(3);
  const double task = ThreadPool::kTaskNanoseconds;
  EXPECT_EQ(ThreadPool::worthwhile_tasks(&pool, 0), 1);
  EXPECT_EQ(ThreadPool::worthwhile_tasks(&pool, 2 * ThreadPool::kHandoverNanoseconds), 2);
  EXPECT_EQ(ThreadPool::worthwhile_tasks(&pool, 3 * task), 3);
  EXPECT_EQ(ThreadPool::worthwhile_tasks(&pool, 12 * task), 12);
  EXPECT_EQ(ThreadPool::worthwhile_tasks(&pool, 1e30), 3 * ThreadPool::kMostTasksPerThread);
  EXPECT_EQ(ThreadPool::worthwhile_tasks(nullptr, 1e30), 1);
}

TEST(ThreadPool, ChunksAreEqualShares) {
  for (const int64_t chunks : {1, 3, 16}) {
    for (const int64_t total : {int64_t{0}, int64_t{2}, int64_t{20}, INT64_MAX}) {
      EXPECT_EQ(chunk_begin(total, chunks, 0), 0);
      EXPECT_EQ(chunk_begin(total, chunks, chunks), total);
      for (int64_t i = 0; i < chunks; ++i) {
        const int64_t share = chunk_begin(total, chunks, i + 1) - chunk_begin(total, chunks, i);
        EXPECT_TRUE(share == total / chunks || share == total / chunks + 1);
      }
    }
  }
}

TEST(ThreadPool, ZeroTakesWhatTheProcessMayUse) {
  EXPECT_EQ(ThreadPool(0).threads(), ThreadPool::available_cpus());
}

TEST(ThreadPool, ThreadsStayOnTheirCpus) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  ASSERT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
  int first = 0;
  while (!CPU_ISSET(first, &usable)) ++first;
  const int cpus[] = {first};
  ThreadPool pool(3, cpus);
  EXPECT_EQ(pool.threads(), 3);
  std::atomic<int> elsewhere{0};
  const std::thread::id caller = std::this_thread::get_id();
  pool.parallel(3, [&](int64_t /*task*/) {
    if (std::this_thread::get_id() != caller && ::sched_getcpu() != first) ++elsewhere;
  });
  EXPECT_EQ(elsewhere, 0);
  const int unusable[] = {-1};
  EXPECT_THROW(ThreadPool(2, unusable), Error);
}

}  // namespace
}  // namespace litz
