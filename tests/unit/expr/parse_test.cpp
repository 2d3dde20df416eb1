// The parser: constructor notation, infix text, guards, errors and limits.

#include "expr/parse.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

class ExprParse : public ::testing::Test {
 protected:
  Expr parse(const std::string& text) { return parse_expr(text, pool); }

  static ErrorCode code_of(const std::string& text, std::string* message = nullptr) {
    ExprPool fresh;
    try {
      parse_expr(text, fresh);
    } catch (const Error& error) {
      if (message != nullptr) *message = error.what();
      return error.code();
    }
    ADD_FAILURE() << "expected an error for " << text;
    return ErrorCode::internal;
  }

  ExprPool pool;
};

TEST_F(ExprParse, ConstructorExamples) {
  const Expr s77 = parse("Symbol('s77', positive=True, integer=True)");
  EXPECT_EQ(s77, pool.find_symbol("s77"));
  EXPECT_EQ(bounds(s77).lo, 1);
  EXPECT_EQ(parse("Add(Mul(Integer(2), Symbol('s77', positive=True, integer=True)), Integer(1))"),
            2 * s77 + 1);
  const Expr real = Expr::real(1.5) * to_real(s77);
  EXPECT_EQ(parse("TruncToInt(Mul(Float('1.5', precision=53), ToFloat(Symbol('s77', "
                  "positive=True, integer=True))))"),
            litz::apply(ExprKind::trunc_to_int, {&real, 1}));
  const Expr u1 = parse("Symbol('u1', integer=True)");
  EXPECT_EQ(parse("Equality(Symbol('u1', integer=True), Integer(1))"), eq(u1, 1));
  EXPECT_EQ(parse("Symbol('zuf0')").domain(), ExprDomain::real);
  EXPECT_EQ(parse("Add(Symbol('s77'), Mul(Integer(-1), Symbol('u1')))"), s77 - u1);
  EXPECT_EQ(parse("Symbol(\"s77\")"), s77);
}

TEST_F(ExprParse, SymbolsGetTheRangesOfTheirPrefix) {
  EXPECT_EQ(bounds(parse("s1")), (Interval{0, Interval::kMax}));
  EXPECT_EQ(bounds(parse("Symbol('s2', positive=True)")), (Interval{1, Interval::kMax}));
  EXPECT_EQ(bounds(parse("Symbol('s3', positive=False)")), (Interval{0, Interval::kMax}));
  EXPECT_EQ(bounds(parse("u0")), Interval{});
  EXPECT_EQ(pool.symbol(parse("u0").symbol()).kind, SymbolKind::data_dependent);
  EXPECT_EQ(pool.symbol(parse("s1").symbol()).kind, SymbolKind::size);
  EXPECT_EQ(pool.symbol(parse("zf3").symbol()).kind, SymbolKind::real_input);
  EXPECT_EQ(pool.symbol(parse("zuf3").symbol()).kind, SymbolKind::real_data);
}

TEST_F(ExprParse, InfixOfOlderWriters) {
  const Expr s0 = parse("s0");
  const Expr u0 = parse("u0");
  EXPECT_EQ(parse("s0 + 1"), s0 + 1);
  EXPECT_EQ(parse("Mod(s0, 3)"), mod(s0, 3));
  EXPECT_EQ(parse("s0//2"), floor_div(s0, 2));
  EXPECT_EQ(parse("64*s1"), 64 * parse("s1"));
  EXPECT_EQ(parse("s0**2"), s0 * s0);
  EXPECT_EQ(parse("Eq(u0, 1)"), eq(u0, 1));
  EXPECT_EQ(parse("Max(1, u0)"), max(1, u0));
  EXPECT_EQ(parse("Ne(u0, 1) & (u0 < 4)"), logical_and(ne(u0, 1), lt(u0, 4)));
  EXPECT_EQ(parse("floor(s0/2)"), floor_div(s0, 2));
  EXPECT_EQ(parse("ceiling(s0/2)"), ceil_div(s0, 2));
  EXPECT_EQ(parse("Piecewise((1, Eq(u0, 0)), (u0, True))"), where(eq(u0, 0), 1, u0));
  EXPECT_EQ(parse("int_oo"), Expr(INT64_MAX));
}

TEST_F(ExprParse, PrecedenceIsPythons) {
  const Expr a = parse("u0");
  const Expr b = parse("u1");
  EXPECT_EQ(parse("-u0**2"), -(a * a));
  EXPECT_EQ(parse("2**-1"), Expr::real(0.5));
  EXPECT_EQ(parse("2**3**2"), Expr(512));
  EXPECT_EQ(parse("-7 // 2"), Expr(-4));
  EXPECT_EQ(parse("-7 % 3"), Expr(2));
  EXPECT_EQ(parse("u0 - u1 - 1"), a - b - 1);
  EXPECT_EQ(parse("2*u0//3*u1"), floor_div(2 * a, 3) * b);
  EXPECT_EQ(parse("1 + 2 << 3"), Expr(24));
  EXPECT_EQ(parse("6 & 3 == 2"), Expr::boolean(true));
  EXPECT_EQ(parse("1 | 6 & 2 ^ 4"), Expr(7));
  EXPECT_EQ(parse("not u0 == 1 or u1 == 2 and u0 == 3"),
            logical_or(ne(a, 1), logical_and(eq(b, 2), eq(a, 3))));
  EXPECT_EQ(parse("0 <= u0 < u1"), logical_and(le(0, a), lt(a, b)));
  EXPECT_EQ(parse("+u0"), a);
  EXPECT_EQ(parse("--u0"), a);
}

TEST_F(ExprParse, Numbers) {
  EXPECT_EQ(parse("9223372036854775807"), Expr(INT64_MAX));
  EXPECT_EQ(parse("-9223372036854775808"), Expr(INT64_MIN));
  EXPECT_EQ(parse("1.5e-3"), Expr::real(0.0015));
  EXPECT_EQ(parse("1e3"), Expr::real(1000));
  EXPECT_EQ(parse("2."), Expr::real(2));
  EXPECT_EQ(parse("Integer(-4)"), Expr(-4));
  EXPECT_EQ(parse("Float('1.25', precision=53)"), Expr::real(1.25));
  EXPECT_EQ(parse("Float('-1.25')"), Expr::real(-1.25));
  EXPECT_EQ(parse("Rational(1, 4)"), Expr::real(0.25));
  EXPECT_EQ(code_of("9223372036854775808"), ErrorCode::corrupt);
  EXPECT_EQ(code_of("Float('x')"), ErrorCode::corrupt);
}

TEST_F(ExprParse, GuardPaths) {
  std::vector<GuardPath> seen;
  SymbolResolver resolver;
  resolver.path = [&](const GuardPath& path) {
    seen.push_back(path);
    return find_or_add_symbol(pool, "s" + std::to_string(seen.size()), false);
  };
  using Accessor = GuardPath::Accessor;
  parse_expr(
      "L['x'].size()[0] == L['a'][1]['k'].stride()[-1] and L['n'] >= 0 and "
      "L['x'].storage_offset() == 0 and L['x'].ndim == 2 and L['y'].shape[1] == L[\"y\"].size(0)",
      pool, resolver);
  const std::vector<GuardPath> expected = {
      {"x", {}, Accessor::size, 0},  {"a", {int64_t{1}, "k"}, Accessor::stride, -1},
      {"n", {}, Accessor::value, 0}, {"x", {}, Accessor::storage_offset, 0},
      {"x", {}, Accessor::rank, 0},  {"y", {}, Accessor::size, 1},
      {"y", {}, Accessor::size, 0},
  };
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(to_string(expected[1]), "L['a'][1]['k'].stride()[-1]");
  EXPECT_EQ(to_string(expected[0]), "L['x'].size()[0]");
  EXPECT_EQ(to_string(expected[3]), "L['x'].storage_offset()");
  EXPECT_EQ(to_string(expected[4]), "L['x'].ndim");
}

TEST_F(ExprParse, GuardFunctions) {
  const Expr s = parse("s5");
  SymbolResolver resolver;
  resolver.path = [&](const GuardPath&) { return s; };
  const auto holds_for = [&](const char* text) {
    std::vector<int64_t> out;
    const Expr guard = parse_expr(text, pool, resolver);
    for (int64_t value = 0; value < 30; ++value) {
      Bindings bindings;
      bindings.set(s.symbol(), value);
      if (evaluate_boolean(guard, bindings)) out.push_back(value);
    }
    return out;
  };
  using Values = std::vector<int64_t>;
  EXPECT_EQ(holds_for("math.trunc(L['x'].size()[0] / 3) == 4"), (Values{12, 13, 14}));
  EXPECT_EQ(holds_for("math.trunc(0.5*torch.sym_float(L['x'].size()[0])) == 6"), (Values{12, 13}));
  EXPECT_EQ(holds_for("(L['x'].size()[0] // 2) == 2"), (Values{4, 5}));
  EXPECT_EQ(holds_for("math.floor(L['x'].size()[0] / 4) == 2"), (Values{8, 9, 10, 11}));
  EXPECT_EQ(holds_for("math.ceil(L['x'].size()[0] / 4) == 2"), (Values{5, 6, 7, 8}));
  EXPECT_EQ(holds_for("math.sqrt(L['x'].size()[0]) == 5"), (Values{25}));
  EXPECT_EQ(holds_for("torch._sym_sqrt(torch.sym_float(L['x'].size()[0])) == 5.0"), (Values{25}));
  EXPECT_EQ(holds_for("round(L['x'].size()[0] / 2) == 2"), (Values{3, 4, 5}));
  EXPECT_EQ(holds_for("int(L['x'].size()[0] * 1.5) == 6"), (Values{4}));
  EXPECT_EQ(holds_for("float(L['x'].size()[0]) < 2.5"), (Values{0, 1, 2}));
  EXPECT_EQ(holds_for("torch.sym_max(3, L['x'].size()[0]) == 3"), (Values{0, 1, 2, 3}));
  EXPECT_EQ(holds_for("torch.sym_min(3, L['x'].size()[0]) == 2"), (Values{2}));
  EXPECT_EQ(holds_for("2 <= L['x'].size()[0] < 5"), (Values{2, 3, 4}));
  EXPECT_EQ(holds_for("L['x'].size()[0] % 10 == 3 or L['x'].size()[0] ** 2 == 16"),
            (Values{3, 4, 13, 23}));
  EXPECT_EQ(holds_for("L['x'].size()[0] & 7 == 7 ^ 2"), (Values{5, 13, 21, 29}));
  EXPECT_EQ(holds_for("(1 << L['x'].size()[0]) >> 1 == 8"), (Values{4}));
}

TEST_F(ExprParse, ErrorsNameThePlaceAndWhatWasExpected) {
  std::string message;
  EXPECT_EQ(code_of("s0 + * 2", &message), ErrorCode::corrupt);
  EXPECT_EQ(message, "malformed expression: expected a value, found '*' at offset 5 of s0 + * 2");
  EXPECT_EQ(code_of("Add(s0, 1", &message), ErrorCode::corrupt);
  EXPECT_NE(message.find("expected ')', found the end"), std::string::npos) << message;
  EXPECT_EQ(code_of("FloorDiv(s0)", &message), ErrorCode::corrupt);
  EXPECT_NE(message.find("expected 2 arguments for FloorDiv, not 1"), std::string::npos) << message;
  EXPECT_EQ(code_of("Frobnicate(s0)", &message), ErrorCode::corrupt);
  EXPECT_NE(message.find("known function, not 'Frobnicate'"), std::string::npos) << message;
  for (const char* text : {"",
                           "s0 s1",
                           "(s0",
                           "s0)",
                           "1 +",
                           "s0 # 1",
                           "'text'",
                           "Symbol(s0)",
                           "Symbol('s0'",
                           "12abc",
                           "Symbol('s0)",
                           "L['x'].size()[0] == 1",
                           "Add()",
                           "Not(s0)",
                           "And(s0, s1)",
                           "s0 + True",
                           "math.gamma(s0)",
                           "foo.bar",
                           "Where(1, 2, 3)",
                           "Piecewise((1, Eq(s0, 1)))",
                           "Piecewise()",
                           "zf0 // 2",
                           "zf0 % 2",
                           "Integer(s0)",
                           "Rational(s0, 2)",
                           "not",
                           "s0 ==",
                           "Integer()",
                           "IsNonOverlappingAndDenseIndicator(s0)",
                           "Eq(zf0, True)",
                           "Symbol('s0', 3)"}) {
    EXPECT_EQ(code_of(text), ErrorCode::corrupt) << text;
  }
  EXPECT_EQ(code_of("1 // 0"), ErrorCode::out_of_range);
  EXPECT_EQ(code_of("9223372036854775807 + 1"), ErrorCode::out_of_range);
}

TEST_F(ExprParse, NestingIsLimited) {
  const auto nested = [](const std::string& open, const std::string& close, int count) {
    std::string text = "s0";
    for (int i = 0; i < count; ++i) text = open + text + close;
    return text;
  };
  EXPECT_NO_THROW(parse(nested("(", ")", 200)));
  EXPECT_EQ(code_of(nested("(", ")", 300)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(nested("-", "", 3000)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(nested("not ", "", 3000)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(nested("2**", "", 3000)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(nested("Identity(", ")", 3000)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(std::string(100'000, '(')), ErrorCode::limit_exceeded);
}

TEST_F(ExprParse, LongChainsTakeLinearTime) {
  std::string text = "s0";
  for (int i = 1; i < 20'000; ++i) text += " + s" + std::to_string(i % 50);
  EXPECT_EQ(parse(text).operands().size(), 50U);
  text = "u0 != 0";
  for (int i = 1; i < 2'000; ++i) text += " and u" + std::to_string(i) + " != 0";
  const Expr all = parse(text);
  EXPECT_EQ(all.operands().size(), 2'000U);
  EXPECT_EQ(parse(to_string(all)), all);
  EXPECT_EQ(parse(text + " and u1000 == 0"), Expr::boolean(false));
}

TEST_F(ExprParse, ResolverDecidesWhatNamesMean) {
  SymbolResolver resolver;
  std::vector<std::pair<std::string, bool>> asked;
  resolver.symbol = [&](const std::string& name, bool positive) {
    asked.emplace_back(name, positive);
    return Expr(4);
  };
  EXPECT_EQ(parse_expr("s0 * Symbol('weird name', positive=True)", pool, resolver), Expr(16));
  EXPECT_EQ(asked,
            (std::vector<std::pair<std::string, bool>>{{"s0", false}, {"weird name", true}}));
}

}  // namespace
}  // namespace litz
