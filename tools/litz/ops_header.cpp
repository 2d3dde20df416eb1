// include/litz/ops.h: a C++ function for every overload of every operator that takes and gives tensors.

#include "litz/ops_header.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ops/op_table.h"
#include "support/text.h"

namespace litz::tools {
namespace {

using ir::ArgKind;

/// A parameter of a C++ function. Arguments that C++ programs do not give have no type.
struct Parameter {
  std::string type;
  std::string name;
  std::string default_value;  ///< Empty: there is none.
  bool is_size = false;       ///< An integer that another overload takes as Size.
};

struct Function {
  const ir::OpInfo* op = nullptr;
  std::string name;
  std::string result;
  std::vector<Parameter> parameters;  ///< One for each argument of the schema.

  std::vector<const Parameter*> given() const {
    std::vector<const Parameter*> list;
    for (const Parameter& parameter : parameters) {
      if (!parameter.type.empty()) list.push_back(&parameter);
    }
    return list;
  }
};

bool is_reserved(std::string_view word) {
  static constexpr std::array kWords{
      "and",   "bool",   "default",  "delete", "double",   "false", "float",
      "int",   "long",   "new",      "not",    "operator", "or",    "register",
      "short", "signed", "template", "this",   "true",     "union", "xor"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::string identifier(std::string_view word) {
  return std::string(word) + (is_reserved(word) ? "_" : "");
}

/// The C++ type of a parameter; empty for what C++ programs leave to Litz; nothing for what they cannot
/// give.
std::optional<std::string> type_of(const ir::SchemaArgument& argument) {
  const auto maybe = [&](const std::string& type) {
    return argument.optional ? "std::optional<" + type + ">" : type;
  };
  switch (argument.kind) {
    case ArgKind::tensor:
      return argument.optional ? "const MaybeTensor&" : "const Tensor&";
    case ArgKind::tensor_list:
      return "const TensorList&";
    case ArgKind::optional_tensor_list:
      return "const MaybeTensorList&";
    case ArgKind::scalar:
      return argument.optional ? "const std::optional<Scalar>&" : "const Scalar&";
    case ArgKind::integer:
      if (argument.optional && argument.symbolic) return "const std::optional<Size>&";
      return maybe("int64_t");
    case ArgKind::integer_list:
      return argument.optional ? "const MaybeIntList&" : "const IntList&";
    case ArgKind::real:
      return maybe("double");
    case ArgKind::real_list:
      return argument.optional ? "const std::optional<RealList>&" : "const RealList&";
    case ArgKind::boolean:
      return maybe("detail::Flag");
    case ArgKind::boolean_list:
      if (argument.optional) return std::nullopt;
      return "const detail::FlagList&";
    case ArgKind::string:
      return maybe("std::string_view");
    case ArgKind::dtype:
      return maybe("DType");
    case ArgKind::memory_format:
      return maybe("MemoryFormat");
    case ArgKind::layout:
    case ArgKind::device:
    case ArgKind::generator:
      if (argument.optional) return "";
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string text_of(double value) {
  std::string text = std::to_string(value);
  std::array<char, 64> exact{};
  std::snprintf(exact.data(), exact.size(), "%.17g", value);
  for (int digits = 1; digits <= 17; ++digits) {
    std::array<char, 64> tried{};
    std::snprintf(tried.data(), tried.size(), "%.*g", digits, value);
    if (std::strtod(tried.data(), nullptr) == value) return tried.data();
  }
  return exact.data();
}

std::string number_text(const Expr& value, ArgKind kind) {
  if (value.domain() == ExprDomain::boolean) return value.boolean_constant() ? "true" : "false";
  if (value.domain() == ExprDomain::integer) return std::to_string(value.constant());
  const double number = value.real_constant();
  if (number == std::numeric_limits<double>::infinity()) return "INFINITY";
  if (number == -std::numeric_limits<double>::infinity()) return "-INFINITY";
  std::string text = text_of(number);
  const bool is_whole = text.find_first_of(".en") == std::string::npos;
  return text + (is_whole && kind == ArgKind::scalar ? ".0" : "");
}

/// The default as C++ writes it; nothing if it cannot.
std::optional<std::string> default_of(const ir::SchemaArgument& argument) {
  if (!argument.has_default) return "";
  const ir::Attribute& value = argument.default_value;
  if (std::holds_alternative<std::monostate>(value)) {
    return argument.kind == ArgKind::tensor ? "{}" : "std::nullopt";
  }
  if (const auto* number = std::get_if<Expr>(&value)) {
    if (argument.kind == ArgKind::integer_list && argument.length > 0) {
      return "IntList(" + number_text(*number, argument.kind) + ")";
    }
    return number_text(*number, argument.kind);
  }
  if (const auto* list = std::get_if<ir::Scalars>(&value)) {
    std::vector<std::string> texts;
    for (const Expr& entry : *list) texts.push_back(number_text(entry, argument.kind));
    const char* type = argument.kind == ArgKind::real_list ? "RealList" : "IntList";
    if (texts.size() == 1) return std::string(type) + "(" + texts[0] + ")";
    return std::string(type) + "{" + join(texts, ", ") + "}";
  }
  if (const auto* dtype = std::get_if<DType>(&value)) {
    return "DType::" + std::string(torch_name(*dtype)) + (*dtype == DType::bool_ ? "_" : "");
  }
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  if (const auto* format = std::get_if<MemoryFormat>(&value)) {
    return *format == MemoryFormat::contiguous ? "MemoryFormat::contiguous"
                                               : "MemoryFormat::preserve";
  }
  return std::nullopt;
}

std::optional<std::string> result_of(const ir::Schema& schema) {
  const std::vector<ir::SchemaReturn>& returns = schema.returns;
  if (returns.empty()) return "void";
  const bool all_tensors = std::ranges::all_of(
      returns, [](const ir::SchemaReturn& result) { return result.kind == ArgKind::tensor; });
  if (all_tensors && returns.size() == 1) return "Tensor";
  if (all_tensors) {
    std::vector<std::string> types(returns.size(), "Tensor");
    return "std::tuple<" + join(types, ", ") + ">";
  }
  if (returns.size() == 1 && returns[0].kind == ArgKind::tensor_list) return "std::vector<Tensor>";
  return std::nullopt;
}

/// In place, these would have to change the handle, of which there may be copies.
bool changes_shape(std::string_view name) {
  static constexpr std::array kNames{"as_strided_", "resize_",   "resize_as_", "set_",
                                     "squeeze_",    "swapaxes_", "swapdims_",  "t_",
                                     "transpose_",  "unsqueeze_"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::optional<Function> function_of(const ir::OpInfo& op) {
  Function function{.op = &op};
  std::string_view name = op.name();
  if (!name.starts_with("aten.") ||
      std::holds_alternative<ops::Structural>(ops::definition(op).impl)) {
    return std::nullopt;
  }
  name.remove_prefix(5);
  name = name.substr(0, name.find('.'));
  if (name.starts_with("__") || changes_shape(name)) return std::nullopt;
  function.name = identifier(name);
  const auto result = result_of(op.schema);
  if (!result) return std::nullopt;
  function.result = *result;
  for (const ir::SchemaArgument& argument : op.schema.arguments) {
    auto type = type_of(argument);
    const auto value = default_of(argument);
    if (!type || !value) return std::nullopt;
    if (argument.name == "pin_memory" || argument.name == "non_blocking") type = "";
    const bool is_size = argument.symbolic && type == "int64_t";
    function.parameters.push_back({*type, identifier(argument.name), *value, is_size});
  }
  return function;
}

/// Calls cannot tell types apart that differ only in whether they may be absent.
std::string category(const Parameter& parameter) {
  std::string type = parameter.type;
  for (const std::string_view part : {"const ", "&", "std::optional<", ">", "Maybe"}) {
    for (size_t at = 0; (at = type.find(part)) != std::string::npos;) type.erase(at, part.size());
  }
  return type == "Size" ? "int64_t" : type;
}

size_t least_given(const Function& function) {
  size_t least = 0;
  const auto given = function.given();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i]->default_value.empty()) least = i + 1;
  }
  return least;
}

/// Whether some call of `count` arguments fits both.
bool meet(const Function& a, const Function& b, size_t count) {
  const auto left = a.given();
  const auto right = b.given();
  if (count > left.size() || count > right.size() || count < least_given(a)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (category(*left[i]) != category(*right[i])) return false;
  }
  return true;
}

void require_first(Function& function, size_t count) {
  size_t i = 0;
  for (Parameter& parameter : function.parameters) {
    if (!parameter.type.empty() && i++ < count) parameter.default_value.clear();
  }
}

/// Takes defaults away from overloads until every call fits one; an overload that another one leaves
/// no call gets a name of its own.
void separate(std::vector<Function*>& overloads) {
  std::ranges::stable_sort(overloads, {}, [](const Function* f) { return f->given().size(); });
  for (size_t i = 0; i < overloads.size(); ++i) {
    Function& own = *overloads[i];
    for (size_t j = 0; j < i; ++j) {
      for (size_t count = least_given(own); count <= own.given().size(); ++count) {
        if (!meet(*overloads[j], own, count)) continue;
        if (count == own.given().size()) {
          std::string overload(own.op->name().substr(own.op->name().rfind('.') + 1));
          std::ranges::transform(overload, overload.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
          });
          own.name += (own.name.ends_with('_') ? "" : "_") + overload;
          break;
        }
        require_first(own, count + 1);
      }
    }
  }
}

/// A parameter with a default may only be followed by parameters with one.
void give_trailing_defaults_only(Function& function) {
  bool may_have = true;
  for (size_t i = function.parameters.size(); i-- > 0;) {
    Parameter& parameter = function.parameters[i];
    if (parameter.type.empty()) continue;
    if (parameter.default_value.empty()) may_have = false;
    if (!may_have) parameter.default_value.clear();
  }
}

/// The overload for calls that give Size for some integer. Calls without one find the other overload the
/// better match, or the only one because this one leaves out no size.
std::optional<Function> with_sizes(const Function& function) {
  const auto first = std::ranges::find(function.parameters, true, &Parameter::is_size);
  if (first == function.parameters.end()) return std::nullopt;
  Function result = function;
  for (Parameter& parameter : result.parameters) {
    if (parameter.is_size) parameter.type = "const Size&";
  }
  for (auto last = function.parameters.begin(); last <= first; ++last) {
    result.parameters[static_cast<size_t>(last - function.parameters.begin())].default_value = "";
  }
  return result;
}

std::string wrapped(std::string text, size_t indent) {
  constexpr size_t kWidth = 100;
  std::string result;
  while (text.size() + indent > kWidth) {
    size_t at = text.rfind(", ", kWidth - indent - 1);
    if (at == std::string::npos) break;
    result += text.substr(0, at + 1) + "\n" + std::string(indent, ' ');
    text.erase(0, at + 2);
  }
  return result + text;
}

void print(const Function& function) {
  const std::string_view doc = ops::definition(*function.op).doc;
  for (const std::string_view line : split(doc, '\n')) {
    std::printf("/// %s\n", std::string(line).c_str());
  }
  std::printf("/// `%s`\n", ir::to_string(function.op->schema).c_str());
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  for (const Parameter& parameter : function.parameters) {
    arguments.push_back(parameter.type.empty() ? "std::nullopt" : parameter.name);
    if (parameter.type.empty()) continue;
    parameters.push_back(parameter.type + " " + parameter.name +
                         (parameter.default_value.empty() ? "" : " = " + parameter.default_value));
  }
  const std::string head = "inline " + function.result + " " + function.name + "(";
  std::printf("%s%s) {\n", head.c_str(),
              wrapped(join(parameters, ", "), std::min<size_t>(head.size(), 40)).c_str());
  const std::string call =
      "(\"" + std::string(function.op->name()) + "\", {" + join(arguments, ", ") + "})";
  const std::string result = wrapped(call, 8);
  if (function.result == "void") {
    std::printf("  detail::call%s;\n", result.c_str());
  } else if (function.result == "Tensor") {
    std::printf("  return detail::call_for_one%s;\n", result.c_str());
  } else if (function.result == "std::vector<Tensor>") {
    std::printf("  return detail::call%s;\n", result.c_str());
  } else {
    std::printf("  return detail::call_for_many<%zu>%s;\n", function.op->schema.returns.size(),
                result.c_str());
  }
  std::printf("}\n\n");
}

}  // namespace

void print_ops_header(const ops::OpTable& table) {
  std::vector<Function> functions;
  for (const ir::OpInfo* op : table.all()) {
    if (auto function = function_of(*op)) functions.push_back(std::move(*function));
  }
  std::map<std::string, std::vector<Function*>> by_name;
  for (Function& function : functions) {
    give_trailing_defaults_only(function);
    by_name[function.name].push_back(&function);
  }
  for (auto& [name, overloads] : by_name) {
    separate(overloads);
    for (Function* function : overloads) give_trailing_defaults_only(*function);
  }
  std::printf(
      "// The operators, with PyTorch's names, arguments, defaults and rules of promotion.\n"
      "//\n"
      "// Written by `litz ops --header`; a test checks that it is current. Each function calls "
      "one\n"
      "// overload, which its last line of documentation names in PyTorch's notation. Names that "
      "end\n"
      "// in _ change their first operand in place. Overloads that C++ could not tell apart end "
      "in\n"
      "// the overload's name. All throw litz::Error for operands that do not fit.\n\n"
      "#pragma once\n\n"
      "#include <cmath>\n#include <optional>\n#include <string_view>\n#include <tuple>\n"
      "#include <vector>\n\n"
      "#include \"litz/arguments.h\"\n\n"
      "// clang-format off\n"
      "// NOLINTBEGIN(readability-identifier-naming): the names are PyTorch's.\n"
      "namespace litz {\ninline namespace v1 {\n\n");
  for (const Function& function : functions) {
    print(function);
    if (const auto sizes = with_sizes(function)) print(*sizes);
  }
  std::printf(
      "}  // namespace v1\n}  // namespace litz\n// NOLINTEND(readability-identifier-naming)\n// "
      "clang-format on\n");
}

}  // namespace litz::tools
