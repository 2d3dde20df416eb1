// Blocks of attention: their number follows from the sizes of the result.

#include "schedule/blocks/attention_schedule.h"

#include <gtest/gtest.h>

#include "loops/attention_kernel.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

class AttentionScheduleTest : public testing::Test {
 protected:
  Schedule made(const loops::AttentionText& text) {
    return make_block_schedule(loops::parse_kernel(loops::attention_kernel(text), pool_));
  }

  ExprPool pool_;
};

TEST_F(AttentionScheduleTest, ABlockTakesSomeRowsOfOneMatrix) {
  const Schedule schedule = made({.batch = "2, 3", .rows = "130"});
  ASSERT_EQ(schedule.phases.size(), 1U);
  EXPECT_EQ(schedule.phases[0].iterations, Expr(2 * 3 * 3));
  EXPECT_EQ(schedule.phases[0].grain, 1);
  EXPECT_EQ(schedule.phases[0].block.threads, kAttentionThreads);
  EXPECT_TRUE(schedule.scalars.empty());
}

TEST_F(AttentionScheduleTest, SizesThatOnlyACallKnowsAreScalars) {
  const Expr rows = pool_.add_symbol({.name = "s0", .range = {0, 1000}});
  const Expr keys = pool_.add_symbol({.name = "s1", .range = {0, 1000}});
  const Schedule schedule = made({.batch = "2", .rows = "s0", .keys = "s1"});
  EXPECT_EQ(schedule.scalars, (std::vector<SymbolId>{rows.symbol(), keys.symbol()}));
  Bindings sizes;
  sizes.set(rows.symbol(), 65);
  EXPECT_EQ(evaluate(schedule.phases[0].iterations, sizes), 4);
}

TEST_F(AttentionScheduleTest, HalvesOfFewColumnsAndDimensions) {
  EXPECT_TRUE(can_attend(DType::bf16, 64, 128, 3));
  EXPECT_FALSE(can_attend(DType::f32, 64, 64, 2));
  EXPECT_FALSE(can_attend(DType::f16, 256, 64, 2));
  EXPECT_FALSE(can_attend(DType::f16, 64, -1, 2));
  EXPECT_FALSE(can_attend(DType::f16, 64, 64, 4));
}

}  // namespace
}  // namespace litz::schedule
