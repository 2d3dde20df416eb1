// Building sums, products and powers: the polynomial normal form.

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprProduct : public ::testing::Test {
 protected:
  Expr size(const char* name) {
    return pool.add_symbol({name, SymbolKind::size, {2, Interval::kMax}, std::nullopt});
  }

  ExprPool pool;
  Expr a = size("a");
  Expr b = size("b");
  Expr c = size("c");
};

TEST_F(ExprProduct, SumsCollectEqualTerms) {
  EXPECT_EQ(2 * a - a, a);
  EXPECT_EQ(a + b - a, b);
  EXPECT_EQ(a - a, Expr(0));
  EXPECT_EQ(a + a + a, 3 * a);
  EXPECT_EQ((a + 1) + (b - 1), a + b);
  const Expr terms[] = {a, b, 3, a, -4};
  EXPECT_EQ(sum(terms), 2 * a + b - 1);
  EXPECT_EQ(sum({}), Expr(0));
}

TEST_F(ExprProduct, ProductsDistribute) {
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

TEST_F(ExprProduct, LargeProductsStayWhole) {
  Expr sum = 1;
  for (int i = 0; i < 12; ++i) sum = sum + (i + 1) * size(("v" + std::to_string(i)).c_str());
  const Expr square = sum * sum;
  EXPECT_EQ(square.kind(), ExprKind::pow);
  EXPECT_EQ(square, pow(sum, 2));
  EXPECT_EQ(exact_quotient(square, sum), sum);
  EXPECT_EQ(square * a - a * square, Expr(0));
  EXPECT_EQ(floor_div(square * a, a), square);
}

TEST_F(ExprProduct, LargenessLooksAtTheWholeSetOfFactors) {
  // Nine terms when equal factors are seen together, 64 when they are not.
  const Expr factors[] = {a + 1, b + 1, a + 1, b + 1, c, a + 1, b + 1, a + 1};
  EXPECT_EQ(product(factors), c * pow(a + 1, 4) * pow(b + 1, 3));
}

TEST_F(ExprProduct, OneSumIsMultipliedOutHoweverLong) {
  Expr sum = 1;
  for (int i = 0; i < 70; ++i) sum = sum + size(("v" + std::to_string(i)).c_str());
  EXPECT_EQ(product(std::array{Expr(-1), sum}), -sum);
  EXPECT_EQ((a * sum).operands().size(), 71U);
}

TEST_F(ExprProduct, StaysWholeWhereACoefficientWouldNotFit) {
  const Expr cube = pow(a + 3'000'000'000, 3);
  EXPECT_EQ(cube.kind(), ExprKind::pow);
  EXPECT_EQ(cube * (a + 3'000'000'000), pow(a + 3'000'000'000, 4));
}

TEST_F(ExprProduct, Powers) {
  EXPECT_EQ(pow(a, 0), Expr(1));
  EXPECT_EQ(pow(a, 1), a);
  EXPECT_EQ(pow(1, a), Expr(1));
  EXPECT_EQ(pow(-1, 3), Expr(-1));
  EXPECT_EQ(pow(3, a).kind(), ExprKind::pow);
  EXPECT_THROW(pow(a, -1), Error);
}

TEST_F(ExprProduct, RealsAreNotRegrouped) {
  const Expr x = pool.add_symbol({"zf0", SymbolKind::real_input, {}, {}});
  const Expr tenth = Expr::real(0.1);
  EXPECT_EQ(x + tenth, tenth + x);
  EXPECT_NE((x + tenth) + tenth, x + (tenth + tenth));
  EXPECT_EQ(Expr::real(0.1) + Expr::real(0.2), Expr::real(0.1 + 0.2));
  EXPECT_EQ(Expr::real(0.5) * Expr::real(3), Expr::real(1.5));
}

}  // namespace
}  // namespace litz
