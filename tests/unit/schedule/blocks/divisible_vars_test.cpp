// Which variables threads may divide, by the stores inside.

#include <gtest/gtest.h>

#include "schedule/blocks/block_rewriting.h"

namespace litz::schedule {
namespace {

/// One letter per variable of the first loop: whether it is divisible.
std::string divisible(const std::string& store) {
  ExprPool pool;
  loops::Kernel kernel = loops::parse_kernel(
      "kernel @k(%n: i64[9], %x: f32[9, 8], %m: i64[9], out %y: f32[20, 8], "
      "out %z: i64[20, 8]) {\n"
      "  for i in 0..9, j in 0..8 {\n    %0 = load %n[i]\n"
      "    %1 = load %x[i, j]\n    %2 = load %m[i]\n    " +
          store + "\n  }\n}\n",
      pool);
  mark_divisible(kernel);
  std::string letters;
  for (const loops::LoopVar& var : kernel.body.instrs[0].vars)
    letters += var.is_parallel ? 'y' : 'n';
  return letters;
}

TEST(DivisibleVars, AllOfLoopsThatStoreToTheirOwnPlaces) {
  EXPECT_EQ(divisible("store %y[i, j], %1"), "yy");
}

TEST(DivisibleVars, EqualIndicesMeetAtOneElement) {
  EXPECT_EQ(divisible("store %y[%0, j], %1"), "ny");
  EXPECT_EQ(divisible("store %y[%0, %0], %1"), "nn");
}

TEST(DivisibleVars, SumsNeedTheirOrder) {
  EXPECT_EQ(divisible("store add %y[%0, j], %1"), "ny");
  // Windows overlap, so neither coordinate tells elements apart.
  EXPECT_EQ(divisible("store add %y[i + j, 0], %1"), "nn");
}

TEST(DivisibleVars, WholeNumbersMeetInAnyOrder) {
  EXPECT_EQ(divisible("store add any_order %z[%0, j], %2"), "yy");
}

}  // namespace
}  // namespace litz::schedule
