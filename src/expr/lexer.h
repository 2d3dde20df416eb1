// Tokens of expression text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace litz {

enum class TokenKind : uint8_t {
  end,
  integer,
  real,
  string,      ///< The text without its quotes.
  identifier,  ///< Includes dots between names: math.sqrt.
  symbol,      ///< Punctuation and operators.
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  size_t position = 0;  ///< Offset in the text.
};

/// Reads one token ahead. The text must outlive the lexer.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& current() const { return current_; }

  void advance();
  /// True if the current token is this operator, punctuation or word.
  bool at(std::string_view text) const;
  /// True if `name =` follows, as in positive=True.
  bool at_keyword_argument() const;

  /// Throws Error{corrupt}: expected `what` here, found the current token.
  [[noreturn]] void fail_here(const std::string& what) const;
  /// Throws Error{corrupt} with the message, the position and the text around it.
  [[noreturn]] void fail_at(size_t position, const std::string& message) const;

 private:
  Token scan();
  Token scan_number();
  Token scan_name();
  Token scan_string();
  char peek(size_t ahead = 0) const;

  std::string_view text_;
  size_t next_ = 0;
  size_t count_ = 0;
  Token current_;
};

}  // namespace litz
