// Guards and ranges: what a user sees who passes an unexpected shape.

#include "expr/guard.h"

#include <gtest/gtest.h>

#include "expr/parse.h"
#include "support/check.h"

namespace litz {
namespace {

class GuardTest : public ::testing::Test {
 protected:
  Guard guard(const char* text) { return {parse_expr(text, pool), text}; }

  std::string message(const Guard& g, ErrorCode code = ErrorCode::invalid_argument) {
    try {
      check_guards({&g, 1}, bindings);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "";
  }

  void set(const char* name, int64_t value) {
    bindings.set(find_or_add_symbol(pool, name, false).symbol(), value);
  }

  ExprPool pool;
  Bindings bindings;
};

TEST_F(GuardTest, GuardsThatHoldAreSilent) {
  set("s0", 4);
  set("s1", 4);
  const Guard guards[] = {guard("s0 == s1"), guard("s0 // 2 == 2"), guard("True")};
  EXPECT_NO_THROW(check_guards(guards, bindings));
}

TEST_F(GuardTest, AFailingGuardNamesItsTextAndValues) {
  set("s0", 3);
  set("s1", 4);
  EXPECT_EQ(message(guard("s0 == s1")),
            "inputs must meet the conditions under which the program was exported: s0 == s1 with "
            "s0 = 3, s1 = 4");
  EXPECT_EQ(message(guard("1 > 2")),
            "inputs must meet the conditions under which the program was exported: 1 > 2");
  bindings.set_real(find_or_add_symbol(pool, "zf0", false).symbol(), 0.5);
  EXPECT_NE(message(guard("zf0 > 1")).find("zf0 = 0.5"), std::string::npos);
}

TEST_F(GuardTest, AGuardWithoutAValueKeepsItsOwnError) {
  set("s0", 3);
  set("s1", 0);
  const std::string text = message(guard("s0 // s1 == 2"), ErrorCode::out_of_range);
  EXPECT_NE(text.find("out of range"), std::string::npos) << text;
  EXPECT_NE(text.find("while checking the guard s0 // s1 == 2"), std::string::npos) << text;
  EXPECT_NE(message(guard("s9 == 2")).find("s9"), std::string::npos);
}

TEST_F(GuardTest, DeclaredRangesMustNotCross) {
  EXPECT_EQ(declared_range("s0", 2, 512), (Interval{2, 512}));
  EXPECT_EQ(declared_range("s0", std::nullopt, std::nullopt), Interval{});
  try {
    declared_range("s0", 5, 4);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_EQ(error.message(), "the least value of a symbol must not exceed its greatest: s0 5 4");
  }
}

TEST_F(GuardTest, ValuesOutsideTheRangeAreRefused) {
  const Expr s0 = find_or_add_symbol(pool, "s0", true);
  pool.set_range(s0.symbol(), {2, 512});
  set("s0", 2);
  set("u5", -9);
  EXPECT_NO_THROW(check_ranges(pool, bindings));
  set("s0", 513);
  try {
    check_ranges(pool, bindings);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.message(),
              "a size must lie in the range that the program was exported for: s0 = 513 but the "
              "program allows 2 <= s0 <= 512");
  }
}

TEST_F(GuardTest, RangesAreDescribed) {
  EXPECT_EQ(describe_range("s0", {2, 9}), "2 <= s0 <= 9");
  EXPECT_EQ(describe_range("s0", {2, Interval::kMax}), "s0 >= 2");
  EXPECT_EQ(describe_range("s0", {Interval::kMin, 9}), "s0 <= 9");
  EXPECT_EQ(describe_range("s0", {4, 4}), "s0 = 4");
  EXPECT_EQ(describe_range("s0", {}), "any s0");
}

}  // namespace
}  // namespace litz
