#include "runtime/program/required_guards.h"

#include <cctype>
#include <map>
#include <variant>

#include "expr/guard.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::HostScalar;
using artifact::ProgramInput;

/// A symbol belongs to the first input that has it as a whole size.
std::map<std::string, std::string, std::less<>> names_of_symbols(
    const artifact::Signature& signature) {
  std::map<std::string, std::string, std::less<>> names;
  const auto add = [&](Expr expr, const std::string& name) {
    if (expr.is_symbol()) names.try_emplace(expr.pool()->symbol(expr.symbol()).name, name);
  };
  for (const ProgramInput& input : signature.inputs) {
    if (!is_given_by_caller(input.kind)) continue;
    if (const auto* const tensor = std::get_if<TensorType>(&input.type)) {
      for (size_t d = 0; d < tensor->rank(); ++d) {
        add(tensor->sizes[d], input.label + ".size(" + std::to_string(d) + ")");
      }
    } else if (const auto* const scalar = std::get_if<HostScalar>(&input.type)) {
      add(scalar->value, input.label);
    }
  }
  return names;
}

bool is_of_name(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

/// Takes what stands between the ends off the front: the subject of "L['x']" or "()[1]".
bool take_between(std::string_view& text, std::string_view begin, std::string_view end,
                  std::string_view& subject) {
  if (!text.starts_with(begin)) return false;
  const size_t at = text.find(end, begin.size());
  if (at == std::string_view::npos) return false;
  subject = text.substr(begin.size(), at - begin.size());
  text.remove_prefix(at + end.size());
  return true;
}

/// Takes "L['x']" off the front; the first subscripts of *args and **kwargs follow it as they are.
bool take_argument(std::string_view& text, std::string& to) {
  std::string_view name;
  if (!take_between(text, "L['", "']", name)) return false;
  to += name;
  return true;
}

bool take_accessor(std::string_view& text, std::string& to) {
  for (const std::string_view accessor : {"size", "stride"}) {
    std::string_view index;
    if (!take_between(text, "." + std::string(accessor) + "()[", "]", index)) continue;
    to += "." + std::string(accessor) + "(" + std::string(index) + ")";
    return true;
  }
  return false;
}

}  // namespace

std::string in_names_of_inputs(std::string_view text, const artifact::Signature& signature) {
  const auto names = names_of_symbols(signature);
  std::string to;
  while (!text.empty()) {
    if (take_argument(text, to) || take_accessor(text, to)) continue;
    if (!is_of_name(text.front())) {
      to += text.front();
      text.remove_prefix(1);
      continue;
    }
    size_t end = 1;
    while (end < text.size() && is_of_name(text[end])) ++end;
    const std::string_view word = text.substr(0, end);
    const auto found = names.find(word);
    to += found == names.end() ? std::string(word) : found->second;
    text.remove_prefix(end);
  }
  return to;
}

void require_guards(const artifact::Signature& signature, const Bindings& bindings) {
  try {
    check_guards(signature.guards, bindings);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    Error named(error.code(), in_names_of_inputs(error.message(), signature));
    for (const std::string& note : error.notes()) {
      named.add_note(in_names_of_inputs(note, signature));
    }
    throw named;
  }
}

}  // namespace litz::runtime
