#include "passes/overlap/memory_outlook.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace litz::passes {
namespace {

TEST(MemoryOutlook, EqualsASlowOne) {
  std::mt19937 random(7);
  for (const size_t moments : {0, 1, 5, 64, 100}) {
    std::vector<double> slow;
    for (size_t i = 0; i < moments; ++i) slow.push_back(static_cast<double>(random() % 100));
    MemoryOutlook outlook(slow);
    for (int step = 0; step < 200; ++step) {
      const size_t begin = random() % (moments + 1);
      const size_t end = begin + random() % (moments - begin + 1);
      if (step % 2 == 0) {
        const double bytes = static_cast<double>(random() % 50);
        outlook.add(begin, end, bytes);
        for (size_t i = begin; i < end; ++i) slow[i] += bytes;
      }
      double most = 0;
      for (size_t i = begin; i < end; ++i) most = std::max(most, slow[i]);
      EXPECT_EQ(outlook.most(begin, end), most);
    }
  }
}

}  // namespace
}  // namespace litz::passes
