// Reduces a file to the smallest one with the same failure: same name, whatever the numbers in it.

#include <cctype>

#include "graph_tools/minimize.h"
#include "support/check.h"
#include "support/text.h"
#include "test_file.h"

namespace litz::check_tool {
namespace {

/// Comments and empty lines before the module: directives of the file.
std::string_view header_of(std::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t line_end = std::min(text.find('\n', end), text.size());
    const std::string_view line = trim(text.substr(end, line_end - end));
    if (!line.empty() && !line.starts_with("//")) break;
    end = std::min(line_end + 1, text.size());
  }
  return text.substr(0, end);
}

/// The first failure without the text after its colons, and without numbers; empty if there is
/// none.
std::string failure_name(std::string_view text, const std::shared_ptr<const ir::OpSet>& ops) {
  std::string printed;
  const std::vector<std::string> all = failures(text, ops, printed);
  if (all.empty()) return "";
  const std::vector<std::string_view> parts = split(all.front(), ':');
  const bool is_pass_failure = parts[0] == "the passes fail" && parts.size() > 1;
  std::string name(parts[0]);
  if (is_pass_failure) name += std::string(parts[1]);
  std::erase_if(name, [](unsigned char c) { return std::isdigit(c) != 0; });
  return name;
}

}  // namespace

std::string minimized(std::string_view text, const std::shared_ptr<const ir::OpSet>& ops) {
  const std::string_view header = header_of(text);
  const std::string wanted = failure_name(text, ops);
  require(!wanted.empty(), "only a file that fails can be made smaller");
  const auto fails = [&](std::string_view candidate) {
    return failure_name(std::string(header) + std::string(candidate), ops) == wanted;
  };
  return std::string(header) + ir::minimize(text.substr(header.size()), ops, fails);
}

}  // namespace litz::check_tool
