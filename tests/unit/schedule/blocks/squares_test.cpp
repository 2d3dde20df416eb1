#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

Schedule added(ExprPool& pool, const std::string& size, const std::string& other) {
  const std::string type = "f32[" + size + ", " + size + "]";
  return make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: " + type + ", out %y: " + type + ") {\n  for i in 0.." + size + ", j in 0.." +
          size + " {\n    %0 = load %x[i, j]\n    %1 = load %x" + other +
          "\n    %2 = add %0, %1\n    store %y[i, j], %2\n  }\n}\n",
      pool));
}

TEST(Squares, LoadsAcrossTheStoresGoThroughSquares) {
  ExprPool pool;
  const Schedule schedule = added(pool, "100", "[j, i]");
  ASSERT_EQ(schedule.phases.size(), 1U);
  EXPECT_EQ(schedule.phases[0].square_rows, 0U);
  EXPECT_EQ(schedule.transposed.size(), 1U);
  EXPECT_TRUE(schedule.phases[0].iterations.is(4 * 4));
  EXPECT_EQ(schedule.phases[0].grain, 1);
}

TEST(Squares, LoadsAlongTheStoresDoNot) {
  ExprPool pool;
  EXPECT_FALSE(added(pool, "100", "[0, j]").phases[0].square_rows.has_value());
}

TEST(Squares, SmallMatricesAreNotWorthIt) {
  ExprPool pool;
  EXPECT_FALSE(added(pool, "8", "[j, i]").phases[0].square_rows.has_value());
}

}  // namespace
}  // namespace litz::schedule
