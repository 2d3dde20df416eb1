// Sums and products: the polynomial normal form, exact quotients, linear parts.

#include <gtest/gtest.h>

#include "support/check.h"
#include "types/expr.h"

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

TEST_F(ExprLinear, SumsCollectEqualTerms) {
  EXPECT_EQ(2 * a - a, a);
  EXPECT_EQ(a + b - a, b);
  EXPECT_EQ(a - a, Expr(0));
  EXPECT_EQ(a + a + a, 3 * a);
  EXPECT_EQ((a + 1) + (b - 1), a + b);
  const Expr terms[] = {a, b, 3, a, -4};
  EXPECT_EQ(sum(terms), 2 * a + b - 1);
  EXPECT_EQ(sum({}), Expr(0));
}

TEST_F(ExprLinear, ProductsDistribute) {
  EXPECT_EQ((a + b) * c, a * c + b * c);
  EXPECT_EQ((a + 1) * (a - 1), a * a - 1);
  EXPECT_EQ(pow(a + 1, 2), a * a + 2 * a + 1);
  EXPECT_EQ(a * a * a, pow(a, 3));
  EXPECT_EQ(pow(2 * a * b, 3), 8 * pow(a, 3) * pow(b, 3));
  EXPECT_EQ(a * 0, Expr(0));
  const Expr factors[] = {a, 2, b, 3};
  EXPECT_EQ(product(factors), 6 * a * b);
  EXPECT_EQ(product({}), Expr(1));
}

TEST_F(ExprLinear, LargeProductsStayWhole) {
  Expr sum = 1;
  for (int i = 0; i < 12; ++i) sum = sum + (i + 1) * size(("v" + std::to_string(i)).c_str());
  const Expr square = sum * sum;
  EXPECT_EQ(square.kind(), ExprKind::pow);
  EXPECT_EQ(square, pow(sum, 2));
  EXPECT_EQ(exact_quotient(square, sum), sum);
  EXPECT_EQ(square * a - a * square, Expr(0));
  EXPECT_EQ(floor_div(square * a, a), square);
}

TEST_F(ExprLinear, Powers) {
  EXPECT_EQ(pow(a, 0), Expr(1));
  EXPECT_EQ(pow(a, 1), a);
  EXPECT_EQ(pow(1, a), Expr(1));
  EXPECT_EQ(pow(-1, 3), Expr(-1));
  EXPECT_EQ(pow(3, a).kind(), ExprKind::pow);
  EXPECT_THROW(pow(a, -1), Error);
}

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

TEST_F(ExprLinear, RealsAreNotRegrouped) {
  const Expr x = pool.add_symbol({"zf0", SymbolKind::real_input, {}, {}});
  const Expr tenth = Expr::real(0.1);
  EXPECT_EQ(x + tenth, tenth + x);
  EXPECT_NE((x + tenth) + tenth, x + (tenth + tenth));
  EXPECT_EQ(Expr::real(0.1) + Expr::real(0.2), Expr::real(0.1 + 0.2));
  EXPECT_EQ(Expr::real(0.5) * Expr::real(3), Expr::real(1.5));
}

}  // namespace
}  // namespace litz
