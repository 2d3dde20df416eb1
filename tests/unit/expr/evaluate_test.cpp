// Evaluation: checked arithmetic, errors, reals.

#include <functional>

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "expr/parse.h"
#include "support/check.h"

namespace litz {
namespace {

class ExprEvaluate : public ::testing::Test {
 protected:
  ExprEvaluate() {
    bindings.set(a.symbol(), 7);
    bindings.set(b.symbol(), -2);
    bindings.set_real(r.symbol(), 2.5);
    bindings.set_boolean(flag.symbol(), true);
  }

  Expr parse(const char* text) { return parse_expr(text, pool); }

  static ErrorCode code_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "expected an error";
    return ErrorCode::internal;
  }

  ExprPool pool;
  Expr a = pool.add_symbol({"a", SymbolKind::size, {}, {}});
  Expr b = pool.add_symbol({"b", SymbolKind::size, {}, {}});
  Expr r = pool.add_symbol({"r", SymbolKind::real_input, {}, {}});
  Expr flag = pool.add_symbol({"flag", SymbolKind::boolean, {}, {}});
  Bindings bindings;
};

TEST_F(ExprEvaluate, Integers) {
  const std::pair<const char*, int64_t> cases[] = {
      {"a + b*3 - 1", 0},
      {"a//b", -4},
      {"mod(a, b)", -1},
      {"-a//2", -4},
      {"ceil_div(a, 2)", 4},
      {"min(a, b, 3)", -2},
      {"max(a, b, 3)", 7},
      {"a**3", 343},
      {"2**a", 128},
      {"a << 2", 28},
      {"a >> 1", 3},
      {"b >> a", -1},
      {"a & b", 6},
      {"a | b", -1},
      {"a ^ b", -7},
      {"abs(b)", 2},
      {"sign(b)", -1},
      {"sign(a - 7)", 0},
      {"where(a < b, 1, 2)", 2},
      {"clean_div(a + 1, 2)", 4},
      {"trunc_to_int(r)", 2},
      {"round_to_int(r)", 2},
      {"ceil_to_int(r)", 3},
      {"floor_to_int(-r)", -3},
      {"dense_indicator(a, 3, 3, 1)", 1},
      {"dense_indicator(a, 3, 1, 6)", 0},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(evaluate(parse(text), bindings), value) << text;
  }
}

TEST_F(ExprEvaluate, RealsAndBooleans) {
  EXPECT_EQ(evaluate_real(parse("a/b"), bindings), -3.5);
  EXPECT_EQ(evaluate_real(parse("r*2 + a"), bindings), 12);
  EXPECT_EQ(evaluate_real(parse("sqrt(r**2)"), bindings), 2.5);
  EXPECT_EQ(evaluate_real(parse("round(r/100, 2)"), bindings), 0.03);
  EXPECT_EQ(evaluate_real(parse("max(r, 3)"), bindings), 3);
  EXPECT_EQ(evaluate_real(parse("where(flag, r, 0.0)"), bindings), 2.5);
  EXPECT_TRUE(evaluate_boolean(parse("r > 2 and b < 0 < a"), bindings));
  EXPECT_FALSE(evaluate_boolean(parse("not flag or a == b"), bindings));
  EXPECT_TRUE(evaluate_boolean(parse("flag == true"), bindings));
  EXPECT_EQ(evaluate(std::vector<Expr>{a, b + 1, 3}, bindings), (std::vector<int64_t>{7, -1, 3}));
}

TEST_F(ExprEvaluate, ErrorsAreReported) {
  const Expr zero = a - 7;
  EXPECT_EQ(code_of([&] { evaluate(floor_div(b, zero), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(mod(b, zero), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate_real(true_div(b, zero), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("a << b"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("a >> b"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("a ** b"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("a ** 40"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("10 ** (a * 3)"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("a << 62"), bindings); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("trunc_to_int(r * 1e30)"), bindings); }),
            ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("trunc_to_int(sqrt(-r))"), bindings); }),
            ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { evaluate(parse("unbound + 1"), bindings); }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { evaluate(r, bindings); }), ErrorCode::invalid_argument);
}

TEST_F(ExprEvaluate, TheCanonicalFormFitsWhereTheFormulaFits) {
  bindings.set(a.symbol(), 1'000'000'000'000);
  bindings.set(b.symbol(), 999'999'999'999);
  EXPECT_EQ(evaluate((a - b) * 1'000'000'000 * 1000, bindings), 1'000'000'000'000);
}

TEST_F(ExprEvaluate, AnUndecidedOperandMayFailWhenAnotherDecides) {
  const Expr guarded = parse("a == 7 or b//(a - 7) == 2");
  EXPECT_TRUE(evaluate_boolean(guarded, bindings));
  EXPECT_FALSE(evaluate_boolean(parse("a != 7 and b//(a - 7) == 2"), bindings));
  EXPECT_THROW(evaluate_boolean(parse("a == 7 and b//(a - 7) == 2"), bindings), Error);
}

TEST_F(ExprEvaluate, SharedPartsAreVisitedOnce) {
  Expr e = a;
  for (int i = 0; i < 60; ++i) e = max(floor_div(3 * e + i, 2), e - 5) - min(e, b);
  EXPECT_NO_THROW({
    try {
      evaluate(e, bindings);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    }
  });
  EXPECT_THROW(to_string(e), Error);
}

}  // namespace
}  // namespace litz
