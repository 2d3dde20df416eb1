// CHECK lines: the text that printed IR must contain, in order.
//
//   // CHECK: aten.mm(%x, [[w]])      some line after the last match contains this
//   // NEXT: aten.relu                the line right after it does
//   // SAME: : f32[2]                 the rest of the same line does
//   // NOT: aten.permute              no line between the matches around it does
//   // COUNT 2: aten.add              exactly so many lines of the whole text do
//
// [[name]] matches one word such as %7 or 12: any at first, the same one afterwards.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace litz::check_tool {

enum class LineKind : unsigned char { check, next, same, none, count };

struct CheckLine {
  LineKind kind = LineKind::check;
  size_t count = 0;  ///< COUNT only.
  std::string pattern;
  size_t line = 0;  ///< Its line in the test file, from 1.
};

/// Parses a comment without its slashes; false if it is not a check line.
bool parse_check_line(std::string_view comment, size_t line, CheckLine& out);

/// Empty when the text is as the lines say, else the first that fails and where the search stood.
std::string unmet_check(const std::vector<CheckLine>& checks, std::string_view text);

}  // namespace litz::check_tool
