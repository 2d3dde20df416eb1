// Floor division and modulus: the index identities, for bases of any sign.

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprSimplify : public ::testing::Test {
 protected:
  Expr size(const char* name, Interval range = {2, Interval::kMax}) {
    return pool.add_symbol({name, SymbolKind::size, range, std::nullopt});
  }

  Expr index(const char* name, int64_t extent) {
    return pool.add_symbol({name, SymbolKind::index, {0, extent - 1}, std::nullopt});
  }

  // Both sides agree for every x and y in a small square, negative values included.
  void expect_same(Expr simplified, auto formula) {
    for (int64_t a = -40; a <= 40; ++a) {
      for (int64_t b = -7; b <= 7; ++b) {
        Bindings bindings;
        bindings.set(x.symbol(), a);
        bindings.set(y.symbol(), b);
        ASSERT_EQ(evaluate(simplified, bindings), formula(a, b))
            << simplified << " at " << a << ", " << b;
      }
    }
  }

  static int64_t div(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
  }

  static int64_t rem(int64_t a, int64_t b) { return a - div(a, b) * b; }

  ExprPool pool;
  Expr x = pool.add_symbol({"x", SymbolKind::size, {}, {}});
  Expr y = pool.add_symbol({"y", SymbolKind::size, {}, {}});
  Expr s0 = size("s0");
  Expr s1 = size("s1");
};

TEST_F(ExprSimplify, TrivialQuotients) {
  EXPECT_EQ(floor_div(0, s0), Expr(0));
  EXPECT_EQ(floor_div(x, 1), x);
  EXPECT_EQ(floor_div(s0, s0), Expr(1));
  EXPECT_EQ(floor_div(-7, 2), Expr(-4));
  EXPECT_EQ(mod(-7, 2), Expr(1));
  EXPECT_EQ(mod(7, -2), Expr(-1));
  EXPECT_EQ(mod(x, 1), Expr(0));
  EXPECT_EQ(mod(s0, s0), Expr(0));
  EXPECT_THROW(floor_div(x, 0), Error);
  EXPECT_THROW(mod(x, 0), Error);
}

TEST_F(ExprSimplify, QuotientsOfShapes) {
  EXPECT_EQ(floor_div(s0 * 64, 64), s0);
  EXPECT_EQ(mod(s0 * 3, 3), Expr(0));
  EXPECT_EQ(floor_div(s0 * s1 * 64, s1), s0 * 64);
  EXPECT_EQ(floor_div(s0 * s1, s0 * s1), Expr(1));
  EXPECT_EQ(floor_div(64 * s0 * s1, 16 * s1), 4 * s0);
  EXPECT_EQ(floor_div(s0 * s1 + s1, s0 + 1), s1);
  EXPECT_EQ(floor_div((s0 + 1) * (s1 - 1), s1 - 1), s0 + 1);
  EXPECT_EQ(mod((s0 + 1) * (s1 - 1), s1 - 1), Expr(0));
  const Expr rows = 1 + floor_div(s0 - 1, 2);
  const Expr columns = 1 + floor_div(s1 - 1, 2);
  EXPECT_EQ(floor_div(4 * rows * columns, columns), 4 * rows);
  EXPECT_EQ(floor_div(4 * s0 * rows * columns, 2 * columns * rows), 2 * s0);
}

TEST_F(ExprSimplify, NestedQuotientsMerge) {
  EXPECT_EQ(floor_div(floor_div(x, 3), 4), floor_div(x, 12));
  EXPECT_EQ(floor_div(floor_div(x, 3) + 5, 4), floor_div(x + 15, 12));
  EXPECT_EQ(floor_div(floor_div(x, s0), s1), floor_div(x, s0 * s1));
  expect_same(floor_div(floor_div(x, 3) + 5, 4),
              [](int64_t a, int64_t) { return div(div(a, 3) + 5, 4); });
}

TEST_F(ExprSimplify, MultiplesOfTheDivisorComeOut) {
  EXPECT_EQ(floor_div(6 * x + y, 3), 2 * x + floor_div(y, 3));
  EXPECT_EQ(floor_div(7 * x, 3), 2 * x + floor_div(x, 3));
  EXPECT_EQ(floor_div(x + 7, 4), floor_div(x + 3, 4) + 1);
  EXPECT_EQ(mod(6 * x + y, 3), mod(y, 3));
  EXPECT_EQ(mod(x + 7, 4), mod(x + 3, 4));
  EXPECT_EQ(floor_div(s0 * x + y, s0), x + floor_div(y, s0));
  EXPECT_EQ(mod(s0 * x + y, s0), mod(y, s0));
  expect_same(mod(11 * x - 5 * y, 4), [](int64_t a, int64_t b) { return rem(11 * a - 5 * b, 4); });
}

TEST_F(ExprSimplify, CommonFactorsCancel) {
  EXPECT_EQ(floor_div(4 * x + 6 * y, 10), floor_div(2 * x + 3 * y, 5));
  EXPECT_EQ(mod(4 * x + 6 * y, 10), 2 * mod(2 * x + 3 * y, 5));
  EXPECT_EQ(floor_div(64 * s0 + 5, 128), floor_div(s0, 2));
  EXPECT_EQ(mod(64 * s0 + 5, 128), 64 * mod(s0, 2) + 5);
  EXPECT_EQ(mod(s0 * x, s0 * 4), s0 * mod(x, 4));
  EXPECT_EQ(floor_div(s0 * x, s0 * 4), floor_div(x, 4));
}

TEST_F(ExprSimplify, NegativeDividendsAndDivisors) {
  EXPECT_EQ(floor_div(x, -4), floor_div(-x, 4));
  EXPECT_EQ(mod(x, -4), -mod(-x, 4));
  EXPECT_EQ(ceil_div(x, 4), floor_div(x + 3, 4));
  EXPECT_EQ(ceil_div(x, 4), -floor_div(-x, 4));
  EXPECT_EQ(ceil_div(s0, s1), floor_div(s0 - 1, s1) + 1);
  expect_same(floor_div(x, -4), [](int64_t a, int64_t) { return div(a, -4); });
  expect_same(mod(-x, 6), [](int64_t a, int64_t) { return rem(-a, 6); });
  expect_same(mod(y - x, -6), [](int64_t a, int64_t b) { return rem(b - a, -6); });
}

TEST_F(ExprSimplify, RangesDecideQuotients) {
  const Expr i = index("i", 8);
  const Expr j = index("j", 5);
  EXPECT_EQ(floor_div(i, 8), Expr(0));
  EXPECT_EQ(mod(i, 8), i);
  EXPECT_EQ(floor_div(i + 8, 8), Expr(1));
  EXPECT_EQ(mod(i + 16, 8), i);
  EXPECT_EQ(mod(i - 8, 16), i + 8);
  EXPECT_EQ(floor_div(8 * j + i, 8), j);
  EXPECT_EQ(mod(8 * j + i, 8), i);
  EXPECT_EQ(floor_div(8 * j + i, 40), Expr(0));
  EXPECT_EQ(floor_div(64 * x + 8 * j + i, 32), 2 * x + floor_div(j, 4));
  EXPECT_EQ(mod(64 * x + 8 * j + i, 32), 8 * mod(j, 4) + i);
}

TEST_F(ExprSimplify, SymbolicExtentsDecideQuotients) {
  const Expr i = pool.add_symbol({"i", SymbolKind::index, {}, {}});
  pool.set_extent(i.symbol(), s0);
  const Expr j = pool.add_symbol({"j", SymbolKind::index, {}, {}});
  pool.set_extent(j.symbol(), s1);
  EXPECT_EQ(floor_div(s0 * j + i, s0), j);
  EXPECT_EQ(mod(s0 * j + i, s0), i);
  EXPECT_EQ(floor_div(i, s0), Expr(0));
  EXPECT_EQ(mod(s0 * j + i, s0 * s1), s0 * j + i);
  EXPECT_EQ(floor_div(i - s0, s0), Expr(-1));
}

TEST_F(ExprSimplify, RemaindersOfQuotientsAndRemainders) {
  EXPECT_EQ(floor_div(mod(x, 24), 4), mod(floor_div(x, 4), 6));
  EXPECT_EQ(mod(mod(x, 24), 4), mod(x, 4));
  EXPECT_EQ(mod(3 * mod(x, 8) + y, 12), mod(3 * mod(x, 4) + y, 12));
  EXPECT_EQ(mod(y + 3 * mod(x, 8), 4), mod(y + 3 * x, 4));
  EXPECT_EQ(mod(mod(x, s0 * s1), s0), mod(x, s0));
  expect_same(floor_div(mod(x, 24), 4), [](int64_t a, int64_t) { return div(rem(a, 24), 4); });
  expect_same(mod(y + 3 * mod(x, 8), 4),
              [](int64_t a, int64_t b) { return rem(b + 3 * rem(a, 8), 4); });
}

// ModularIndexing(a, d, m) is mod(floor_div(a, d), m).
TEST_F(ExprSimplify, ModularIndexing) {
  const auto digit = [](Expr a, Expr d, Expr m) { return mod(floor_div(a, d), m); };
  EXPECT_EQ(digit(0, 3, 4), Expr(0));
  EXPECT_EQ(digit(x, 3, 1), Expr(0));
  EXPECT_EQ(digit(37, 4, 5), Expr(4));
  EXPECT_EQ(digit(6 * x, 4, 5), digit(3 * x, 2, 5));
  EXPECT_EQ(digit(x + 12 * y, 3, 4), digit(x, 3, 4));
  EXPECT_EQ(digit(floor_div(x, 5), 3, 4), digit(x, 15, 4));
  const Expr i = index("i", 12);
  EXPECT_EQ(digit(i, 3, 4), floor_div(i, 3));
  EXPECT_EQ(digit(i, 1, 12), i);
  expect_same(digit(x + 12 * y, 3, 4),
              [](int64_t a, int64_t b) { return rem(div(a + 12 * b, 3), 4); });
}

TEST_F(ExprSimplify, ExactQuotients) {
  EXPECT_EQ(clean_div(6 * x, 3), 2 * x);
  EXPECT_EQ(clean_div(s0 * s1, s1), s0);
  EXPECT_THROW(clean_div(6 * x + 1, 3), Error);
  const Expr open = clean_div(x, 4);
  EXPECT_EQ(open.kind(), ExprKind::clean_div);
  Bindings bindings;
  bindings.set(x.symbol(), 12);
  EXPECT_EQ(evaluate(open, bindings), 3);
  bindings.set(x.symbol(), 13);
  EXPECT_THROW(evaluate(open, bindings), Error);
}

TEST_F(ExprSimplify, ChoicesAreDividedBranchByBranchWhenExact) {
  EXPECT_EQ(floor_div(max(4 * x, 8), 4), max(x, 2));
  EXPECT_EQ(mod(max(4 * x, 8), 4), Expr(0));
  EXPECT_EQ(floor_div(min(4 * x, 6 * y), 2), min(2 * x, 3 * y));
  EXPECT_EQ(floor_div(where(le(x, y), 4 * x, 8), 4), where(le(x, y), x, 2));
}

TEST_F(ExprSimplify, DivisibilityIsKnownThroughProducts) {
  EXPECT_TRUE(known_divisible(s0 * 3, 3));
  EXPECT_TRUE(known_divisible(s0 * s1 * 6, s1 * 2));
  EXPECT_TRUE(known_divisible(s0 * s1 + s0, s0));
  EXPECT_TRUE(known_divisible(s0 * s0 - 1, s0 - 1));
  EXPECT_TRUE(known_divisible(0, s0));
  EXPECT_TRUE(known_divisible(12, 4));
  EXPECT_TRUE(known_divisible(8 * floor_div(s0, 3) + 4, 4));
  EXPECT_FALSE(known_divisible(s0, 2));
  EXPECT_FALSE(known_divisible(12, 5));
  EXPECT_FALSE(known_divisible(2, s0));
  EXPECT_FALSE(known_divisible(s0, 0));
}

TEST_F(ExprSimplify, NumbersAtTheEdgeStayUnsimplified) {
  const Expr large = floor_div(floor_div(x, INT64_MAX), INT64_MAX);
  Bindings bindings;
  bindings.set(x.symbol(), -5);
  EXPECT_EQ(evaluate(large, bindings), -1);
  EXPECT_EQ(evaluate(floor_div(x, INT64_MIN), bindings), 0);
  EXPECT_EQ(evaluate(mod(x, INT64_MIN), bindings), -5);
  EXPECT_EQ(bounds(mod(x, INT64_MIN)).hi, 0);
}

}  // namespace
}  // namespace litz
