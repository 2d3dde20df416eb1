// Reads tokens of loop IR text. `//` starts a comment; line ends are blanks, except that an
// expression which nothing closes ends with its line.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace litz::loops {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  /// Where the next token starts.
  size_t at();
  bool is_at_end();
  /// True, and past it, when the punctuation or the whole word stands next.
  bool take(std::string_view token);
  void expect(std::string_view token);
  bool is_next(std::string_view token);

  /// Letters, digits and `_`.
  std::string_view word();
  /// A word, or quoted text, unescaped.
  std::string identifier();
  /// Up to blank, comma or bracket: a number.
  std::string_view number();
  /// An expression: up to a comma, brace, square bracket, or the end of the line, outside of the
  /// brackets that it opens itself.
  std::string_view expression();
  /// An integer expression that words may follow: it ends where a word follows an operand, too.
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
