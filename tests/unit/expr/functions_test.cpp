// Shifts, bits, signs, rounding and application by kind.

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprFunctions : public ::testing::Test {
 protected:
  static Expr call(ExprKind kind, std::initializer_list<Expr> operands) {
    return litz::apply(kind, std::span<const Expr>(operands.begin(), operands.size()));
  }

  ExprPool pool;
  Expr s = pool.add_symbol({"s", SymbolKind::size, {2, Interval::kMax}, {}});
  Expr x = pool.add_symbol({"x", SymbolKind::size, {}, {}});
  Expr r = pool.add_symbol({"r", SymbolKind::real_input, {}, {}});
  Expr k = pool.add_symbol({"k", SymbolKind::size, {0, 1000}, {}});
};

TEST_F(ExprFunctions, ShiftsByConstantsAreArithmetic) {
  EXPECT_EQ(call(ExprKind::shift_left, {x, 3}), 8 * x);
  EXPECT_EQ(call(ExprKind::shift_right, {x, 3}), floor_div(x, 8));
  EXPECT_EQ(call(ExprKind::shift_right, {-1, 70}), Expr(-1));
  EXPECT_EQ(call(ExprKind::shift_left, {0, s}), Expr(0));
  EXPECT_THROW(call(ExprKind::shift_left, {x, -1}), Error);
  EXPECT_THROW(call(ExprKind::shift_left, {1, 63}), Error);
}

TEST_F(ExprFunctions, BitsFold) {
  EXPECT_EQ(call(ExprKind::bit_and, {x, 7}), mod(x, 8));
  EXPECT_EQ(call(ExprKind::bit_and, {12, 10}), Expr(8));
  EXPECT_EQ(call(ExprKind::bit_or, {12, 10}), Expr(14));
  EXPECT_EQ(call(ExprKind::bit_xor, {12, 10}), Expr(6));
  EXPECT_EQ(call(ExprKind::bit_and, {x, 0}), Expr(0));
  EXPECT_EQ(call(ExprKind::bit_and, {x, -1}), x);
  EXPECT_EQ(call(ExprKind::bit_or, {x, 0}), x);
  EXPECT_EQ(call(ExprKind::bit_or, {x, -1}), Expr(-1));
  EXPECT_EQ(call(ExprKind::bit_xor, {x, x}), Expr(0));
  EXPECT_EQ(call(ExprKind::bit_or, {x, s}), call(ExprKind::bit_or, {s, x}));
}

TEST_F(ExprFunctions, SignsFoldByRange) {
  EXPECT_EQ(call(ExprKind::abs, {s}), s);
  EXPECT_EQ(call(ExprKind::abs, {-s}), s);
  EXPECT_EQ(call(ExprKind::abs, {x}).kind(), ExprKind::abs);
  EXPECT_EQ(call(ExprKind::sign, {s}), Expr(1));
  EXPECT_EQ(call(ExprKind::sign, {-s}), Expr(-1));
  EXPECT_EQ(call(ExprKind::sign, {0}), Expr(0));
  EXPECT_EQ(call(ExprKind::abs, {Expr::real(-2)}), Expr::real(2));
  EXPECT_EQ(call(ExprKind::sign, {Expr::real(-2)}), Expr::real(-1));
}

TEST_F(ExprFunctions, RoundTripsThroughRealsAreOnlyExactForSmallIntegers) {
  EXPECT_EQ(call(ExprKind::trunc_to_int, {to_real(k)}), k);
  EXPECT_EQ(call(ExprKind::trunc_to_int, {to_real(x)}).kind(), ExprKind::trunc_to_int);
  EXPECT_EQ(call(ExprKind::floor_to_int, {x}), x);
  EXPECT_EQ(call(ExprKind::floor_to_int, {Expr::real(-1.5)}), Expr(-2));
  EXPECT_EQ(call(ExprKind::round_to_int, {Expr::real(2.5)}), Expr(2));
  EXPECT_THROW(call(ExprKind::trunc_to_int, {Expr::real(1e20)}), Error);
}

TEST_F(ExprFunctions, RealFunctionsFoldConstants) {
  EXPECT_EQ(call(ExprKind::sqrt, {Expr::real(9)}), Expr::real(3));
  EXPECT_EQ(call(ExprKind::pow, {Expr::real(2), Expr::real(0.5)}).domain(), ExprDomain::real);
  EXPECT_EQ(true_div(1, 4), Expr::real(0.25));
  EXPECT_EQ(call(ExprKind::round_decimals, {Expr::real(2.675), 2}), Expr::real(2.67));
  EXPECT_THROW(call(ExprKind::sqrt, {s}), Error);
  EXPECT_THROW(true_div(s, 0), Error);
}

TEST_F(ExprFunctions, DenseIndicator) {
  EXPECT_EQ(call(ExprKind::dense_indicator, {2, 3, 3, 1}), Expr(1));
  EXPECT_EQ(call(ExprKind::dense_indicator, {2, 3, 1, 2}), Expr(1));
  EXPECT_EQ(call(ExprKind::dense_indicator, {2, 3, 4, 1}), Expr(0));
  EXPECT_EQ(call(ExprKind::dense_indicator, {5, 2}), Expr(0));
  EXPECT_EQ(call(ExprKind::dense_indicator, {1, 9}), Expr(1));
  EXPECT_EQ(call(ExprKind::dense_indicator, {1, 3, 77, 1}), Expr(1));
  EXPECT_EQ(call(ExprKind::dense_indicator, {}), Expr(1));
  EXPECT_EQ(bounds(call(ExprKind::dense_indicator, {s, 3, 3, 1})), (Interval{0, 1}));
  EXPECT_THROW(call(ExprKind::dense_indicator, {s, 3, 1}), Error);
}

TEST_F(ExprFunctions, ArityIsChecked) {
  EXPECT_THROW(call(ExprKind::floor_div, {x}), Error);
  EXPECT_THROW(call(ExprKind::where, {x, s}), Error);
  EXPECT_THROW(call(ExprKind::add, {}), Error);
  EXPECT_THROW(call(ExprKind::symbol, {}), Error);
  EXPECT_EQ(call(ExprKind::add, {x, s, x}), 2 * x + s);
}

}  // namespace
}  // namespace litz
