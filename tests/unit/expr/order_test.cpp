// The canonical order does not depend on construction.

#include <gtest/gtest.h>

#include "expr/node.h"

namespace litz {
namespace {

TEST(ExprOrder, NamesCompareNaturally) {
  ExprPool pool;
  const Expr s10 = pool.add_symbol({"s10", SymbolKind::size, {}, {}});
  const Expr s2 = pool.add_symbol({"s2", SymbolKind::size, {}, {}});
  const Expr a = pool.add_symbol({"a", SymbolKind::size, {}, {}});
  EXPECT_LT(compare(s2, s10), 0);
  EXPECT_GT(compare(s10, s2), 0);
  EXPECT_LT(compare(a, s2), 0);
  EXPECT_EQ(compare(a, a), 0);
}

TEST(ExprOrder, ConstantsPrecedeAndKindsSeparate) {
  ExprPool pool;
  const Expr a = pool.add_symbol({"a", SymbolKind::size, {}, {}});
  const Expr b = pool.add_symbol({"b", SymbolKind::size, {}, {}});
  EXPECT_LT(compare(3, a), 0);
  EXPECT_LT(compare(3, 4), 0);
  EXPECT_LT(compare(a, floor_div(a, 2)), 0);
  EXPECT_LT(compare(floor_div(a, 2), floor_div(a, 3)), 0);
  EXPECT_LT(compare(floor_div(a, 3), floor_div(b, 2)), 0);
  EXPECT_NE(compare(Expr(1), Expr::real(1)), 0);
}

TEST(ExprOrder, EqualNamesOfIndicesStayApart) {
  ExprPool pool;
  const Expr i = pool.add_symbol({"i", SymbolKind::index, {0, 3}, {}});
  const Expr other = pool.add_symbol({"i", SymbolKind::index, {0, 3}, {}});
  EXPECT_NE(compare(i, other), 0);
  EXPECT_EQ(compare(i, other), -compare(other, i));
}

}  // namespace
}  // namespace litz
