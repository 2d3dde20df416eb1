// Quotients and remainders of one base join again.

#include <gtest/gtest.h>

#include "expr/expr.h"

namespace litz {
namespace {

class ExprJoin : public ::testing::Test {
 protected:
  ExprPool pool;
  Expr x = pool.add_symbol({"x", SymbolKind::size, {}, {}});
  Expr y = pool.add_symbol({"y", SymbolKind::size, {}, {}});
  Expr n = pool.add_symbol({"n", SymbolKind::size, {1, Interval::kMax}, {}});
};

TEST_F(ExprJoin, QuotientAndRemainderMakeTheBase) {
  EXPECT_EQ(4 * floor_div(x, 4) + mod(x, 4), x);
  EXPECT_EQ(mod(x, 4) + 4 * floor_div(x, 4) + y, x + y);
  EXPECT_EQ(12 * floor_div(x, 4) + 3 * mod(x, 4), 3 * x);
  EXPECT_EQ(n * floor_div(x, n) + mod(x, n), x);
  EXPECT_EQ(y * 4 * floor_div(x, 4) + y * mod(x, 4), x * y);
}

TEST_F(ExprJoin, BasesAreRecognisedAfterReduction) {
  for (int64_t scale = -9; scale <= 9; ++scale) {
    for (int64_t offset = -5; offset <= 5; ++offset) {
      const Expr base = scale * x + 6 * y + offset;
      EXPECT_EQ(8 * floor_div(base, 8) + mod(base, 8), base) << base;
    }
  }
}

TEST_F(ExprJoin, AdjacentDigitsMakeOneDigit) {
  EXPECT_EQ(mod(x, 4) + 4 * mod(floor_div(x, 4), 3), mod(x, 12));
  EXPECT_EQ(mod(x, 4) + 4 * mod(floor_div(x, 4), 3) + 12 * floor_div(x, 12), x);
  EXPECT_EQ(mod(x, n) + n * mod(floor_div(x, n), n), mod(x, n * n));
}

// [3, 20] seen as [2, 3, 2, 5]: the digits of 20*x + y, after quotients moved into sums.
TEST_F(ExprJoin, DigitsOfASumMakeTheSum) {
  const Expr row = pool.add_symbol({"row", SymbolKind::size, {0, 2}, {}});
  const Expr column = pool.add_symbol({"column", SymbolKind::size, {0, 19}, {}});
  const Expr flat = 20 * row + column;
  const Expr digits = 30 * floor_div(flat, 30) + 10 * mod(floor_div(flat, 10), 3) +
                      5 * mod(floor_div(flat, 5), 2) + mod(flat, 5);
  EXPECT_EQ(digits, flat);
  EXPECT_EQ(10 * mod(y + floor_div(x, 10), 3) + mod(x, 10), mod(10 * y + x, 30));
  EXPECT_NE(10 * mod(y + 2 * floor_div(x, 10), 3) + mod(x, 10), mod(10 * y + x, 30));
}

TEST_F(ExprJoin, RemaindersBySumsDoNotMultiplyOut) {
  const Expr divisor = x + y + n;
  const Expr nested = mod(1, divisor + mod(1, x + mod(1, y)));
  const Expr product = nested * mod(2, divisor + mod(x, y)) * mod(3, divisor - mod(x, n)) * divisor;
  EXPECT_EQ(product.operands().size(), 3U);
  EXPECT_LT(pool.node_count(), 100U);
}

TEST_F(ExprJoin, OtherCoefficientsStayApart) {
  EXPECT_NE(3 * floor_div(x, 4) + mod(x, 4), x);
  EXPECT_NE(4 * floor_div(x, 4) + mod(y, 4), x);
}

TEST_F(ExprJoin, DifferentFormsAreKnownEqual) {
  EXPECT_TRUE(known_equal(mod(x, 4), x - 4 * floor_div(x, 4)));
  EXPECT_TRUE(known_equal(12 * floor_div(x, 4) + mod(x, 4), x + 8 * floor_div(x, 4)));
}

}  // namespace
}  // namespace litz
