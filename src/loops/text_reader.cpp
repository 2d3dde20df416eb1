#include "loops/text_reader.h"

#include <algorithm>

#include "support/check.h"
#include "support/text.h"

namespace litz::loops {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// True if a blank at `at` separates an operand of the expression from a following mark.
bool is_word_after_operand(std::string_view text, size_t begin, size_t at) {
  if (text[at] != ' ' || at == begin || at + 1 == text.size()) return false;
  return (is_word_char(text[at - 1]) || text[at - 1] == ')') && is_word_char(text[at + 1]);
}

}  // namespace

void TextReader::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

size_t TextReader::at() {
  skip_blanks();
  return at_;
}

bool TextReader::is_at_end() { return at() == text_.size(); }

bool TextReader::is_next(std::string_view token) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(token)) return false;
  const size_t end = at_ + token.size();
  return !is_word_char(token.back()) || end == text_.size() || !is_word_char(text_[end]);
}

bool TextReader::take(std::string_view token) {
  if (!is_next(token)) return false;
  at_ += token.size();
  return true;
}

void TextReader::expect(std::string_view token) {
  if (!take(token)) fail("expected " + quote(token));
}

std::string_view TextReader::word() {
  skip_blanks();
  const size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  if (at_ == begin) fail("expected a name");
  return text_.substr(begin, at_ - begin);
}

std::string TextReader::identifier() {
  skip_blanks();
  if (at_ == text_.size() || text_[at_] != '"') return std::string(word());
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) fail("expected a closing quote");
  const auto value = unquote(text_.substr(at_, end + 1 - at_));
  if (!value) fail("expected well-formed quoted text");
  at_ = end + 1;
  return *value;
}

std::string_view TextReader::number() {
  skip_blanks();
  const size_t begin = at_;
  int depth = 0;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != ',') {
    if (text_[at_] == '(') ++depth;
    if (text_[at_] == ')' && depth-- == 0) break;
    ++at_;
  }
  if (at_ == begin) fail("expected a number");
  return text_.substr(begin, at_ - begin);
}

std::string_view TextReader::until(std::string_view closers, bool ends_at_word) {
  skip_blanks();
  const size_t begin = at_;
  int depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (depth == 0 && closers.find(c) != std::string_view::npos) break;
    if (c == '\n') break;
    if (text_.substr(at_).starts_with("//") && at_ > begin && text_[at_ - 1] == ' ') break;
    if (depth == 0 && text_.substr(at_).starts_with(" (%")) break;
    if (depth == 0 && ends_at_word && is_word_after_operand(text_, begin, at_)) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at_;
  }
  const std::string_view found = trim(text_.substr(begin, at_ - begin));
  if (found.empty()) fail("expected an expression");
  return found;
}

std::string_view TextReader::expression() { return until(",{}[])@", false); }

std::string_view TextReader::extent() { return until(",{}[])@", true); }

void TextReader::fail(const std::string& message) { fail_at(at(), message); }

void TextReader::fail_at(size_t at, const std::string& message) const {
  const size_t place = std::min(at, text_.size());
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(place), '\n');
  const size_t before = text_.substr(0, place).rfind('\n');
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text_.find('\n', place), text_.size());
  const std::string where = std::to_string(line) + ":" + std::to_string(place - begin + 1);
  throw Error(ErrorCode::corrupt, where + ": " + message + "\n  " +
                                      std::string(text_.substr(begin, end - begin)) + "\n  " +
                                      std::string(place - begin, ' ') + "^");
}

}  // namespace litz::loops
