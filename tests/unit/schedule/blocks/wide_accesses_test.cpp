// How many neighbours a thread takes, by the accesses of a loop.

#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

/// The width of the first loop of a kernel over rows of elements of this dtype.
int width_of_rows(const std::string& dtype, const std::string& columns,
                  const std::string& body = "    %0 = load %x[i, j]\n    store %y[i, j], %0\n") {
  ExprPool pool;
  const std::string type = dtype + "[512, " + columns + "]";
  const Schedule schedule = make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: " + type + ", %p: bool[512, " + columns + "], out %y: " + type +
          ") {\n  for i in 0..512, j in 0.." + columns + " {\n" + body + "  }\n}\n",
      pool));
  return schedule.width_of(schedule.kernel.body.instrs[0]);
}

TEST(WideAccesses, DivideTheRows) {
  EXPECT_GT(width_of_rows("bf16", "4096"), 1);
  EXPECT_GT(width_of_rows("f32", "4096"), 1);
  EXPECT_GE(width_of_rows("bf16", "4096"), width_of_rows("f64", "4096"));
  // Rows in another order are not one range of elements.
  for (const int columns : {4098, 4100, 4104}) {
    const int width = width_of_rows("f32", std::to_string(columns),
                                    "    %0 = load %x[511 - i, j]\n    store %y[i, j], %0\n");
    EXPECT_EQ(columns % width, 0) << columns;
  }
}

// A variable of one loop must be known to come in whole groups.
TEST(WideAccesses, OddRowsHaveNone) {
  EXPECT_EQ(width_of_rows("f32", "4097",
                          "    %0 = load %x[i, j]\n    %1 = load %x[511 - i, j]\n"
                          "    %2 = add %0, %1\n    store %y[511 - i, j], %2\n"),
            1);
}

TEST(WideAccesses, AreUnconditional) {
  EXPECT_EQ(width_of_rows("f32", "4096",
                          "    %0 = load %p[511 - i, 4095 - j]\n    %1 = const f32 0.0\n"
                          "    %2 = load %x[i, j] if %0 else %1\n    store %y[i, j], %2 if %0\n"),
            1);
}

TEST(WideAccesses, StepByOneElement) {
  EXPECT_EQ(width_of_rows("f32", "512", "    %0 = load %x[j, i]\n    store %y[i, 511 - j], %0\n"),
            1);
}

// Every marked access belongs to a loop that has a width.
TEST(WideAccesses, MarkAccessesAndWhatTheyShare) {
  ExprPool pool;
  const Schedule schedule = make_block_schedule(
      loops::parse_kernel(R"(kernel @k(%x: f32[512, 4096], %r: f32[512], out %y: f32[512, 4096]) {
  for i in 0..512, j in 0..4096 {
    %0 = load %x[i, j]
    %1 = load %r[i]
    %2 = mul %0, %1
    store %y[i, j], %2
  }
}
)",
                          pool));
  const loops::Instr& loop = schedule.kernel.body.instrs[0];
  ASSERT_GT(schedule.width_of(loop), 1);
  const auto& instrs = loop.blocks[0]->instrs;
  ASSERT_EQ(instrs.size(), 4U);
  EXPECT_TRUE(schedule.wide.contains(&instrs[0]));
  EXPECT_FALSE(schedule.wide.contains(&instrs[1]));
  EXPECT_TRUE(schedule.invariant.contains(&instrs[1]));
  EXPECT_TRUE(schedule.wide.contains(&instrs[3]));
}

}  // namespace
}  // namespace litz::schedule
