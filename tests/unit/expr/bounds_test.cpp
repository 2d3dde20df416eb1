// Bounds of sums that need relations between terms.

#include <gtest/gtest.h>

#include "expr/expr.h"

namespace litz {
namespace {

class ExprBounds : public ::testing::Test {
 protected:
  Expr symbol(const char* name, Interval range) {
    return pool.add_symbol({name, SymbolKind::size, range, std::nullopt});
  }

  static constexpr int64_t kMin = Interval::kMin;
  static constexpr int64_t kMax = Interval::kMax;

  ExprPool pool;
  Expr s0 = symbol("s0", {2, kMax});
  Expr s1 = symbol("s1", {2, kMax});
  Expr u = symbol("u", {0, 10});
  Expr any = symbol("any", {});
};

TEST_F(ExprBounds, PolynomialsAreBoundedAroundTheirLimits) {
  EXPECT_EQ(bounds(s0 * (s0 - 1)).lo, 2);
  EXPECT_EQ(bounds(s0 * s1 - s0).lo, 2);
  EXPECT_EQ(bounds(s0 * s0 * s1 - s0 * s1 - s1).lo, 2);
  EXPECT_TRUE(known_less_equal(u * s0, 10 * s0));
}

TEST_F(ExprBounds, QuotientsAreBoundedByTheirDividend) {
  EXPECT_EQ(bounds(s0 - floor_div(s0, 2)).lo, 1);
  EXPECT_EQ(bounds(s0 - 2 * floor_div(s0, 2)), (Interval{0, 1}));
  EXPECT_EQ(bounds(any - 4 * floor_div(any, 4)), (Interval{0, 3}));
  EXPECT_TRUE(known_less_equal(floor_div(s0, 2), s0));
  EXPECT_TRUE(known_less_equal(s1 * floor_div(s0, s1), s0));
  EXPECT_TRUE(known_less(2 * floor_div(s0 - 1, 4), 1 + floor_div(s0 - 1, 2)));
  EXPECT_TRUE(known_less_equal(mod(s0, 7), s0));
  EXPECT_TRUE(known_less(mod(any, s0), s0));
}

TEST_F(ExprBounds, ChoicesAreBoundedByTheirAlternatives) {
  EXPECT_TRUE(known_less_equal(min(s0, s1), s0));
  EXPECT_TRUE(known_less_equal(s0, max(s0, s1)));
  EXPECT_TRUE(known_less_equal(max(s0, s1), s0 + s1));
  EXPECT_TRUE(known_less_equal(min(s0, s1) + 1, s1 + 1));
  EXPECT_TRUE(known_less_equal(u, s0 * max(1, u)));
  EXPECT_TRUE(known_less_equal(s0 * min(s1, u), s0 * s1));
  EXPECT_FALSE(known_less(min(s0, s1), s0));
}

TEST_F(ExprBounds, IndicesStayBelowSymbolicExtents) {
  const Expr i = pool.add_symbol({"i", SymbolKind::index, {}, {}});
  const Expr j = pool.add_symbol({"j", SymbolKind::index, {0, 7}, {}});
  pool.set_extent(i.symbol(), s0);
  EXPECT_TRUE(known_less(i, s0));
  EXPECT_TRUE(known_less(i + s0 * j, 8 * s0));
  EXPECT_TRUE(known_less_equal(0, i));
  EXPECT_FALSE(known_less(i, s1));
  const Expr k = pool.add_symbol({"k", SymbolKind::index, {}, {}});
  pool.set_extent(k.symbol(), 5);
  EXPECT_EQ(bounds(k), (Interval{0, 4}));
}

// j is taken from its upper limit, the size from its lower one.
TEST_F(ExprBounds, IndicesStayBelowExtentsOfSizesWithAnUpperLimit) {
  const Expr size = symbol("size", {1, 256});
  const Expr i = pool.add_symbol({"i", SymbolKind::index, {}, {}});
  const Expr j = pool.add_symbol({"j", SymbolKind::index, {0, 7}, {}});
  pool.set_extent(i.symbol(), 2 * size);
  EXPECT_TRUE(known_less(i + 2 * size * j, 16 * size));
  EXPECT_FALSE(known_less(i + 2 * size * j, 16 * size - 1));
  EXPECT_TRUE(floor_div(i + 2 * size * j, 16 * size).is(0));
}

}  // namespace
}  // namespace litz
