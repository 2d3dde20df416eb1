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

/// Rows that are stored and added, from whose elements the first one is subtracted; `place` is that of
/// the load in the last loop.
Schedule stored(ExprPool& pool, const std::string& place, const std::string& before = "") {
  return make_block_schedule(loops::parse_kernel(R"(
kernel @k(%x: f32[900, 2048], %w: f32[900, 2048], out %s: f32[900, 2048], out %y: f32[900, 2048]) {
  for i in 0..900 {
)" + before + R"(    for j in 0..2048 {
      %0 = load %x[i, j]
      %1 = load %w[i, j]
      %2 = add %0, %1
      store %s[i, j], %2
    }
    %3 = load %s[i, 0]
    for k in 0..2048 {
      %4 = load %s[)" + place + R"(]
      %5 = sub %4, %3
      store %y[i, k], %5
    }
  }
}
)",
                                                 pool));
}

TEST(KeptRows, ARowThatOneLoopStoresAndAnotherLoadsStaysInRegisters) {
  ExprPool pool;
  const Schedule schedule = stored(pool, "i, k");
  ASSERT_THAT(schedule.kept_rows, SizeIs(1));
  EXPECT_EQ(schedule.kept_rows[0].first->kind, loops::InstrKind::store);
  // The store, the load, and the load of the first element.
  EXPECT_THAT(schedule.kept_row_of, SizeIs(3));
}

TEST(KeptRows, StoredRowsAreThoseOfTheLoad) {
  ExprPool pool;
  EXPECT_THAT(stored(pool, "0, k").kept_rows, IsEmpty());
}

TEST(KeptRows, WhatIsLoadedBeforeItIsStoredIsNotTheStoredRow) {
  ExprPool pool;
  const std::string before =
      "    %8 = reduce sum l in 0..2048 {\n      %9 = load %s[i, l]\n      yield %9\n    }\n"
      "    store %y[i, 0], %8\n";
  const Schedule schedule = stored(pool, "i, k", before);
  const loops::Instr& early = schedule.loop_of(schedule.phases[0])->blocks[0]->instrs[0];
  ASSERT_EQ(early.kind, loops::InstrKind::reduce);
  EXPECT_FALSE(schedule.kept_row_of.contains(&early.blocks[0]->instrs[0]));
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
