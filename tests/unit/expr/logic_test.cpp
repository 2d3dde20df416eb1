// Minimum, maximum, choice, comparisons and logic.

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprLogic : public ::testing::Test {
 protected:
  Expr symbol(const char* name, Interval range) {
    return pool.add_symbol({name, SymbolKind::size, range, std::nullopt});
  }

  ExprPool pool;
  Expr s0 = symbol("s0", {2, Interval::kMax});
  Expr s1 = symbol("s1", {2, Interval::kMax});
  Expr u0 = symbol("u0", {0, Interval::kMax});
  Expr x = symbol("x", {});
  Expr flag = pool.add_symbol({"flag", SymbolKind::boolean, {}, {}});
  Expr other = pool.add_symbol({"other", SymbolKind::boolean, {}, {}});
  Expr real = pool.add_symbol({"zf0", SymbolKind::real_input, {}, {}});
  Expr yes = Expr::boolean(true);
  Expr no = Expr::boolean(false);
};

TEST_F(ExprLogic, ExtremaFoldByRange) {
  EXPECT_EQ(max(1, s0), s0);
  EXPECT_EQ(min(1, s0), Expr(1));
  EXPECT_EQ(max(s0, s0), s0);
  EXPECT_EQ(max(3, 5), Expr(5));
  EXPECT_EQ(min(16 * s0, 32 * s0), 16 * s0);
  EXPECT_EQ(min(64, 64 * s0), Expr(64));
  EXPECT_EQ(max(max(s0, 3), s0 - 1), max(s0, 3));
  EXPECT_EQ(max(max(s0, s1), s0), max(s1, s0));
  EXPECT_EQ(max(1, u0).kind(), ExprKind::max);
  EXPECT_EQ(min(s0, max(s0, s1)), s0);
  const Expr many[] = {x, 3, s0, 7};
  EXPECT_EQ(min(many), min(x, min(s0, 3)));
  EXPECT_EQ(min(s0, INT64_MAX), s0);
  EXPECT_EQ(max(x, INT64_MIN), x);
}

// Bounds of such products do not fit in 64 bits, so only the common factor tells their sign.
TEST_F(ExprLogic, SignsOfHugeProducts) {
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(le(0, huge * s0 * s1), yes);
  EXPECT_EQ(le(huge * s0 * s1, 0), no);
  EXPECT_EQ(eq(huge * s0 * s1, 0), no);
  EXPECT_EQ(le(4 * (huge * s0 - 100), 4 * (huge * s0 - 84)), yes);
  EXPECT_EQ(le(4 * (huge * s0 - 84), 4 * (huge * s0 - 100)), no);
  EXPECT_EQ(eq(4 * (huge * s0 - 84), 4 * (huge * s0 - 100)), no);
}

TEST_F(ExprLogic, EqualityLooksAtTheDifference) {
  EXPECT_EQ(eq(s0 + s1, s1 + 4), eq(s0, 4));
  EXPECT_EQ(eq(2 * s0, 8), eq(s0, 4));
  EXPECT_EQ(eq(s0, s1), eq(s1, s0));
  EXPECT_EQ(eq(2 * s0, 7), no);
  EXPECT_EQ(eq(s0, 1), no);
  EXPECT_EQ(ne(s0, 1), yes);
  EXPECT_EQ(eq(s0 + s1, s1 + s0), yes);
  EXPECT_EQ(eq(s0 * s1, s0 * 4), eq(s1, 4));
  EXPECT_EQ(eq(x * s0, 0), eq(x, 0));
  EXPECT_EQ(eq(u0 * x, u0 * 4).kind(), ExprKind::eq);
  EXPECT_EQ(logical_not(eq(s0, s1)), ne(s0, s1));
  EXPECT_EQ(eq(INT64_MIN, INT64_MAX), no);
  EXPECT_EQ(eq(x + INT64_MIN, INT64_MAX).kind(), ExprKind::eq);
}

TEST_F(ExprLogic, OrderIsOneForm) {
  EXPECT_EQ(lt(s0, 5), le(s0, 4));
  EXPECT_EQ(logical_not(le(s0, 4)), le(5, s0));
  EXPECT_EQ(le(2 * s0, 7), le(s0, 3));
  EXPECT_EQ(lt(s0 + 1, s1 + 1), lt(s0, s1));
  EXPECT_EQ(le(s0 * x, s0 * 3), le(x, 3));
  EXPECT_EQ(le(2, s0), yes);
  EXPECT_EQ(lt(s0, 2), no);
  EXPECT_EQ(lt(s0, s0), no);
  EXPECT_EQ(le(x, x), yes);
  EXPECT_EQ(le(INT64_MIN, INT64_MAX), yes);
  EXPECT_EQ(to_string(le(x, s0)), "x <= s0");
  EXPECT_EQ(to_string(lt(x, s0)), "x + 1 <= s0");
  EXPECT_EQ(to_string(le(2, x)), "2 <= x");
  EXPECT_EQ(to_string(eq(x - s0 + 3, 0)), "s0 == x + 3");
}

TEST_F(ExprLogic, ChoicesFold) {
  EXPECT_EQ(where(yes, s0, s1), s0);
  EXPECT_EQ(where(no, s0, s1), s1);
  EXPECT_EQ(where(flag, s0, s0), s0);
  EXPECT_EQ(where(logical_not(flag), s0, s1), where(flag, s1, s0));
  EXPECT_EQ(where(ne(x, 1), s0, s1), where(eq(x, 1), s1, s0));
  EXPECT_EQ(where(flag, yes, no), flag);
}

TEST_F(ExprLogic, ConnectivesFold) {
  EXPECT_EQ(logical_and(flag, yes), flag);
  EXPECT_EQ(logical_and(flag, no), no);
  EXPECT_EQ(logical_or(flag, yes), yes);
  EXPECT_EQ(logical_or(flag, no), flag);
  EXPECT_EQ(logical_and(flag, flag), flag);
  EXPECT_EQ(logical_and(flag, logical_not(flag)), no);
  EXPECT_EQ(logical_or(le(x, 3), le(4, x)), yes);
  EXPECT_EQ(logical_not(logical_not(flag)), flag);
  EXPECT_EQ(logical_and(logical_and(flag, other), flag), logical_and(other, flag));
  EXPECT_EQ(eq(flag, yes), flag);
  EXPECT_EQ(eq(no, flag), logical_not(flag));
  EXPECT_EQ(ne(flag, flag), no);
  EXPECT_THROW(lt(flag, other), Error);
}

TEST_F(ExprLogic, RealsKeepTheirOrderBecauseOfNaN) {
  const Expr test = lt(real, Expr::real(1));
  EXPECT_EQ(logical_not(test).kind(), ExprKind::logical_not);
  EXPECT_EQ(lt(Expr::real(1), Expr::real(2)), yes);
  EXPECT_EQ(known(eq(real, real)), std::nullopt);
  EXPECT_EQ(max(Expr::real(1), Expr::real(2)), Expr::real(2));
}

TEST_F(ExprLogic, Proofs) {
  EXPECT_TRUE(known_equal(s0 * 64, 64 * s0));
  EXPECT_TRUE(known_not_equal(s0, 1));
  EXPECT_TRUE(known_not_equal(2 * x, 2 * s0 + 1));
  EXPECT_FALSE(known_equal(s0, s1));
  EXPECT_FALSE(known_not_equal(s0, s1));
  EXPECT_TRUE(known_less(1, s0));
  EXPECT_TRUE(known_less(s0, s0 + 1));
  EXPECT_TRUE(known_less(s0, s0 * s1));
  EXPECT_FALSE(known_less(s0, s1));
  EXPECT_TRUE(known_less_equal(s0, s0));
  EXPECT_FALSE(known_equal(s0, Expr::real(2)));
  EXPECT_EQ(known(yes), true);
  EXPECT_EQ(known(flag), std::nullopt);
}

}  // namespace
}  // namespace litz
