// Phases, scalars and divisions, from the words of texts.

#include <gtest/gtest.h>

#include "schedule/schedule.h"

namespace litz::schedule {
namespace {

Schedule read(std::string_view text, ExprPool& pool) {
  return read_schedule(loops::parse_kernel(text, pool), {.vector_bytes = 32});
}

TEST(ReadSchedule, ParallelLoopsArePhases) {
  ExprPool pool;
  const Schedule schedule =
      read(R"(kernel @k(%n: i64[4], %x: f32[9, 4, 16], out %y: f32[9, 4, 16], out %z: f32[900]) {
  %0 = const f32 1.0
  for i in 0..9, j in 0..4 parallel, k in 0..16 vector 8 {
    %1 = load %x at [16*j + 64*i + k]
    store %y at [16*j + 64*i + k], %1
  }
  for l in 0..900 parallel vector 32 {
    store %z at [l], %0
  }
}
)",
           pool);
  ASSERT_EQ(schedule.phases.size(), 2U);
  const Phase& rows = schedule.phases[0];
  EXPECT_EQ(rows.position, 1U);
  EXPECT_EQ(schedule.loop_of(rows), &schedule.kernel.body.instrs[1]);
  EXPECT_EQ(rows.first, 1U);
  EXPECT_EQ(rows.divided, 1U);
  EXPECT_TRUE(rows.iterations.is(4));
  EXPECT_FALSE(rows.divides_last);
  EXPECT_EQ(rows.grain, 1);
  const Phase& line = schedule.phases[1];
  EXPECT_TRUE(line.divides_last);
  EXPECT_TRUE(line.iterations.is(900));
  EXPECT_EQ(line.grain, 32);
  EXPECT_FALSE(line.is_tiled);
}

TEST(ReadSchedule, TilesAreDividedInBlocks) {
  ExprPool pool;
  const Schedule schedule = read(R"(kernel @k(%x: f32[2, 1000, 300], out %y: f32[2, 300, 1000]) {
  for b in 0..2 parallel, i in 0..300 parallel tile, j in 0..1000 parallel tile vector 16 {
    %0 = load %x at [300000*b + i + 300*j] transposed
    store %y at [300000*b + 1000*i + j], %0
  }
}
)",
                                 pool);
  ASSERT_EQ(schedule.phases.size(), 1U);
  EXPECT_TRUE(schedule.phases[0].is_tiled);
  EXPECT_EQ(schedule.phases[0].divided, 2U);
  EXPECT_TRUE(schedule.phases[0].iterations.is(2 * 2 * 4));
  EXPECT_EQ(schedule.phases[0].grain, 1);
}

// What an iteration costs follows from sizes that only a call knows, and never overflows.
TEST(ReadSchedule, CostsFollowFromSizes) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "n", .range = {0, Interval::kMax}});
  const Schedule schedule = read(R"(kernel @k(%x: f32[8, n], out %y: f32[8]) {
  for i in 0..8 parallel {
    %0 = reduce sum j in 0..n vector 8 {
      %1 = load %x at [n*i + j]
      yield %1
    }
    store %y at [i], %0
  }
}
)",
                                 pool);
  ASSERT_EQ(schedule.phases.size(), 1U);
  const auto cost_at = [&](int64_t size) {
    Bindings bindings;
    bindings.set(n.symbol(), size);
    return evaluate(schedule.phases[0].cost, bindings);
  };
  EXPECT_LT(cost_at(8), 2000);
  EXPECT_NEAR(static_cast<double>(cost_at(1 << 20)) / static_cast<double>(cost_at(1 << 18)), 4,
              0.1);
  EXPECT_GE(cost_at(Interval::kMax), cost_at(1 << 30));
}

TEST(ReadSchedule, OtherBodiesAreOnePhase) {
  ExprPool pool;
  const Schedule schedule = read(R"(kernel @k(%x: f32[64], out %y: f32[]) {
  %0 = reduce max i in 0..64 vector 8 {
    %1 = load %x at [i]
    yield %1
  }
  store %y at [0], %0
}
)",
                                 pool);
  ASSERT_EQ(schedule.phases.size(), 1U);
  EXPECT_EQ(schedule.loop_of(schedule.phases[0]), nullptr);
  EXPECT_TRUE(schedule.phases[0].iterations.is(1));
  EXPECT_TRUE(read("kernel @k(out %y: f32[0]) {\n}\n", pool).phases.empty());
}

TEST(ReadSchedule, ValuesAndDivisionsThatExpressionsNeed) {
  ExprPool pool;
  const Schedule schedule =
      read(R"(kernel @k(%x: f32[s0, 8], out %y: f32[s0, 8], scratch %row2: f32[s1]) {
  for i in 0..s0 parallel, j in 0..8 vector 8 {
    %0 = load %x at [8*(i//3) + mod(j + s2, s3)]
    store %y at [8*i + j], %0
  }
}
)",
           pool);
  EXPECT_EQ(schedule.bound_buffers, 2U);
  std::vector<std::string> names;
  for (const SymbolId symbol : schedule.scalars) names.push_back(pool.symbol(symbol).name);
  EXPECT_EQ(names, (std::vector<std::string>{"s0", "s1", "s2", "s3"}));
  std::vector<std::string> safe;
  for (const Expr expr : schedule.safe_divisions) safe.push_back(to_string(expr));
  EXPECT_EQ(safe, std::vector<std::string>{"i//3"});
  EXPECT_EQ(schedule.natural_divisions.size(), 1U);
}

}  // namespace
}  // namespace litz::schedule
