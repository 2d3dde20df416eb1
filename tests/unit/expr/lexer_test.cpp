// Tokens of expression text.

#include "expr/lexer.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> out;
  for (Lexer lexer(text); lexer.current().kind != TokenKind::end; lexer.advance()) {
    out.emplace_back(lexer.current().text);
  }
  return out;
}

TEST(ExprLexer, SplitsOperatorsNamesAndNumbers) {
  using Tokens = std::vector<std::string>;
  EXPECT_EQ(tokens("s0**2//3<=4"), (Tokens{"s0", "**", "2", "//", "3", "<=", "4"}));
  EXPECT_EQ(tokens("math.sqrt(1.5e-3)"), (Tokens{"math.sqrt", "(", "1.5e-3", ")"}));
  EXPECT_EQ(tokens("L['x'].size()[0]"),
            (Tokens{"L", "[", "x", "]", ".", "size", "(", ")", "[", "0", "]"}));
  EXPECT_EQ(tokens(" a\t-\n1. "), (Tokens{"a", "-", "1."}));
  EXPECT_EQ(tokens(""), Tokens{});
}

TEST(ExprLexer, TellsKindsApart) {
  EXPECT_EQ(Lexer("12").current().kind, TokenKind::integer);
  EXPECT_EQ(Lexer("1.5").current().kind, TokenKind::real);
  EXPECT_EQ(Lexer("1e5").current().kind, TokenKind::real);
  EXPECT_EQ(Lexer("\"a b\"").current().kind, TokenKind::string);
  EXPECT_EQ(Lexer("x1").current().kind, TokenKind::identifier);
  EXPECT_TRUE(Lexer("positive=True").at_keyword_argument());
  EXPECT_TRUE(Lexer("positive = True").at_keyword_argument());
  EXPECT_FALSE(Lexer("a == b").at_keyword_argument());
  EXPECT_FALSE(Lexer("a").at_keyword_argument());
}

TEST(ExprLexer, RejectsWhatIsNoToken) {
  EXPECT_THROW(tokens("a $ b"), Error);
  EXPECT_THROW(tokens("'open"), Error);
  EXPECT_THROW(tokens("1x"), Error);
  EXPECT_THROW(tokens("a ! b"), Error);
}

TEST(ExprLexer, ErrorsShowAnExcerptOfLongText) {
  const std::string text = std::string(500, 'a') + " $ " + std::string(500, 'b');
  try {
    tokens(text);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_LT(error.message().size(), 250U);
    EXPECT_NE(error.message().find("at offset 501 of ..."), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace litz
