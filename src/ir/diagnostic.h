// A mistake in a text: its position, and what was expected there.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace litz::ir {

struct Diagnostic {
  size_t line = 0;    ///< From 1.
  size_t column = 0;  ///< From 1, in bytes.
  std::string message;
  std::string source_line;

  /// "model.ir:3:7: expected ')'" followed by the line and a caret.
  std::string to_string(std::string_view file = "") const;
};

/// Locates byte `at` of a text.
Diagnostic diagnose(std::string_view text, size_t at, std::string message);

}  // namespace litz::ir
