// The text of expressions.

#include <sstream>

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "expr/parse.h"

namespace litz {
namespace {

// Text to parse and text to print; the second must read back to the same expression.
struct Case {
  const char* input;
  const char* text;
};

constexpr Case kCases[] = {
    {"1 + s0*2", "2*s0 + 1"},
    {"s10 + s2", "s2 + s10"},
    {"s1*s0", "s0*s1"},
    {"-s0", "-s0"},
    {"s1 - 3*s0", "-3*s0 + s1"},
    {"s0 - s1 - 1", "s0 - s1 - 1"},
    {"s0**2 * 4", "4*s0**2"},
    {"(s0 + 1)**2", "s0**2 + 2*s0 + 1"},
    {"s0//3", "s0//3"},
    {"2*(s0//3) + 1", "2*(s0//3) + 1"},
    {"s1 + s0//3", "s1 + s0//3"},
    {"s1 - s0//3", "s1 - s0//3"},
    {"-(s0//3)", "-(s0//3)"},
    {"(s0 + 1)//s1", "(s0 + 1)//s1"},
    {"s0 // s1 // s2", "s0//(s1*s2)"},
    {"s0 // (s1 // s2)", "s0//(s1//s2)"},
    {"s0 % 3", "mod(s0, 3)"},
    {"Max(1, u0)", "max(1, u0)"},
    {"2 ** s0", "2**s0"},
    {"(-2) ** s0", "(-2)**s0"},
    {"(s0 + 1)**s1", "(s0 + 1)**s1"},
    {"2 ** 3 ** s0", "2**3**s0"},
    {"u0 == 3", "u0 == 3"},
    {"u0 < 3", "u0 <= 2"},
    {"u0 > u1 and u0 != 7 or not zf0 < 1", "u0 != 7 and u1 + 1 <= u0 or not zf0 < 1.0"},
    {"s0 / 2", "s0/2"},
    {"zf0 / (zf1 / 2.5)", "zf0/(zf1/2.5)"},
    {"zf0 - zf1", "zf0 + -1.0*zf1"},
    {"0.5 * s0", "0.5*to_real(s0)"},
    {"zf0 * 1e30 + 2", "2.0 + 1e+30*zf0"},
    {"TruncToInt(zf0) + 1", "trunc_to_int(zf0) + 1"},
    {"u0 & 12 | u1 ^ 5", "12 & u0 | 5 ^ u1"},
    {"u0 << u1 >> 2", "(u0 << u1)//4"},
    {"Where(Eq(u0, 1), u1, 2)", "where(u0 == 1, u1, 2)"},
    // Too large to multiply out: small powers and the sign must not be applied to one factor alone.
    {"(s0 + 1)*(u0 + u1 + 1)*(u0 + u2 + 1)*(u0 + u3 + 1)*(u1 + u2 + 1)*(s0 + 1)",
     "(s0 + 1)*(s0 + 1)*(u0 + u1 + 1)*(u0 + u2 + 1)*(u0 + u3 + 1)*(u1 + u2 + 1)"},
    {"0 - (u0 + u1 + 1)*(u0 + u2 + 1)*(u0 + u3 + 1)*(u1 + u2 + 1)",
     "-1*(u0 + u1 + 1)*(u0 + u2 + 1)*(u0 + u3 + 1)*(u1 + u2 + 1)"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"True", "true"},
    {"2.0", "2.0"},
    {"oo", "inf"},
    {"Symbol('pi') + Symbol('not') + Symbol('a b')",
     "Symbol('a b') + Symbol('not') + Symbol('pi')"},
    {"Symbol(\"it's\") + s0", "Symbol(\"it's\") + s0"},
};

TEST(ExprPrint, TextIsCanonicalAndReadsBack) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.input);
    ExprPool pool;
    SymbolResolver resolver;
    // Without a lower limit, so that nothing folds by range.
    resolver.symbol = [&](const std::string& name, bool) {
      if (const auto found = pool.find_symbol(name)) return *found;
      const bool real = name.starts_with("zf");
      return pool.add_symbol({name,
                              real ? SymbolKind::real_input : SymbolKind::size,
                              {name[0] == 's' ? 1 : Interval::kMin, Interval::kMax},
                              {}});
    };
    const Expr expr = parse_expr(c.input, pool, resolver);
    EXPECT_EQ(to_string(expr), c.text);
    EXPECT_EQ(parse_expr(to_string(expr), pool, resolver), expr);
  }
}

TEST(ExprPrint, StreamsAndKindNames) {
  std::ostringstream out;
  out << Expr(3) << ' ' << Expr::real(-0.5) << ' ' << Expr::boolean(false);
  EXPECT_EQ(out.str(), "3 -0.5 false");
  EXPECT_EQ(name(ExprKind::floor_div), "floor_div");
  EXPECT_EQ(name(ExprKind::log2), "log2");
}

}  // namespace
}  // namespace litz
