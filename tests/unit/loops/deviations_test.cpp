#include "loops/deviations.h"

#include <gtest/gtest.h>

namespace litz::loops {
namespace {

/// Whether the second sum is found to be of deviations from the mean of the first one.
bool finds_sum(const std::string& mean, const std::string& difference, const std::string& square,
               const std::string& extent = "100") {
  ExprPool pool;
  const Kernel kernel = parse_kernel(R"(kernel @k(%x: f32[100, 8], out %y: f32[8]) {
  %c = const f32 100.0
  %h = const f32 0.01
  for j in 0..8 {
    %s = reduce sum i in 0..100 {
      %v = load %x[i, j]
      yield %v
    }
    %m = )" + mean + R"(
    %q = reduce sum k in 0..)" + extent + R"( {
      %w = load %x[k, j]
      %d = )" + difference + R"(
      %p = )" + square + R"(
      yield %p
    }
    store %y[j], %q
  }
}
)",
                                     pool);
  const Block& block = *kernel.body.instrs[2].blocks[0];
  const Instr* sum = sum_of_mean(kernel, block, block.instrs[2]);
  EXPECT_TRUE(sum == nullptr || sum == &block.instrs[0]);
  EXPECT_EQ(sum_of_mean(kernel, block, block.instrs[0]), nullptr);
  return sum != nullptr;
}

TEST(Deviations, AreSquaredDifferencesFromTheMean) {
  EXPECT_TRUE(finds_sum("div %s, %c", "sub %w, %m", "mul %d, %d"));
  EXPECT_TRUE(finds_sum("mul %s, %h", "sub %w, %m", "mul %d, %d"));
}

TEST(Deviations, OfOtherShapes) {
  EXPECT_FALSE(finds_sum("div %s, %h", "sub %w, %m", "mul %d, %d"));
  EXPECT_FALSE(finds_sum("mul %s, %c", "sub %w, %m", "mul %d, %d"));
  EXPECT_FALSE(finds_sum("div %s, %c", "sub %m, %w", "mul %d, %d"));
  EXPECT_FALSE(finds_sum("div %s, %c", "add %w, %m", "mul %d, %d"));
  EXPECT_FALSE(finds_sum("div %s, %c", "sub %w, %m", "mul %d, %w"));
  EXPECT_FALSE(finds_sum("div %s, %c", "sub %w, %s", "mul %d, %d"));
  EXPECT_FALSE(finds_sum("div %s, %c", "sub %w, %m", "mul %d, %d", "50"));
}

}  // namespace
}  // namespace litz::loops
