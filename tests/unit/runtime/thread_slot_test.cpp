#include "runtime/thread_slot.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(ThreadSlot, ThreadsTakeTheSmallestFreeNumber) {
  constexpr size_t kMany = 1000;
  const size_t own = thread_slot(kMany);
  EXPECT_EQ(thread_slot(kMany), own);
  EXPECT_EQ(thread_slot(1), 0U);
  size_t first = 0;
  size_t second = 0;
  std::thread([&] {
    first = thread_slot(kMany);
    std::thread([&] { second = thread_slot(kMany); }).join();
  }).join();
  EXPECT_NE(first, own);
  EXPECT_NE(second, own);
  EXPECT_NE(second, first);
  std::thread([&] { EXPECT_EQ(thread_slot(kMany), std::min(first, second)); }).join();
}

}  // namespace
}  // namespace litz::runtime
