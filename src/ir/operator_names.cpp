#include "ir/operator_names.h"

#include <algorithm>
#include <set>
#include <vector>

#include "support/check.h"
#include "support/text.h"

namespace litz::ir {
namespace {

constexpr std::string_view kOps = "torch.ops.";
constexpr std::string_view kDefault = ".default";

/// Uses dots and drops the path to PyTorch's operators.
std::string with_dots(std::string_view spelled) {
  if (spelled.starts_with(kOps)) spelled.remove_prefix(kOps.size());
  std::string text(spelled);
  if (const size_t at = text.find("::"); at != std::string::npos) text.replace(at, 2, ".");
  return text;
}

bool is_known(const OpSet& ops, std::string_view name) {
  if (ops.find(operator_name(name)) != nullptr)
    return true;  // Also finds operators that the set
                  // does not list.
  return std::ranges::any_of(ops.all(),
                             [&](const OpInfo* op) { return names_operator(name, *op); });
}

/// The namespaces with an operator, or overload, of this name.
std::vector<std::string> namespaces_of(const OpSet& ops, std::string_view name) {
  std::set<std::string> found;
  for (const OpInfo* op : ops.all()) {
    const std::string_view space = op->name().substr(0, op->name().find('.'));
    if (names_operator(std::string(space) + "." + std::string(name), *op)) found.emplace(space);
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::string operator_name(std::string_view spelled) {
  const bool is_operator =
      spelled.starts_with(kOps) || spelled.find("::") != std::string_view::npos;
  if (!is_operator && !spelled.ends_with(kDefault)) return std::string(spelled);
  std::string text = with_dots(spelled);
  if (text.ends_with(kDefault)) text.resize(text.size() - kDefault.size());
  return text;
}

bool names_operator(std::string_view name, const OpInfo& op) {
  const std::string_view full = op.name();
  if (name.starts_with(kOps)) name.remove_prefix(kOps.size());
  if (name.find("::") != std::string_view::npos) return names_operator(with_dots(name), op);
  if (full == name) return true;
  if (name.ends_with(kDefault)) return full == name.substr(0, name.size() - kDefault.size());
  return full.size() > name.size() && full.starts_with(name) && full[name.size()] == '.';
}

std::string resolve_operator(const OpSet& ops, std::string_view spelled) {
  const std::string name = with_dots(trim(spelled));
  require(!name.empty(),
          "names of operators must not be empty; they look like aten.add or aten.add.Tensor");
  if (is_known(ops, name)) return name;
  const std::vector<std::string> spaces = namespaces_of(ops, name);
  if (spaces.size() == 1) return spaces.front() + "." + name;
  require(spaces.empty(), "an operator of several namespaces must be named with its own:", name,
          "is one of", join(spaces, ", "));
  std::vector<std::string> close = ops.suggestions(name);
  if (close.empty()) close = ops.suggestions("aten." + name);
  fail(ErrorCode::invalid_argument, "operators to look for must exist:", name,
       close.empty() ? "- names look like aten.add or aten.add.Tensor" : "- did you mean",
       join(close, ", "));
}

Schema parse_spelled_schema(std::string_view text) {
  const size_t end = std::min(text.find('('), text.size());
  return parse_schema(operator_name(trim(text.substr(0, end))) + std::string(text.substr(end)));
}

}  // namespace litz::ir
