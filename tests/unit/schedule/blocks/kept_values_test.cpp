#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Rows whose terms are added, then divided by the sum.
Schedule shares(ExprPool& pool, const std::string& length, const std::string& first_term,
                const std::string& second_term) {
  return make_block_schedule(loops::parse_kernel(
      "kernel @k(%x: f32[900, " + length + "], %s: f32[900], out %y: f32[900, " + length +
          "]) {\n  for i in 0..900 {\n    %9 = load %s[i]\n    %1 = reduce sum j in 0.." + length +
          " {\n      %0 = load %x[i, j]\n      %10 = sub %0, %9\n      %2 = " + first_term +
          "\n      yield %2\n    }\n    for k in 0.." + length +
          " {\n      %3 = load %x[i, k]\n      %13 = sub %3, %9\n      %4 = " + second_term +
          "\n      %5 = div %4, %1\n      store %y[i, k], %5\n    }\n  }\n}\n",
      pool));
}

TEST(KeptValues, AnExponentialThatTwoLoopsComputeStaysInRegisters) {
  ExprPool pool;
  const Schedule schedule = shares(pool, "2048", "exp %10", "exp %13");
  ASSERT_THAT(schedule.kept_values, SizeIs(1));
  const KeptValue& value = schedule.kept_values[0];
  EXPECT_EQ(value.first->op, loops::ScalarOp::exp);
  EXPECT_EQ(value.loop->kind, loops::InstrKind::reduce);
  EXPECT_EQ(value.elements * schedule.phases[0].block.team, 2048);
  EXPECT_THAT(schedule.kept_value_of, SizeIs(2));
}

TEST(KeptValues, OtherFunctionsAndOtherOperandsAreOtherValues) {
  ExprPool pool;
  EXPECT_THAT(shares(pool, "2048", "exp %10", "exp2 %13").kept_values, IsEmpty());
  EXPECT_THAT(shares(pool, "2048", "exp %10", "exp %3").kept_values, IsEmpty());
}

TEST(KeptValues, CheapValuesAreComputedAgain) {
  ExprPool pool;
  EXPECT_THAT(shares(pool, "2048", "abs %10", "abs %13").kept_values, IsEmpty());
}

TEST(KeptValues, LongRowsDoNotFit) {
  ExprPool pool;
  EXPECT_THAT(shares(pool, "1000000", "exp %10", "exp %13").kept_values, IsEmpty());
}

}  // namespace
}  // namespace litz::schedule
