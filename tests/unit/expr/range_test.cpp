// Ranges of single functions.

#include <gtest/gtest.h>

#include "expr/expr.h"

namespace litz {
namespace {

class ExprRange : public ::testing::Test {
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
  Expr x = symbol("x", {-3, 5});
  Expr any = symbol("any", {});
};

TEST_F(ExprRange, Arithmetic) {
  EXPECT_EQ(bounds(7), (Interval{7, 7}));
  EXPECT_EQ(bounds(any), (Interval{kMin, kMax}));
  EXPECT_EQ(bounds(2 * x - u + 1), (Interval{-15, 11}));
  EXPECT_EQ(bounds(s0 * s1), (Interval{4, kMax}));
  EXPECT_EQ(bounds(x * u), (Interval{-30, 50}));
  EXPECT_EQ(bounds(x * x), (Interval{0, 25}));
  EXPECT_EQ(bounds(-s0), (Interval{kMin, -2}));
  EXPECT_EQ(bounds(pow(x, 3)), (Interval{-27, 125}));
}

TEST_F(ExprRange, Functions) {
  EXPECT_EQ(bounds(floor_div(x, 2)), (Interval{-2, 2}));
  EXPECT_EQ(bounds(floor_div(u, s0)), (Interval{0, 5}));
  EXPECT_EQ(bounds(floor_div(any, s0)), (Interval{kMin, kMax}));
  EXPECT_EQ(bounds(floor_div(x, any)), (Interval{-5, 5}));
  EXPECT_EQ(bounds(mod(any, 8)), (Interval{0, 7}));
  EXPECT_EQ(bounds(mod(u, s0)), (Interval{0, 10}));
  EXPECT_EQ(bounds(min(x, 3)), (Interval{-3, 3}));
  EXPECT_EQ(bounds(max(x, u)), (Interval{0, 10}));
  EXPECT_EQ(bounds(where(eq(x, 1), u, -1)), (Interval{-1, 10}));
  const Expr pair[] = {u, s0};
  EXPECT_EQ(bounds(litz::apply(ExprKind::bit_and, pair)), (Interval{0, 10}));
  EXPECT_EQ(bounds(litz::apply(ExprKind::bit_or, std::span(pair).first(2))).lo, 2);
}

TEST_F(ExprRange, Reals) {
  const Expr half = Expr::real(0.5) * to_real(s0);
  EXPECT_EQ(bounds(litz::apply(ExprKind::trunc_to_int, {&half, 1})), (Interval{1, kMax}));
  const Expr ratio = true_div(u, 3);
  EXPECT_EQ(bounds(litz::apply(ExprKind::floor_to_int, {&ratio, 1})), (Interval{0, 3}));
  EXPECT_EQ(bounds(litz::apply(ExprKind::ceil_to_int, {&ratio, 1})), (Interval{0, 4}));
}

}  // namespace
}  // namespace litz
