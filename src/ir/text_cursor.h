// Reads tokens of IR text. Newlines separate statements, except inside brackets; `//` starts a
// comment at token boundaries.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace litz::ir {

/// Thrown inside the parser and turned into a Diagnostic at the next line end.
struct ParseFailure {
  size_t at = 0;
  std::string message;
};

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }

  size_t at() const { return at_; }

  /// Moves back over text without brackets; otherwise use a Mark.
  void seek(size_t at) { at_ = at; }

  struct Mark {
    size_t at = 0;
    int depth = 0;
  };

  Mark mark() const { return {at_, depth_}; }

  void return_to(const Mark& mark) {
    at_ = mark.at;
    depth_ = mark.depth;
  }

  /// The next byte, without skipping anything; '\0' at the end.
  char adjacent() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// The first byte of the next token; '\n' at a line end, '\0' at the end.
  char peek();

  /// Skips blanks, comments and newlines.
  void skip_lines();
  bool at_end();
  /// Skips to the end of the line and leaves all brackets.
  void recover();

  bool take(char c);
  void expect(char c);
  /// Takes the word only if it is a whole word.
  bool take_word(std::string_view word);
  void expect_line_end();
  /// Opens or closes the body of a graph: such brackets do not hide newlines.
  void expect_block_open();
  bool take_block_close();

  /// Letters, digits and `_`; empty without any.
  std::string_view word();
  /// Words joined by dots.
  std::string_view dotted();
  /// A quoted string, unescaped.
  std::string quoted();
  int64_t integer();
  /// An expression as raw text, up to a delimiter outside its own parentheses.
  std::string_view expression();

  [[noreturn]] void fail(std::string message) const { throw ParseFailure{at_, std::move(message)}; }

  [[noreturn]] void fail_at(size_t at, std::string message) const {
    throw ParseFailure{at, std::move(message)};
  }

  /// Fails with "expected WHAT, found ...".
  [[noreturn]] void expected(std::string_view what);

 private:
  void skip_blanks();

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;  ///< Open brackets; inside them newlines are blanks.
};

bool is_word_char(char c);

}  // namespace litz::ir
