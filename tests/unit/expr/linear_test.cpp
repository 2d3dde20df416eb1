// Polynomials taken apart: exact quotients, linear parts.

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprLinear : public ::testing::Test {
 protected:
  Expr size(const char* name) {
    return pool.add_symbol({name, SymbolKind::size, {2, Interval::kMax}, std::nullopt});
  }

  ExprPool pool;
  Expr a = size("a");
  Expr b = size("b");
  Expr c = size("c");
};

TEST_F(ExprLinear, ExactQuotients) {
  EXPECT_EQ(exact_quotient(6 * a * b, 2 * a), 3 * b);
  EXPECT_EQ(exact_quotient(a * b + b * b, a + b), b);
  EXPECT_EQ(exact_quotient(a * a - b * b, a + b), a - b);
  EXPECT_EQ(exact_quotient(a, b), std::nullopt);
  EXPECT_EQ(exact_quotient(3 * a, 2), std::nullopt);
  EXPECT_EQ(exact_quotient(12, 4), Expr(3));
  EXPECT_EQ(exact_quotient(12, 5), std::nullopt);
  EXPECT_EQ(exact_quotient(12, 0), std::nullopt);
  EXPECT_EQ(exact_quotient(0, a), Expr(0));
}

TEST_F(ExprLinear, LinearParts) {
  using Parts = std::pair<Expr, Expr>;
  EXPECT_EQ(linear_in(3 * a * b + c - 1, a.symbol()), (Parts{3 * b, c - 1}));
  EXPECT_EQ(linear_in(b, a.symbol()), (Parts{0, b}));
  EXPECT_EQ(linear_in(a * a, a.symbol()), std::nullopt);
  EXPECT_EQ(linear_in(a * floor_div(a, 2), a.symbol()), std::nullopt);
  EXPECT_EQ(linear_in(floor_div(a, 2), a.symbol()), std::nullopt);
  EXPECT_EQ(linear_in(7, a.symbol()), (Parts{0, 7}));
}

}  // namespace
}  // namespace litz
