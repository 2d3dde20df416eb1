#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Schedule copy(ExprPool& pool, const std::string& source, const std::string& result,
              const std::string& store = "store") {
  return make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: " + source + ", out %y: " + result +
          ") {\n  for i in 0..900, j in 0..777 {\n    %0 = load %x[i, j]\n    " + store +
          " %y[i, j], %0\n  }\n}\n",
      pool));
}

TEST(FlatStores, RowsOfOddLengthAreStoredEightAtATime) {
  ExprPool pool;
  const Schedule schedule = copy(pool, "bf16[900, 777]{784, 1}", "bf16[900, 777]");
  EXPECT_THAT(schedule.flat, SizeIs(1));
  EXPECT_EQ(schedule.width_of(*schedule.loop_of(schedule.phases[0])), 8);
  ASSERT_THAT(schedule.wide, SizeIs(1));
  EXPECT_EQ((*schedule.wide.begin())->kind, loops::InstrKind::store);
  EXPECT_EQ(schedule.phases[0].grain, 8 * schedule.phases[0].block.threads);
}

TEST(FlatStores, LoadsOfTheSameElementsAreWideToo) {
  ExprPool pool;
  EXPECT_THAT(copy(pool, "bf16[900, 777]", "bf16[900, 777]").wide, SizeIs(2));
}

TEST(FlatStores, ThreadsStoreWideElementsOneAfterTheOther) {
  ExprPool pool;
  EXPECT_THAT(copy(pool, "f32[900, 777]{784, 1}", "f32[900, 777]").flat, IsEmpty());
}

TEST(FlatStores, RowsThatAreApartAreStoredOneByOne) {
  ExprPool pool;
  EXPECT_THAT(copy(pool, "bf16[900, 777]", "bf16[900, 777]{785, 1}").flat, IsEmpty());
}

TEST(FlatStores, TransposedLoadsGoThroughSquares) {
  ExprPool pool;
  EXPECT_THAT(copy(pool, "bf16[900, 777]{1, 900}", "bf16[900, 777]").flat, IsEmpty());
}

}  // namespace
}  // namespace litz::schedule
