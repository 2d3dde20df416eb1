// Converts scanned signatures to owned values, and back to text.

#include "schema/schema.h"

#include <charconv>
#include <cstdlib>

#include "support/check.h"

namespace litz::ir {
namespace {

struct KindName {
  ArgKind kind;
  std::string_view name;
};

Expr parse_number(std::string_view text) {
  if (text == "True") return Expr::boolean(true);
  if (text == "False") return Expr::boolean(false);
  if (text.find_first_of(".e") != std::string_view::npos) {
    return Expr::real(std::strtod(std::string(text).c_str(), nullptr));
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(),
          "a number in a schema must be an integer that fits 64 bits:", text);
  return value;
}

Expr parse_element(ArgKind kind, std::string_view text) {
  const Expr value = parse_number(text);
  const bool real = kind == ArgKind::real || kind == ArgKind::real_list;
  if (real && value.domain() == ExprDomain::integer) {
    return Expr::real(static_cast<double>(value.constant()));
  }
  return value;
}

Scalars parse_list(ArgKind kind, std::string_view text) {
  Scalars values;
  size_t at = 1;  // Past '['.
  while (true) {
    at = text.find_first_not_of(" ,", at);
    if (text[at] == ']') return values;
    const size_t end = text.find_first_of(" ,]", at);
    values.push_back(parse_element(kind, text.substr(at, end - at)));
    at = end;
  }
}

Attribute parse_word(ArgKind kind, std::string_view text) {
  if (kind == ArgKind::dtype) {
    const auto dtype = parse_dtype(text);
    require(dtype.has_value(), "a dtype default must name a dtype:", text);
    return *dtype;
  }
  if (kind == ArgKind::device) {
    const auto device = parse_device(text);
    require(device.has_value(), "a device default must name a device:", text);
    return *device;
  }
  if (kind == ArgKind::memory_format) {
    const auto format = parse_memory_format(text);
    require(format.has_value(), "a memory format default must name a memory format:", text);
    return *format;
  }
  require(text == "strided", ErrorCode::unsupported, "the only layout is strided:", text);
  return Layout::strided;
}

Attribute parse_default(const detail::ScannedArgument& scanned) {
  const std::string_view text = scanned.default_text;
  if (text == "None") return std::monostate{};
  switch (scanned.type.kind) {
    case ArgKind::scalar:
    case ArgKind::integer:
    case ArgKind::real:
    case ArgKind::boolean:
      return parse_element(scanned.type.kind, text);
    case ArgKind::string:
      return std::string(text.substr(1, text.size() - 2));
    case ArgKind::dtype:
    case ArgKind::layout:
    case ArgKind::device:
    case ArgKind::memory_format:
      return parse_word(scanned.type.kind, text);
    case ArgKind::string_list:
      return Strings{};
    default:
      break;
  }
  Scalars values = text.front() == '[' ? parse_list(scanned.type.kind, text)
                                       : Scalars{parse_element(scanned.type.kind, text)};
  if (values.size() == 1 && scanned.type.length > 1) {
    values.resize(static_cast<size_t>(scanned.type.length), values.front());
  }
  return values;
}

constexpr KindName kKindNames[] = {
    {ArgKind::tensor, "Tensor"},
    {ArgKind::tensor_list, "Tensor[]"},
    {ArgKind::optional_tensor_list, "Tensor?[]"},
    {ArgKind::scalar, "Scalar"},
    {ArgKind::scalar_list, "Scalar[]"},
    {ArgKind::integer, "int"},
    {ArgKind::integer_list, "int[]"},
    {ArgKind::real, "float"},
    {ArgKind::real_list, "float[]"},
    {ArgKind::boolean, "bool"},
    {ArgKind::boolean_list, "bool[]"},
    {ArgKind::string, "str"},
    {ArgKind::string_list, "str[]"},
    {ArgKind::dtype, "ScalarType"},
    {ArgKind::layout, "Layout"},
    {ArgKind::device, "Device"},
    {ArgKind::memory_format, "MemoryFormat"},
    {ArgKind::generator, "Generator"},
    {ArgKind::graph, "Graph"},
    {ArgKind::op, "Op"},
    {ArgKind::any, "Any"},
    {ArgKind::any_list, "Any[]"},
};

// "Tensor(a!)[]": the alias set is between the base type and its suffixes.
std::string type_text(ArgKind kind, int length, bool optional, bool mutated, char alias) {
  std::string_view base = name(kind);
  std::string suffix;
  if (const size_t at = base.find_first_of("?["); at != std::string_view::npos) {
    suffix = base.substr(at);
    base = base.substr(0, at);
  }
  std::string text(base);
  if (alias != 0) text.append("(").append(1, alias).append(mutated ? "!)" : ")");
  if (length > 0) suffix = "[" + std::to_string(length) + "]";
  return text + suffix + (optional ? "?" : "");
}

std::string default_text(const Attribute& attribute);

std::string scalar_text(const Expr& value) {
  if (!value.is_constant() || value.domain() != ExprDomain::boolean) return to_string(value);
  return value.boolean_constant() ? "True" : "False";
}

std::string default_text(const Attribute& attribute) {
  if (std::holds_alternative<std::monostate>(attribute)) return "None";
  if (const auto* value = std::get_if<Expr>(&attribute)) return scalar_text(*value);
  if (const auto* text = std::get_if<std::string>(&attribute)) return "'" + *text + "'";
  if (const auto* dtype = std::get_if<DType>(&attribute)) return std::string(torch_name(*dtype));
  if (const auto* device = std::get_if<Device>(&attribute)) return to_string(*device);
  if (std::holds_alternative<Layout>(attribute)) return "strided";
  if (const auto* format = std::get_if<MemoryFormat>(&attribute)) {
    return std::string(name(*format));
  }
  std::string text = "[";
  if (const auto* values = std::get_if<Scalars>(&attribute)) {
    for (const Expr& value : *values) {
      if (text.size() > 1) text += ", ";
      text += scalar_text(value);
    }
  }
  return text + "]";
}

[[noreturn]] void fail_at(std::string_view text, const detail::SchemaScanner& scanner) {
  fail(ErrorCode::invalid_argument, "malformed operator schema:", scanner.error(), "at column",
       scanner.at() + 1, "of", text);
}

}  // namespace

std::string_view name(ArgKind kind) {
  for (const KindName& entry : kKindNames) {
    if (entry.kind == kind) return entry.name;
  }
  check(false, "every argument kind has a name:", static_cast<int>(kind));
  return {};
}

int Schema::find(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == argument) return static_cast<int>(i);
  }
  return -1;
}

bool Schema::mutates() const {
  for (const SchemaArgument& argument : arguments) {
    if (argument.mutated) return true;
  }
  return false;
}

Schema parse_schema(std::string_view text) {
  detail::SchemaScanner scanner(text);
  Schema schema;
  schema.name = scanner.operator_name();
  detail::ScannedArgument scanned;
  while (scanner.next_argument(scanned)) {
    SchemaArgument argument;
    argument.name = scanned.name;
    argument.kind = scanned.type.kind;
    argument.optional = scanned.type.optional;
    argument.symbolic = scanned.type.base.starts_with("SymInt");
    argument.length = scanned.type.length;
    argument.keyword_only = scanned.keyword_only;
    argument.mutated = scanned.type.mutated;
    argument.alias = scanned.type.alias;
    require(schema.find(argument.name) < 0, "argument names of a schema must differ:", text);
    if (!scanned.default_text.empty()) {
      argument.has_default = true;
      argument.default_value = parse_default(scanned);
    }
    schema.arguments.push_back(std::move(argument));
  }
  if (scanner.begin_returns()) {
    detail::ScannedType type;
    std::string_view result_name;
    while (scanner.next_return(type, result_name)) {
      schema.returns.push_back({std::string(result_name), type.kind, type.mutated, type.alias});
      if (scanner.error() != nullptr) break;
    }
  }
  if (scanner.error() != nullptr) fail_at(text, scanner);
  return schema;
}

std::string to_string(const Schema& schema) {
  std::string text = schema.name + "(";
  bool keyword_only = false;
  for (const SchemaArgument& argument : schema.arguments) {
    if (&argument != schema.arguments.data()) text += ", ";
    if (argument.keyword_only && !keyword_only) text += "*, ";
    keyword_only = argument.keyword_only;
    text += type_text(argument.kind, argument.length, argument.optional, argument.mutated,
                      argument.alias);
    text += " " + argument.name;
    if (argument.has_default) text += "=" + default_text(argument.default_value);
  }
  text += ") -> ";
  const bool tuple = schema.returns.size() != 1;
  if (tuple) text += "(";
  for (const SchemaReturn& result : schema.returns) {
    if (&result != schema.returns.data()) text += ", ";
    text += type_text(result.kind, 0, false, result.mutated, result.alias);
    if (!result.name.empty()) text += " " + result.name;
  }
  return text + (tuple ? ")" : "");
}

}  // namespace litz::ir
