// Splits expression text into tokens.

#include "expr/lexer.h"

#include <algorithm>

#include "support/check.h"

namespace litz {
namespace {

// Expressions that people or exporters write are far smaller.
constexpr size_t kMaxTokens = 4'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longest first.
constexpr std::string_view kSymbols[] = {"**", "//", "<<", ">>", "==", "!=", "<=", ">=", "(",
                                         ")",  "[",  "]",  ",",  ".",  "=",  "+",  "-",  "*",
                                         "/",  "%",  "&",  "|",  "^",  "<",  ">"};

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) { advance(); }

void Lexer::advance() {
  require(++count_ <= kMaxTokens, ErrorCode::limit_exceeded,
          "an expression has at most four million tokens");
  while (next_ < text_.size() && is_space(text_[next_])) ++next_;
  current_ = scan();
}

bool Lexer::at(std::string_view text) const {
  return (current_.kind == TokenKind::symbol || current_.kind == TokenKind::identifier) &&
         current_.text == text;
}

bool Lexer::at_keyword_argument() const {
  if (current_.kind != TokenKind::identifier) return false;
  size_t i = next_;
  while (i < text_.size() && is_space(text_[i])) ++i;
  return i < text_.size() && text_[i] == '=' && (i + 1 == text_.size() || text_[i + 1] != '=');
}

char Lexer::peek(size_t ahead) const {
  return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0';
}

Token Lexer::scan() {
  if (next_ == text_.size()) return {TokenKind::end, "", next_};
  const char first = peek();
  if (is_digit(first) || (first == '.' && is_digit(peek(1)))) return scan_number();
  if (is_letter(first)) return scan_name();
  if (first == '\'' || first == '"') return scan_string();
  for (const std::string_view symbol : kSymbols) {
    if (!text_.substr(next_).starts_with(symbol)) continue;
    const Token token{TokenKind::symbol, text_.substr(next_, symbol.size()), next_};
    next_ += symbol.size();
    return token;
  }
  fail_at(next_, "expected a number, name, string or operator");
}

Token Lexer::scan_number() {
  const size_t begin = next_;
  bool real = false;
  while (is_digit(peek())) ++next_;
  if (peek() == '.') {
    real = true;
    ++next_;
    while (is_digit(peek())) ++next_;
  }
  const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
    real = true;
    next_ += 1 + sign;
    while (is_digit(peek())) ++next_;
  }
  if (is_letter(peek())) fail_at(next_, "expected the number to end");
  return {real ? TokenKind::real : TokenKind::integer, text_.substr(begin, next_ - begin), begin};
}

Token Lexer::scan_name() {
  const size_t begin = next_;
  while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) ++next_;
  return {TokenKind::identifier, text_.substr(begin, next_ - begin), begin};
}

Token Lexer::scan_string() {
  const size_t begin = next_;
  const size_t end = text_.find(text_[begin], begin + 1);
  if (end == std::string_view::npos) fail_at(begin, "expected the string to end");
  next_ = end + 1;
  return {TokenKind::string, text_.substr(begin + 1, end - begin - 1), begin};
}

void Lexer::fail_here(const std::string& what) const {
  const std::string found =
      current_.kind == TokenKind::end ? "the end" : "'" + std::string(current_.text) + "'";
  fail_at(current_.position, "expected " + what + ", found " + found);
}

void Lexer::fail_at(size_t position, const std::string& message) const {
  // The part of a long text that locates the error.
  constexpr size_t kBefore = 60;
  constexpr size_t kAfter = 20;
  const size_t begin = position > kBefore ? position - kBefore : 0;
  const size_t end = std::min(text_.size(), position + kAfter);
  std::string excerpt(text_.substr(begin, end - begin));
  if (begin > 0) excerpt.insert(0, "...");
  if (end < text_.size()) excerpt += "...";
  fail(ErrorCode::corrupt, "malformed expression:", message, "at offset",
       std::to_string(position) + " of", excerpt);
}

}  // namespace litz
