#include "ir/operator_names.h"

#include <algorithm>
#include <set>
#include <vector>

#include "schema/spelled_names.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::ir {
namespace {

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

bool names_operator(std::string_view name, const OpInfo& op) {
  const std::string_view full = op.name();
  if (name.starts_with(kOpsPrefix)) name.remove_prefix(kOpsPrefix.size());
  if (name.find("::") != std::string_view::npos) return names_operator(with_dots(name), op);
  if (full == name) return true;
  if (name.ends_with(kDefaultOverload))
    return full == name.substr(0, name.size() - kDefaultOverload.size());
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

}  // namespace litz::ir
