#include "expr/estimate.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

Expr symbol(ExprPool& pool, const char* name, Interval range, std::optional<int64_t> hint = {}) {
  return pool.add_symbol({.name = name, .range = range, .hint = hint});
}

TEST(Estimate, ConstantsAreWhatTheyAre) { EXPECT_EQ(estimate(Expr(7)), 7); }

TEST(Estimate, NeverLooksAtTheHint) {
  ExprPool pool;
  const Expr a = symbol(pool, "a", {1, 100000}, 300);
  const Expr b = symbol(pool, "b", {1, 100000}, 3);
  EXPECT_EQ(estimate(a), estimate(b));
  EXPECT_EQ(estimate(a * b + 1), 64 * 64 + 1);
}

TEST(Estimate, StaysInTheRange) {
  ExprPool pool;
  EXPECT_EQ(estimate(symbol(pool, "few", {1, 8})), 8);
  EXPECT_EQ(estimate(symbol(pool, "many", {1000, 2000})), 1000);
  EXPECT_EQ(estimate(symbol(pool, "any", {0, Interval::kMax})), kUnknownSize);
}

TEST(Estimate, AnotherGuessStaysInTheRange) {
  ExprPool pool;
  const Expr bounded = symbol(pool, "bounded", {1, 512});
  EXPECT_EQ(estimate(bounded * 768, 1 << 20), 512 * 768);
  EXPECT_EQ(estimate(symbol(pool, "any", {0, Interval::kMax}), 1 << 20), 1 << 20);
}

TEST(Estimate, OfWhatHasNoValueIsOne) {
  ExprPool pool;
  const Expr zero = symbol(pool, "zero", {0, 0});
  EXPECT_EQ(estimate(floor_div(Expr(5), zero)), 1);
}

}  // namespace
}  // namespace litz
