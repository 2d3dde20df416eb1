// Expressions as values, the pool, symbols, substitution and limits.

#include "expr/expr.h"

#include <unordered_set>

#include <gtest/gtest.h>

#include "expr/parse.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprTest : public ::testing::Test {
 protected:
  Expr size(const char* name, Interval range = {2, Interval::kMax}) {
    return pool.add_symbol({name, SymbolKind::size, range, std::nullopt});
  }

  ExprPool pool;
};

TEST_F(ExprTest, ConstantsNeedNoPool) {
  EXPECT_TRUE(Expr().is(0));
  EXPECT_EQ(Expr(7).constant(), 7);
  EXPECT_EQ(Expr(7).maybe_constant(), 7);
  EXPECT_EQ(Expr::real(0.5).real_constant(), 0.5);
  EXPECT_EQ(Expr::real(0.5).maybe_constant(), std::nullopt);
  EXPECT_TRUE(Expr::boolean(true).boolean_constant());
  EXPECT_NE(Expr(1), Expr::boolean(true));
  EXPECT_NE(Expr(0), Expr::real(0));
  EXPECT_EQ(Expr(3).pool(), nullptr);
  EXPECT_EQ(Expr(3) + 4, Expr(7));
  EXPECT_THROW(Expr::real(1).constant(), InternalError);
}

TEST_F(ExprTest, EqualExpressionsAreOneNode) {
  const Expr a = size("a");
  const Expr b = size("b");
  EXPECT_EQ((a + b).node(), (b + a).node());
  EXPECT_EQ((a * b * 2).node(), (2 * b * a).node());
  EXPECT_NE(a, b);
  EXPECT_EQ(a.pool(), &pool);
  const std::unordered_set<Expr> set{a + b, b + a, a};
  EXPECT_EQ(set.size(), 2U);
}

TEST_F(ExprTest, SymbolsAreFoundByNameAndAreUnique) {
  const Expr s0 = size("s0");
  EXPECT_EQ(pool.find_symbol("s0"), s0);
  EXPECT_EQ(pool.find_symbol("s1"), std::nullopt);
  EXPECT_EQ(pool.symbol(s0.symbol()).name, "s0");
  EXPECT_EQ(pool.symbol_expr(s0.symbol()), s0);
  EXPECT_THROW(size("s0"), Error);
  const Expr i = pool.add_symbol({"i", SymbolKind::index, {0, 3}, {}});
  const Expr again = pool.add_symbol({"i", SymbolKind::index, {0, 7}, {}});
  EXPECT_NE(i, again);
  EXPECT_EQ(pool.find_symbol("i"), std::nullopt);
  EXPECT_EQ(pool.symbol_count(), 3U);
  EXPECT_THROW(size("empty", {3, 2}), Error);
}

TEST_F(ExprTest, DomainsFollowTheKindOfSymbol) {
  EXPECT_EQ(pool.add_symbol({"zf0", SymbolKind::real_input, {}, {}}).domain(), ExprDomain::real);
  EXPECT_EQ(pool.add_symbol({"zuf0", SymbolKind::real_data, {}, {}}).domain(), ExprDomain::real);
  EXPECT_EQ(pool.add_symbol({"flag", SymbolKind::boolean, {}, {}}).domain(), ExprDomain::boolean);
  EXPECT_EQ(pool.add_symbol({"u0", SymbolKind::data_dependent, {}, {}}).domain(),
            ExprDomain::integer);
}

TEST_F(ExprTest, DomainsDoNotMix) {
  const Expr s = size("s");
  EXPECT_THROW(s + Expr::real(1), Error);
  EXPECT_THROW(Expr::real(1) * s, Error);
  EXPECT_THROW(logical_not(s), Error);
  EXPECT_THROW(eq(s, Expr::real(1)), Error);
  EXPECT_THROW(where(s, 1, 2), Error);
  EXPECT_THROW(evaluate_real(s, {}), Error);
}

TEST_F(ExprTest, TwoPoolsDoNotMix) {
  ExprPool other;
  const Expr a = size("a");
  const Expr b = other.add_symbol({"b", SymbolKind::size, {}, {}});
  EXPECT_THROW(a + b, InternalError);
}

TEST_F(ExprTest, NarrowingARangeUpdatesWhatWasBuilt) {
  const Expr s = size("s", {0, Interval::kMax});
  const Expr twice = 2 * s;
  const Expr test = eq(s, 0);
  EXPECT_EQ(bounds(twice).lo, 0);
  EXPECT_EQ(known(test), std::nullopt);
  pool.set_range(s.symbol(), {5, 9});
  EXPECT_EQ(bounds(twice), (Interval{10, 18}));
  EXPECT_EQ(known(test), false);
  pool.set_range(s.symbol(), {0, 7});
  EXPECT_EQ(bounds(s), (Interval{5, 7}));
  EXPECT_THROW(pool.set_range(s.symbol(), {8, 9}), Error);
}

TEST_F(ExprTest, APracticallyUnboundedLimitIsUnbounded) {
  EXPECT_EQ(bounds(size("u", {0, INT64_MAX - 1})).hi, Interval::kMax);
}

TEST_F(ExprTest, SubstituteRebuildsAndSimplifies) {
  const Expr a = size("a");
  const Expr b = size("b");
  const Expr e = floor_div(a * b + 1, b) + mod(a, 4);
  const std::pair<SymbolId, Expr> fixed[] = {{a.symbol(), 8}};
  EXPECT_EQ(substitute(e, fixed), 8 + floor_div(1, b));
  const std::pair<SymbolId, Expr> swapped[] = {{a.symbol(), b}, {b.symbol(), a}};
  EXPECT_EQ(substitute(a - b, swapped), b - a);
  EXPECT_EQ(substitute(e, {}), e);
  EXPECT_EQ(substitute(Expr(5), fixed), Expr(5));
}

TEST_F(ExprTest, FreeSymbolsAreSortedAndUnique) {
  const Expr a = size("a");
  const Expr b = size("b");
  const Expr c = size("c");
  EXPECT_EQ(free_symbols(max(c * a, a + 1)), (std::vector<SymbolId>{a.symbol(), c.symbol()}));
  EXPECT_TRUE(free_symbols(3).empty());
  EXPECT_TRUE(mentions(a * c, c.symbol()));
  EXPECT_FALSE(mentions(a * c, b.symbol()));
  EXPECT_FALSE(mentions(a * b - b * a + c, a.symbol()));
}

TEST_F(ExprTest, NestingIsLimited) {
  Expr e = size("s");
  const Expr m = size("m");
  try {
    for (int i = 0; i < 300; ++i) e = max(floor_div(e + m, 3 + i) * m, m - 7);
    FAIL() << "expected a limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded) << error.what();
  }
}

TEST_F(ExprTest, APoolIsLimitedToFourMillionNodes) {
  const Expr s = size("s");
  try {
    for (int i = 0; i < 4'100'000; ++i) s + i;
    FAIL() << "expected a limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded) << error.what();
  }
  EXPECT_LE(pool.node_count(), 4'000'000U);
}

TEST_F(ExprTest, FoldingNeverWraps) {
  EXPECT_THROW(Expr(INT64_MAX) + 1, Error);
  EXPECT_THROW(Expr(INT64_MIN) - 1, Error);
  EXPECT_THROW(-Expr(INT64_MIN), Error);
  EXPECT_THROW(Expr(INT64_MAX) * 2, Error);
  EXPECT_THROW(pow(10, 19), Error);
  EXPECT_THROW(floor_div(INT64_MIN, -1), Error);
  EXPECT_THROW(size("s") * INT64_MAX * INT64_MAX, Error);
}

TEST_F(ExprTest, BindingsKeepIntegersAndReals) {
  Bindings bindings;
  EXPECT_EQ(bindings.find(3), std::nullopt);
  bindings.set(3, -4);
  bindings.set_real(5, 2.5);
  bindings.set_boolean(0, true);
  EXPECT_EQ(bindings.find(3), -4);
  EXPECT_EQ(bindings.find_real(5), 2.5);
  EXPECT_EQ(bindings.find(0), 1);
  EXPECT_EQ(bindings.find(4), std::nullopt);
  bindings.clear();
  EXPECT_EQ(bindings.find(3), std::nullopt);
}

}  // namespace
}  // namespace litz
