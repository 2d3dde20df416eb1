// Mistakes in texts. See diagnostic.h.

#include "ir/diagnostic.h"

#include <algorithm>

namespace litz::ir {
namespace {

// Longer lines are cut around the caret, so that a message stays readable.
constexpr size_t kShown = 160;

}  // namespace

Diagnostic diagnose(std::string_view text, size_t at, std::string message) {
  at = std::min(at, text.size());
  const std::string_view before = text.substr(0, at);
  const size_t line_begin =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const size_t line_end = std::min(text.find('\n', at), text.size());
  Diagnostic out;
  out.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  out.column = at - line_begin + 1;
  out.message = std::move(message);
  out.source_line = text.substr(line_begin, line_end - line_begin);
  return out;
}

std::string Diagnostic::to_string(std::string_view file) const {
  std::string text(file);
  if (!text.empty()) text += ":";
  text += std::to_string(line) + ":" + std::to_string(column) + ": " + message + "\n";
  const size_t skip = column > kShown ? column - kShown / 2 : 0;
  std::string shown = source_line.substr(std::min(skip, source_line.size()), kShown);
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return text + "  " + shown + "\n  " + std::string(column - 1 - std::min(skip, column - 1), ' ') +
         "^\n";
}

}  // namespace litz::ir
