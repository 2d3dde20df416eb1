#include "runtime/program/arena_planner.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

class ArenaPlannerTest : public testing::Test {
 protected:
  ExprPool pool_;
  Expr n_ = pool_.add_symbol({.name = "s0", .range = {0, 1000}});
  std::vector<artifact::ArenaBlock> blocks_{{4 * n_, 0, 1}, {4 * n_, 2, 3}, {8 * n_ - 80, 1, 2}};
  ArenaPlanner planner_{blocks_};
};

TEST_F(ArenaPlannerTest, BlocksShareWhatIsDead) {
  Bindings sizes;
  sizes.set(n_.symbol(), 32);
  const artifact::ArenaLayout layout = planner_.plan(sizes);
  EXPECT_EQ(layout.bytes, 128 + 192);
  ASSERT_EQ(layout.ranges.size(), 3U);
  EXPECT_EQ(layout.ranges[0].offset, layout.ranges[1].offset);
  EXPECT_EQ(layout.ranges[2].bytes, 192);
}

TEST_F(ArenaPlannerTest, ABoxHasRoomForAllItsSizes) {
  const auto layout = planner_.plan(SizeBox({{n_.symbol(), {17, 32}}}));
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->ranges[0].bytes, 128);
  EXPECT_EQ(layout->ranges[2].bytes, 192);
}

TEST_F(ArenaPlannerTest, NegativeSizesAreRefused) {
  Bindings sizes;
  sizes.set(n_.symbol(), 5);  // 8 * 5 - 80
  EXPECT_THROW(planner_.plan(sizes), Error);
}

}  // namespace
}  // namespace litz::runtime
