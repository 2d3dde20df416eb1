// Reads tokens of loop IR text. `//` starts a comment. A line end is a blank, except that it ends
// an expression without open brackets.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace litz::loops {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  /// The start of the next token.
  size_t at();
  bool is_at_end();
  /// Consumes the token and returns true if the punctuation or the whole word is next.
  bool take(std::string_view token);
  void expect(std::string_view token);
  bool is_next(std::string_view token);

  /// Letters, digits and `_`.
  std::string_view word();
  /// A word, or quoted text, unescaped.
  std::string identifier();
  /// Up to blank, comma or bracket: a number.
  std::string_view number();
  /// An expression: ends at a comma, brace, square bracket or line end, outside of its own
  /// brackets.
  std::string_view expression();
  /// An integer expression that marks may follow: it also ends before a word after an operand.
  std::string_view extent();

  /// Throws Error{corrupt} with line, column, the line itself and a caret.
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void fail_at(size_t at, const std::string& message) const;

 private:
  void skip_blanks();
  std::string_view until(std::string_view closers, bool ends_at_word);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace litz::loops
