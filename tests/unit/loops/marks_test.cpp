#include "loops/marks.h"

#include <gtest/gtest.h>

namespace litz::loops {
namespace {

const Instr& first_loop(const Kernel& kernel) { return kernel.body.instrs[0]; }

TEST(Marks, LoopsSayTheirLanesAndTiles) {
  ExprPool pool;
  const Kernel tiled = parse_kernel(R"(kernel @k(%x: f32[512, 512], out %y: f32[512, 512]) {
  for i in 0..512 parallel tile, j in 0..512 parallel tile vector 16 {
    %0 = load %x at [i + 512*j] transposed
    store %y at [512*i + j], %0 streamed
  }
}
)",
                                    pool);
  EXPECT_EQ(lanes_of(first_loop(tiled)), 16);
  EXPECT_EQ(lane_symbol(first_loop(tiled)), first_loop(tiled).vars[1].symbol.symbol());
  EXPECT_TRUE(is_tiled(first_loop(tiled)));
  EXPECT_FALSE(has_column_blocks(first_loop(tiled)));
  EXPECT_FALSE(is_scan(first_loop(tiled)));
  EXPECT_EQ(lanes_of(first_loop(tiled).blocks[0]->instrs[0]), 1);

  const Kernel columns = parse_kernel(R"(kernel @k(%x: f32[512, 512], out %y: f32[512]) {
  for j in 0..512 tile vector 8 {
    %0 = reduce max i in 0..512 {
      %1 = load %x at [512*i + j] ahead 512
      yield %1
    }
    store %y at [j], %0
  }
}
)",
                                      pool);
  EXPECT_TRUE(has_column_blocks(first_loop(columns)));
  EXPECT_FALSE(is_tiled(first_loop(columns)));
}

TEST(Marks, OffsetsStandBeforeComputedIndices) {
  ExprPool pool;
  const Kernel kernel = parse_kernel(R"(kernel @k(%n: i64[], %x: f32[8, 4], out %y: f32[4]) {
  for j in 0..4 {
    %0 = load %n at [0]
    %1 = load %x at [j + 1, %0 * 4]
    store %y at [j], %1
  }
}
)",
                                     pool);
  const std::vector<Instr>& instrs = first_loop(kernel).blocks[0]->instrs;
  EXPECT_FALSE(has_computed_index(instrs[0]));
  EXPECT_TRUE(has_computed_index(instrs[1]));
  EXPECT_EQ(to_string(offset_of(instrs[1])), "j + 1");
}

TEST(Marks, StepsOfOneAreThoseOfLinearForms) {
  ExprPool pool;
  const Expr i = new_loop_var(pool, "i", 64).symbol;
  const Expr j = new_loop_var(pool, "j", 64).symbol;
  for (const Expr expr : {i, j, Expr(3), i + 1, i + j, i + i, 2 * i + j, i * j, i + i * j,
                          floor_div(i, 2), i + floor_div(i, 2), i + floor_div(j, 2), mod(i, 3) + i,
                          i * (j + 1), 5 - i, 64 * j + i - 7}) {
    const auto linear = linear_in(expr, i.symbol());
    EXPECT_EQ(steps_by_one(expr, i.symbol()), linear && linear->first.is(1)) << to_string(expr);
  }
}

}  // namespace
}  // namespace litz::loops
