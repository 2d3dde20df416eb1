#include "schedule/blocks/block_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/instrs.h"

namespace litz::schedule {
namespace {

using ::testing::SizeIs;

Schedule scheduled(std::string_view text, ExprPool& pool) {
  return make_block_schedule(loops::parse_kernel(text, pool));
}

TEST(BlockSchedule, PointwiseLoopsAreDividedOverThreads) {
  ExprPool pool;
  const Schedule schedule = scheduled(R"(kernel @k(%x: f32[64, 1000], out %y: f32[64, 1000]) {
  for i in 0..64, j in 0..1000 {
    %0 = load %x[i, j]
    store %y[i, j], %0
  }
}
)",
                                      pool);
  ASSERT_THAT(schedule.phases, SizeIs(1));
  EXPECT_TRUE(schedule.phases[0].iterations.is(64000));
  EXPECT_EQ(schedule.phases[0].block.team, 1);
  EXPECT_EQ(schedule.phases[0].grain, 8 * schedule.phases[0].block.threads);
}

TEST(BlockSchedule, RowsAreReducedByTeams) {
  ExprPool pool;
  const auto rows_of = [&](const std::string& length) {
    return scheduled("kernel @k(%x: f32[900, " + length + R"(], out %y: f32[900]) {
  for i in 0..900 {
    %1 = reduce sum j in 0..)" +
                         length + R"( {
      %0 = load %x[i, j]
      yield %0
    }
    store %y[i], %1
  }
}
)",
                     pool);
  };
  EXPECT_EQ(rows_of("8").phases[0].block.team, 1);
  EXPECT_EQ(rows_of("200").phases[0].block.team, kWarpThreads);
  EXPECT_EQ(rows_of("4096").phases[0].block.team, 128);
  EXPECT_EQ(rows_of("4096").phases[0].grain, 1);
}

TEST(BlockSchedule, ManyColumnsAreReducedByOneThreadEach) {
  ExprPool pool;
  const Schedule schedule = scheduled(R"(kernel @k(%x: f32[4096, 100000], out %y: f32[100000]) {
  for i in 0..100000 {
    %1 = reduce sum j in 0..4096 {
      %0 = load %x[j, i]
      yield %0
    }
    store %y[i], %1
  }
}
)",
                                      pool);
  EXPECT_EQ(schedule.phases[0].block.team, 1);
}

TEST(BlockSchedule, ScratchBelongsToABlock) {
  ExprPool pool;
  const Schedule schedule =
      scheduled(R"(kernel @k(%x: f32[9, 8], out %y: f32[9, 8], scratch %r: f32[8]) {
  for i in 0..9 {
    for j in 0..8 {
      %0 = load %x[i, j]
      store %r[j], %0
    }
    for k in 0..8 {
      %1 = load %r[k]
      store %y[i, k], %1
    }
  }
}
)",
                pool);
  ASSERT_THAT(schedule.phases, SizeIs(1));
  EXPECT_EQ(schedule.phases[0].block.team, schedule.phases[0].block.threads);
}

TEST(BlockSchedule, OneBlockRunsBodiesWithValuesBetweenLoops) {
  ExprPool pool;
  const Schedule schedule = scheduled(R"(kernel @k(%x: f32[64], out %y: f32[64]) {
  %1 = reduce max i in 0..64 {
    %0 = load %x[i]
    yield %0
  }
  for j in 0..64 {
    store %y[j], %1
  }
}
)",
                                      pool);
  ASSERT_THAT(schedule.phases, SizeIs(1));
  EXPECT_FALSE(schedule.phases[0].position.has_value());
  EXPECT_TRUE(schedule.phases[0].iterations.is(1));
  for (const loops::Instr& instr : schedule.kernel.body.instrs) {
    EXPECT_TRUE(is_shared_by_team(schedule, instr, schedule.phases[0].block.team));
    EXPECT_FALSE(is_shared_by_team(schedule, instr, 1));
  }
}

}  // namespace
}  // namespace litz::schedule
