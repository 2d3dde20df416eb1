// Reads tokens of IR text. See text_cursor.h.

#include "ir/text_cursor.h"

#include <charconv>

namespace litz::ir {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void TextCursor::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && depth_ > 0)) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

void TextCursor::skip_lines() {
  for (skip_blanks(); adjacent() == '\n'; skip_blanks()) ++at_;
}

char TextCursor::peek() {
  skip_blanks();
  return adjacent();
}

bool TextCursor::at_end() {
  skip_lines();
  return at_ >= text_.size();
}

void TextCursor::recover() {
  depth_ = 0;
  at_ = std::min(text_.find('\n', at_), text_.size());
}

bool TextCursor::take(char c) {
  if (peek() != c || c == '\0') return false;
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
  ++at_;
  return true;
}

void TextCursor::expect(char c) {
  if (!take(c)) expected(std::string("'") + c + "'");
}

bool TextCursor::take_word(std::string_view word) {
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && is_word_char(rest[word.size()]))) {
    return false;
  }
  at_ += word.size();
  return true;
}

void TextCursor::expect_line_end() {
  const char c = peek();
  if (c != '\n' && c != '\0' && c != '}') expected("the end of the line");
}

void TextCursor::expect_block_open() {
  if (peek() != '{') expected("'{'");
  ++at_;
}

bool TextCursor::take_block_close() {
  skip_lines();
  if (adjacent() != '}') return false;
  ++at_;
  return true;
}

std::string_view TextCursor::word() {
  skip_blanks();
  const size_t begin = at_;
  while (is_word_char(adjacent())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view TextCursor::dotted() {
  skip_blanks();
  const size_t begin = at_;
  while (is_word_char(adjacent()) || adjacent() == '.') ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string TextCursor::quoted() {
  if (peek() != '"') expected("a string in double quotes");
  const size_t begin = at_++;
  std::string value;
  while (adjacent() != '"') {
    char c = adjacent();
    if (c == '\0' || c == '\n') fail_at(begin, "a string must end on its line");
    ++at_;
    if (c == '\\') {
      c = adjacent();
      ++at_;
      if (c == 'n') {
        c = '\n';
      } else if (c == 't') {
        c = '\t';
      } else if (c == 'x') {
        const int high = hex_digit(adjacent());
        const int low = high < 0 || at_ + 1 >= text_.size() ? -1 : hex_digit(text_[at_ + 1]);
        if (low < 0) fail("expected two hexadecimal digits after \\x");
        c = static_cast<char>(high * 16 + low);
        at_ += 2;
      } else if (c != '"' && c != '\\') {
        fail_at(at_ - 1, "expected one of n, t, x, \" and \\ after a backslash");
      }
    }
    value += c;
  }
  ++at_;
  return value;
}

int64_t TextCursor::integer() {
  skip_blanks();
  int64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) fail("an integer must fit 64 bits");
  if (error != std::errc()) expected("an integer");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

std::string_view TextCursor::expression() {
  skip_blanks();
  const size_t begin = at_;
  int depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && (c == ',' || c == ')' || c == ']' || c == '}' || c == '@' || c == '#')) break;
    if (c == ')' || c == ']') --depth;
    if (c == '\n') break;
    if (depth == 0 && c == ' ') {
      const std::string_view rest = text_.substr(at_ + 1);
      if (rest.starts_with("loc(") || rest.starts_with("after(")) break;
    }
    ++at_;
  }
  std::string_view found = text_.substr(begin, at_ - begin);
  while (!found.empty() && (found.back() == ' ' || found.back() == '\n' || found.back() == '\r')) {
    found.remove_suffix(1);
  }
  if (found.empty()) expected("an expression");
  return found;
}

void TextCursor::expected(std::string_view what) {
  std::string message = "expected ";
  message += what;
  const char c = peek();
  if (c == '\0') {
    message += ", found the end of the text";
  } else if (c == '\n') {
    message += ", found the end of the line";
  } else {
    const size_t at = at_;
    const std::string_view found = word();
    at_ = at;
    message.append(", found '").append(found.empty() ? text_.substr(at, 1) : found).append("'");
  }
  fail(std::move(message));
}

}  // namespace litz::ir
