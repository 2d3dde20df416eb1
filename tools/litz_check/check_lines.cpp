// Matching of CHECK lines. See check_lines.h.

#include "check_lines.h"

#include <map>
#include <optional>

#include "support/text.h"

namespace litz::check_tool {
namespace {

using Captures = std::map<std::string, std::string, std::less<>>;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '%' || c == '#' || c == '@';
}

// Matches the pattern at the start of `text`; returns the length of the match.
std::optional<size_t> match_here(std::string_view pattern, std::string_view text,
                                 Captures& captures) {
  size_t at = 0;
  while (!pattern.empty()) {
    const size_t close = pattern.starts_with("[[") ? pattern.find("]]") : std::string_view::npos;
    if (close == std::string_view::npos) {
      if (at >= text.size() || text[at] != pattern.front()) return std::nullopt;
      pattern.remove_prefix(1);
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    if (word.empty()) return std::nullopt;
    const auto [bound, fresh] = captures.emplace(pattern.substr(2, close - 2), word);
    if (!fresh && bound->second != word) return std::nullopt;
    pattern.remove_prefix(close + 2);
    at = end;
  }
  return at;
}

// Returns the end of the first match in a line from `begin` on; binds captures only on a match.
std::optional<size_t> match(std::string_view pattern, std::string_view line, size_t begin,
                            Captures& captures) {
  for (size_t at = begin; at <= line.size(); ++at) {
    Captures trial = captures;
    if (const auto length = match_here(pattern, line.substr(at), trial)) {
      captures = std::move(trial);
      return at + *length;
    }
  }
  return std::nullopt;
}

class Matcher {
 public:
  explicit Matcher(std::string_view text) : lines_(split(text, '\n')) {}

  bool count(const CheckLine& check) const {
    size_t found = 0;
    for (const std::string_view line : lines_) {
      Captures captures = captures_;
      found += match(check.pattern, line, 0, captures) ? 1 : 0;
    }
    return found == check.count;
  }

  bool step(const CheckLine& check) {
    switch (check.kind) {
      case LineKind::check:
        return find(check.pattern, next_line_, lines_.size());
      case LineKind::next:
        return find(check.pattern, next_line_, next_line_ + 1);
      case LineKind::same:
        return same(check.pattern);
      case LineKind::none:
        pending_.push_back(check.pattern);
        return true;
      case LineKind::count:
        return count(check);
    }
    return false;
  }

  // NOT lines apply up to the next match; the last ones up to the end of the text.
  std::optional<std::string> forbidden_before(size_t end) {
    for (const std::string& pattern : pending_) {
      for (size_t i = not_from_; i < end; ++i) {
        Captures captures = captures_;
        if (match(pattern, lines_[i], 0, captures)) return std::string(lines_[i]);
      }
    }
    pending_.clear();
    not_from_ = next_line_;
    return std::nullopt;
  }

  size_t matched_line() const { return next_line_ == 0 ? 0 : next_line_ - 1; }

  size_t size() const { return lines_.size(); }

  std::string_view position() const {
    return next_line_ < lines_.size() ? lines_[next_line_]
                                      : std::string_view("the end of the text");
  }

 private:
  bool find(std::string_view pattern, size_t begin, size_t end) {
    for (size_t i = begin; i < end && i < lines_.size(); ++i) {
      if (const auto column = match(pattern, lines_[i], 0, captures_)) {
        next_line_ = i + 1;
        column_ = *column;
        return true;
      }
    }
    return false;
  }

  bool same(std::string_view pattern) {
    if (next_line_ == 0) return false;
    const auto column = match(pattern, lines_[next_line_ - 1], column_, captures_);
    if (column) column_ = *column;
    return column.has_value();
  }

  std::vector<std::string_view> lines_;
  Captures captures_;
  std::vector<std::string> pending_;  ///< NOT patterns since the last match.
  size_t next_line_ = 0;              ///< After the last match.
  size_t not_from_ = 0;
  size_t column_ = 0;
};

std::string failure(const CheckLine& check, const std::string& what) {
  return std::to_string(check.line) + ": " + what + ": " + check.pattern;
}

}  // namespace

bool parse_check_line(std::string_view comment, size_t line, CheckLine& out) {
  constexpr struct {
    std::string_view word;
    LineKind kind;
  } kWords[] = {{"CHECK", LineKind::check},
                {"NEXT", LineKind::next},
                {"SAME", LineKind::same},
                {"NOT", LineKind::none},
                {"COUNT", LineKind::count}};

  comment = trim(comment);
  for (const auto& [word, kind] : kWords) {
    if (!comment.starts_with(word)) continue;
    const size_t colon = comment.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view number = trim(comment.substr(word.size(), colon - word.size()));
    const auto count = parse_int(number);
    if (kind == LineKind::count ? !count || *count < 0 : !number.empty()) return false;
    out = {kind, count ? static_cast<size_t>(*count) : 0,
           std::string(trim(comment.substr(colon + 1))), line};
    return true;
  }
  return false;
}

std::string unmet_check(const std::vector<CheckLine>& checks, std::string_view text) {
  Matcher matcher(text);
  for (const CheckLine& check : checks) {
    if (!matcher.step(check)) {
      const std::string where = check.kind == LineKind::count
                                    ? "not on exactly " + std::to_string(check.count) + " lines"
                                    : "not found from '" + std::string(matcher.position()) + "'";
      return failure(check, where);
    }
    if (check.kind == LineKind::none || check.kind == LineKind::count) continue;
    if (const auto line = matcher.forbidden_before(matcher.matched_line())) {
      return failure(check, "a NOT line before it matched '" + *line + "'; then");
    }
  }
  if (const auto line = matcher.forbidden_before(matcher.size())) {
    return failure(checks.back(), "a NOT line matched '" + *line + "' after the last match");
  }
  return "";
}

}  // namespace litz::check_tool
