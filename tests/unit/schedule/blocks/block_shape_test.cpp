// Teams for the directions of accesses: along the phase's own variable or along those inside.

#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

BlockShape shape_of(const std::string& rows, const std::string& columns, bool along_rows) {
  ExprPool pool;
  const std::string place = along_rows ? "[i, j]" : "[j, i]";
  const std::string type =
      along_rows ? "[" + rows + ", " + columns + "]" : "[" + columns + ", " + rows + "]";
  const Schedule schedule = make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: f32" + type + ", out %y: f32[" + rows + "]) {\n  for i in 0.." + rows +
          " {\n    %1 = reduce sum j in 0.." + columns + " {\n      %0 = load %x" + place +
          "\n      yield %0\n    }\n    store %y[i], %1\n  }\n}\n",
      pool));
  return schedule.phases.at(0).block;
}

TEST(BlockShape, FewColumnsNeedATeamInSpiteOfTheirAccesses) {
  EXPECT_EQ(shape_of("100000", "4096", false).team, 1);
  EXPECT_GT(shape_of("64", "4096", false).team, 1);
}

TEST(BlockShape, LongRowsNeedMoreThreads) {
  EXPECT_EQ(shape_of("500", "1000", true).team, 128);
  EXPECT_EQ(shape_of("500", "100000", true).team, 1024);
}

TEST(BlockShape, ManyRowsOfFewAccessesAreThoseOfWarps) {
  EXPECT_EQ(shape_of("5000", "1000", true).team, kWarpThreads);
  EXPECT_EQ(shape_of("5000", "2000", true).team, 128);
}

TEST(BlockShape, ManyShortRowsAreThoseOfThreads) {
  EXPECT_EQ(shape_of("1000000", "32", true).team, 1);
  EXPECT_EQ(shape_of("1000", "32", true).team, kWarpThreads);
}

}  // namespace
}  // namespace litz::schedule
