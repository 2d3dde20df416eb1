// Number arithmetic that folding and evaluation share.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "expr/node.h"
#include "support/check.h"

namespace litz {
namespace {

TEST(ExprArithmetic, RoundsHalfToEven) {
  const std::pair<double, double> cases[] = {{0.5, 0},   {1.5, 2},    {2.5, 2},  {-0.5, 0},
                                             {-1.5, -2}, {-2.5, -2},  {2.49, 2}, {-2.51, -3},
                                             {7, 7},     {1e17, 1e17}};
  for (const auto& [x, rounded] : cases) EXPECT_EQ(round_half_even(x), rounded) << x;
  EXPECT_TRUE(std::isnan(round_half_even(std::nan(""))));
}

TEST(ExprArithmetic, RoundsToDecimals) {
  EXPECT_EQ(round_to_decimals(2.675, 2), 2.67);  // The double lies below the tie.
  EXPECT_EQ(round_to_decimals(0.125, 2), 0.12);
  EXPECT_EQ(round_to_decimals(0.375, 2), 0.38);
  EXPECT_EQ(round_to_decimals(1250, -2), 1200);
  EXPECT_EQ(round_to_decimals(1350, -2), 1400);
  EXPECT_EQ(round_to_decimals(-1251, -2), -1300);
  EXPECT_EQ(round_to_decimals(1.5, 400), 1.5);
  EXPECT_EQ(round_to_decimals(1.5, -400), 0);
}

// q is the double nearest to a/b when moving to either neighbour is not closer.
TEST(ExprArithmetic, IntegerQuotientsAreCorrectlyRounded) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 50'000; ++i) {
    const auto a = static_cast<int64_t>(random() >> (random() % 60));
    auto b = static_cast<int64_t>(random() >> (random() % 60));
    if (b == 0) b = 1;
    const double quotient = divide_integers(a, b);
    int exponent = 0;
    const double mantissa = std::frexp(quotient, &exponent);
    if (a == 0) {
      ASSERT_EQ(quotient, 0);
      continue;
    }
    // quotient = m * 2^e with an odd-or-even 53-bit m; compare 2*|a*2^-e - m*b| with b.
    const auto m = static_cast<Wide>(std::ldexp(mantissa, 53));
    const int e = exponent - 53;
    if (e < -60 || e > 10) continue;
    const Wide scaled_a = e <= 0 ? Wide{a} << -e : Wide{a};
    const Wide scaled_b = e <= 0 ? Wide{b} : Wide{b} << e;
    const Wide magnitude = scaled_a < 0 ? -scaled_a : scaled_a;
    if (magnitude >> 124 != 0) continue;
    const Wide error = scaled_a - m * scaled_b;
    const Wide twice = 2 * (error < 0 ? -error : error);
    ASSERT_LE(twice, scaled_b < 0 ? -scaled_b : scaled_b) << a << " / " << b;
  }
  EXPECT_EQ(divide_integers(7, 2), 3.5);
  EXPECT_EQ(divide_integers(-7, 2), -3.5);
  EXPECT_EQ(divide_integers(INT64_MIN, -1), 9223372036854775808.0);
  // Both operands need more than 53 bits: dividing doubles would give the wrong neighbour.
  EXPECT_EQ(divide_integers(9007199254740993, 9007199254740992), 1.0);
  EXPECT_EQ(divide_integers(9223372036854775807, 9223372036854775805),
            1.0000000000000002 - 2.220446049250313e-16);
  EXPECT_THROW(divide_integers(1, 0), Error);
}

TEST(ExprArithmetic, RealsBecomeIntegersOnlyInRange) {
  EXPECT_EQ(real_to_int(-9223372036854775808.0), INT64_MIN);
  EXPECT_EQ(real_to_int(9223372036854774784.0), 9223372036854774784);
  EXPECT_THROW(real_to_int(9223372036854775808.0), Error);
  EXPECT_THROW(real_to_int(std::nan("")), Error);
}

TEST(ExprArithmetic, FloorDivisionMatchesItsRemainder) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = -6; b <= 6; ++b) {
      if (b == 0) continue;
      const int64_t q = floor_quotient(a, b);
      const int64_t r = floor_remainder(a, b);
      EXPECT_EQ(q * b + r, a);
      EXPECT_TRUE(r == 0 || (r < 0) == (b < 0));
      EXPECT_LT(std::abs(r), std::abs(b));
      EXPECT_EQ(floor_quotient(Wide{a}, Wide{b}), q);
    }
  }
  EXPECT_THROW(floor_quotient(int64_t{1}, int64_t{0}), Error);
  EXPECT_THROW(floor_quotient(INT64_MIN, int64_t{-1}), Error);
  EXPECT_EQ(floor_remainder(INT64_MIN, -1), 0);
}

TEST(ExprArithmetic, PowersAreChecked) {
  EXPECT_EQ(checked_power(-3, 3), -27);
  EXPECT_EQ(checked_power(0, 0), 1);
  EXPECT_EQ(checked_power(2, 62), int64_t{1} << 62);
  EXPECT_EQ(checked_power(-1, INT64_MAX), -1);
  EXPECT_THROW(checked_power(2, 63), Error);
  EXPECT_THROW(checked_power(2, -1), Error);
  EXPECT_THROW(checked_power(3, INT64_MAX), Error);
}

}  // namespace
}  // namespace litz
