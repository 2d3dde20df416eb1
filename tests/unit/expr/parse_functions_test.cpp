// Every function of the text formats, by value.

#include "expr/parse_functions.h"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/parse.h"

namespace litz {
namespace {

class ExprParseFunctions : public ::testing::Test {
 protected:
  // With u0 = 17, u1 = -5, u2 = 1, zf0 = 0.75.
  Bindings bind() {
    Bindings bindings;
    for (const auto& [name, value] :
         {std::pair{"u0", 17}, std::pair{"u1", -5}, std::pair{"u2", 1}}) {
      bindings.set(find_or_add_symbol(pool, name, false).symbol(), value);
    }
    bindings.set_real(find_or_add_symbol(pool, "zf0", false).symbol(), 0.75);
    return bindings;
  }

  ExprPool pool;
};

TEST_F(ExprParseFunctions, Integers) {
  const std::pair<const char*, int64_t> cases[] = {
      {"Symbol('u0', integer=True)", 17},
      {"Integer(-3)", -3},
      {"Add(u0, u1, Integer(2))", 14},
      {"Mul(u0, u1)", -85},
      {"Pow(u1, Integer(3))", -125},
      {"Max(u0, u1, u2)", 17},
      {"Min(u0)", 17},
      {"Min(u0, u1, u2)", -5},
      {"Mod(u0, Integer(5))", 2},
      {"PythonMod(u1, Integer(3))", 1},
      {"PythonMod(u0, u1)", -3},
      {"FloorDiv(u0, u1)", -4},
      {"CleanDiv(Add(u0, u2), Integer(3))", 6},
      {"CeilDiv(u0, Integer(4))", 5},
      {"ModularIndexing(u0, Integer(2), Integer(3))", 2},
      {"Where(Equality(u2, Integer(1)), u0, u1)", 17},
      {"PowByNatural(u1, Integer(2))", 25},
      {"PowByNatural(Integer(2), u0)", 131072},
      {"TruncToInt(IntTrueDiv(u1, Integer(2)))", -2},
      {"FloorToInt(IntTrueDiv(u1, Integer(2)))", -3},
      {"CeilToInt(IntTrueDiv(u1, Integer(2)))", -2},
      {"RoundToInt(IntTrueDiv(u1, Integer(2)))", -2},
      {"LShift(u0, Integer(3))", 136},
      {"LShift(u2, u0)", 131072},
      {"RShift(u0, Integer(2))", 4},
      {"RShift(u1, u2)", -3},
      {"Identity(u0)", 17},
      {"IsNonOverlappingAndDenseIndicator(u0, Integer(4), Integer(4), u2)", 1},
      {"IsNonOverlappingAndDenseIndicator(u0, Integer(4), Integer(5), u2)", 0},
      {"IsNonOverlappingAndDenseIndicator()", 1},
      {"BitwiseFn_bitwise_and(u0, u1)", 17},
      {"BitwiseFn_bitwise_or(u0, Integer(6))", 23},
      {"BitwiseFn_bitwise_xor(u0, Integer(5))", 20},
      {"Piecewise(ExprCondPair(Integer(1), Equality(u0, u1)), ExprCondPair(u0, true))", 17},
      {"floor(Mul(Rational(1, 2), u0))", 8},
      {"ceiling(Mul(u0, Pow(Integer(2), Integer(-1))))", 9},
      {"Abs(u1)", 5},
      {"sign(u1)", -1},
  };
  for (const auto& [text, value] : cases) {
    const Expr expr = parse_expr(text, pool);
    EXPECT_EQ(evaluate(expr, bind()), value) << text;
    EXPECT_EQ(parse_expr(to_string(expr), pool), expr) << expr;
  }
}

TEST_F(ExprParseFunctions, Reals) {
  const double x = 0.75;
  const std::pair<const char*, double> cases[] = {
      {"Symbol('zf0')", x},
      {"Float('2.5', precision=53)", 2.5},
      {"Add(Rational(1, 4), zf0)", 1},
      {"Mul(u0, Rational(1, 2))", 8.5},
      {"Pow(u0, Integer(-1))", 1.0 / 17},
      {"FloatPow(zf0, Float('2.0', precision=53))", x * x},
      {"IntTrueDiv(u0, u1)", 17.0 / -5.0},
      {"FloatTrueDiv(zf0, ToFloat(u0))", x / 17},
      {"ToFloat(u0)", 17},
      {"TruncToFloat(FloatTrueDiv(ToFloat(u1), Float('2.0')))", -2},
      {"RoundDecimal(zf0, Integer(1))", 0.8},
      {"OpaqueUnaryFn_sqrt(zf0)", std::sqrt(x)},
      {"OpaqueUnaryFn_cos(zf0)", std::cos(x)},
      {"OpaqueUnaryFn_sin(zf0)", std::sin(x)},
      {"OpaqueUnaryFn_tan(zf0)", std::tan(x)},
      {"OpaqueUnaryFn_cosh(zf0)", std::cosh(x)},
      {"OpaqueUnaryFn_sinh(zf0)", std::sinh(x)},
      {"OpaqueUnaryFn_tanh(zf0)", std::tanh(x)},
      {"OpaqueUnaryFn_asin(zf0)", std::asin(x)},
      {"OpaqueUnaryFn_acos(zf0)", std::acos(x)},
      {"OpaqueUnaryFn_atan(zf0)", std::atan(x)},
      {"OpaqueUnaryFn_asinh(zf0)", std::asinh(x)},
      {"OpaqueUnaryFn_exp(zf0)", std::exp(x)},
      {"OpaqueUnaryFn_log(zf0)", std::log(x)},
      {"OpaqueUnaryFn_log2(zf0)", std::log2(x)},
      {"Abs(Mul(Float('-1.0'), zf0))", x},
      {"Where(GreaterThan(u0, u1), zf0, Integer(2))", x},
      {"Max(zf0, Integer(2))", 2},
  };
  for (const auto& [text, value] : cases) {
    const Expr expr = parse_expr(text, pool);
    EXPECT_DOUBLE_EQ(evaluate_real(expr, bind()), value) << text;
    EXPECT_EQ(parse_expr(to_string(expr), pool), expr) << expr;
  }
}

TEST_F(ExprParseFunctions, Booleans) {
  const std::pair<const char*, bool> cases[] = {
      {"Equality(u0, Integer(17))", true},
      {"Unequality(u0, Integer(17))", false},
      {"StrictLessThan(u1, u0)", true},
      {"LessThan(u0, Integer(17))", true},
      {"LessThan(u0, Integer(16))", false},
      {"StrictGreaterThan(u0, Integer(17))", false},
      {"GreaterThan(u0, Integer(17))", true},
      {"StrictLessThan(zf0, Integer(1))", true},
      {"And(Equality(u2, Integer(1)), LessThan(u1, u2))", true},
      {"Or(Equality(u2, Integer(3)), LessThan(u2, u1), false)", false},
      {"Not(Equality(u2, Integer(3)))", true},
      {"And(true)", true},
      {"Eq(u2, 1)", true},
      {"Ne(u2, 1)", false},
      {"Lt(u2, 1)", false},
      {"Le(u2, 1)", true},
      {"Gt(u2, 1)", false},
      {"Ge(u2, 1)", true},
  };
  for (const auto& [text, value] : cases) {
    const Expr expr = parse_expr(text, pool);
    EXPECT_EQ(evaluate_boolean(expr, bind()), value) << text;
    EXPECT_EQ(parse_expr(to_string(expr), pool), expr) << expr;
  }
}

TEST_F(ExprParseFunctions, TheTableIsSearchedByName) {
  ASSERT_NE(find_text_function("FloorDiv"), nullptr);
  EXPECT_EQ(find_text_function("FloorDiv")->least, 2);
  EXPECT_EQ(find_text_function("Floor"), nullptr);
  EXPECT_EQ(find_text_function(""), nullptr);
  EXPECT_EQ(find_text_function("zzz"), nullptr);
}

// Printed function names must be readable.
TEST_F(ExprParseFunctions, EveryPrintedFunctionIsKnown) {
  for (const ExprKind kind :
       {ExprKind::mod,          ExprKind::clean_div,    ExprKind::min,
        ExprKind::max,          ExprKind::where,        ExprKind::to_real,
        ExprKind::trunc_to_int, ExprKind::floor_to_int, ExprKind::ceil_to_int,
        ExprKind::round_to_int, ExprKind::trunc_real,   ExprKind::round_decimals,
        ExprKind::abs,          ExprKind::sign,         ExprKind::dense_indicator,
        ExprKind::sqrt,         ExprKind::cos,          ExprKind::sin,
        ExprKind::tan,          ExprKind::cosh,         ExprKind::sinh,
        ExprKind::tanh,         ExprKind::asin,         ExprKind::acos,
        ExprKind::atan,         ExprKind::asinh,        ExprKind::exp,
        ExprKind::log,          ExprKind::log2}) {
    EXPECT_NE(find_text_function(name(kind)), nullptr) << name(kind);
  }
}

}  // namespace
}  // namespace litz
