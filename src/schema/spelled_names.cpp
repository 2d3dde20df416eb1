#include "schema/spelled_names.h"

#include <algorithm>

#include "support/text.h"

namespace litz::ir {

std::string with_dots(std::string_view spelled) {
  if (spelled.starts_with(kOpsPrefix)) spelled.remove_prefix(kOpsPrefix.size());
  std::string text(spelled);
  if (const size_t at = text.find("::"); at != std::string::npos) text.replace(at, 2, ".");
  return text;
}

std::string operator_name(std::string_view spelled) {
  const bool is_operator =
      spelled.starts_with(kOpsPrefix) || spelled.find("::") != std::string_view::npos;
  if (!is_operator && !spelled.ends_with(kDefaultOverload)) return std::string(spelled);
  std::string text = with_dots(spelled);
  if (text.ends_with(kDefaultOverload)) text.resize(text.size() - kDefaultOverload.size());
  return text;
}

Schema parse_spelled_schema(std::string_view text) {
  const size_t end = std::min(text.find('('), text.size());
  return parse_schema(operator_name(trim(text.substr(0, end))) + std::string(text.substr(end)));
}

}  // namespace litz::ir
