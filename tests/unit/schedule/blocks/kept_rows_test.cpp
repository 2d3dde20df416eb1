#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Rows whose maximum is subtracted; `second` is the row of the second load.
Schedule centred(ExprPool& pool, const std::string& length, const std::string& second = "i") {
  return make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: f32[900, " + length + "], out %y: f32[900, " + length +
          "]) {\n  for i in 0..900 {\n    %1 = reduce max j in 0.." + length +
          " {\n      %0 = load %x[i, j]\n      yield %0\n    }\n    for k in 0.." + length +
          " {\n      %2 = load %x[" + second +
          ", k]\n      %3 = sub %2, %1\n      store %y[i, k], %3\n    }\n  }\n}\n",
      pool));
}

TEST(KeptRows, ARowThatTwoLoopsLoadStaysInRegisters) {
  ExprPool pool;
  const Schedule schedule = centred(pool, "2048");
  ASSERT_THAT(schedule.kept_rows, SizeIs(1));
  const KeptRow& row = schedule.kept_rows[0];
  EXPECT_EQ(row.loop->kind, loops::InstrKind::reduce);
  EXPECT_EQ(row.chunks * schedule.width_of(*row.loop) * schedule.phases[0].block.team, 2048);
  EXPECT_THAT(schedule.kept_row_of, SizeIs(2));
  EXPECT_THAT(schedule.chunks, SizeIs(2));
}

TEST(KeptRows, OtherRowsAreOtherValues) {
  ExprPool pool;
  EXPECT_THAT(centred(pool, "2048", "0").kept_rows, IsEmpty());
}

TEST(KeptRows, LongRowsDoNotFit) {
  ExprPool pool;
  EXPECT_THAT(centred(pool, "1000000").kept_rows, IsEmpty());
}

TEST(KeptRows, RowsOfUnknownLengthAreReadAgain) {
  ExprPool pool;
  pool.add_symbol({.name = "s0", .range = {1, 4096}});
  EXPECT_THAT(centred(pool, "s0").kept_rows, IsEmpty());
}

}  // namespace
}  // namespace litz::schedule
