#include "import/value_scope.h"

#include <complex>

#include "import/schema_json.h"
#include "import/targets.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {

using ir::Argument;
using ir::Attribute;
using ir::Scalars;
using ir::Value;

ValueScope::ValueScope(const JsonValue& graph, const JsonPath& path, SymbolTable& symbols)
    : graph_(graph), path_(path), symbols_(symbols) {}

const JsonValue& ValueScope::table(std::string_view key) const {
  static const JsonValue kNone{};
  const JsonValue* found = graph_.get(key, path_);
  return found == nullptr ? kNone : *found;
}

bool ValueScope::has_tensor(std::string_view name) const {
  const JsonValue& values = table("tensor_values");
  return !values.is_null() && values.get(name, path_) != nullptr;
}

TensorType ValueScope::tensor_type(std::string_view name) const {
  const JsonPath at = path_ / "tensor_values";
  if (!has_tensor(name)) {
    fail(ErrorCode::corrupt, "G2: a tensor must be described:", at, quote(name));
  }
  return read_tensor_meta(*table("tensor_values").get(name, at), at / name, symbols_);
}

Expr ValueScope::scalar(std::string_view name, ExprDomain domain) const {
  const std::string_view key = domain == ExprDomain::integer ? "sym_int_values"
                               : domain == ExprDomain::real  ? "sym_float_values"
                                                             : "sym_bool_values";
  const JsonPath at = path_ / key;
  const JsonValue& values = table(key);
  const JsonValue* found = values.is_null() ? nullptr : values.get(name, at);
  if (found == nullptr) {
    fail(ErrorCode::corrupt, "G2: a host scalar must be described:", at, quote(name));
  }
  const JsonPath entry = at / name;
  if (domain == ExprDomain::integer) return symbols_.sym_int(*found, entry);
  if (domain == ExprDomain::real) return symbols_.sym_float(*found, entry);
  return symbols_.sym_bool(*found, entry);
}

std::optional<Expr> ValueScope::find_scalar(std::string_view name) const {
  struct Table {
    std::string_view key;
    ExprDomain domain;
  };

  constexpr Table kTables[] = {{"sym_int_values", ExprDomain::integer},
                               {"sym_float_values", ExprDomain::real},
                               {"sym_bool_values", ExprDomain::boolean}};
  for (const Table& one : kTables) {
    const JsonValue& values = table(one.key);
    if (!values.is_null() && values.get(name, path_) != nullptr) return scalar(name, one.domain);
  }
  return std::nullopt;
}

void ValueScope::bind(std::string_view name, Binding binding) {
  const bool fresh = bindings_.emplace(name, binding).second;
  if (!fresh) fail(ErrorCode::corrupt, "G1: a name must be defined once:", path_, quote(name));
}

const Binding& ValueScope::find(std::string_view name) const {
  const auto found = bindings_.find(name);
  if (found == bindings_.end()) {
    fail(ErrorCode::corrupt, "G1: a name must be defined before it is used:", path_, quote(name));
  }
  return found->second;
}

Value ValueScope::value(std::string_view name) const {
  const auto* value = std::get_if<Value>(&find(name));
  if (value == nullptr) {
    fail(ErrorCode::corrupt, "G2: a tensor must not be a host scalar:", path_, quote(name));
  }
  return *value;
}

Expr ValueScope::expression(std::string_view name) const {
  const auto* expr = std::get_if<Expr>(&find(name));
  if (expr == nullptr) {
    fail(ErrorCode::corrupt, "G2: a host scalar must not be a tensor:", path_, quote(name));
  }
  return *expr;
}

std::string_view argument_name(const JsonValue& value, const JsonPath& path) {
  return value.at("name", path).as_string(path / "name");
}

namespace {

// A {"as_name": ...} reference or a literal, as in SymIntArgument and similar unions.
Expr read_scalar(const JsonValue& value, const JsonPath& path, const ValueScope& scope) {
  const JsonMember& member = value.as_union(path);
  const JsonPath at = path / member.key;
  if (member.key == "as_name") return scope.expression(member.value.as_string(at));
  if (member.key == "as_int") return member.value.as_int(at);
  if (member.key == "as_float") return Expr::real(member.value.as_double(at));
  if (member.key == "as_bool") return Expr::boolean(member.value.as_bool(at));
  fail(ErrorCode::corrupt, "J5: unknown kind of scalar:", path, quote(member.key));
}

template <typename Read>
Scalars read_scalars(const JsonValue& list, const JsonPath& path, Read read) {
  Scalars scalars;
  const auto items = list.as_array(path);
  for (size_t i = 0; i < items.size(); ++i) scalars.push_back(read(items[i], path / i));
  return scalars;
}

Value read_optional_tensor(const JsonValue& value, const JsonPath& path, const ValueScope& scope) {
  const JsonMember& member = value.as_union(path);
  if (member.key == "as_none") return {};
  require(member.key == "as_tensor", ErrorCode::corrupt,
          "J5: unknown kind of optional tensor:", path, quote(member.key));
  return scope.value(argument_name(member.value, path / "as_tensor"));
}

std::optional<Argument> read_list(const JsonMember& argument, const JsonPath& path,
                                  const ValueScope& scope) {
  const JsonValue& payload = argument.value;
  if (argument.key == "as_ints") {
    return Argument(Attribute(read_scalars(
        payload, path, [](const auto& v, const auto& p) { return Expr(v.as_int(p)); })));
  }
  if (argument.key == "as_floats") {
    return Argument(Attribute(read_scalars(
        payload, path, [](const auto& v, const auto& p) { return Expr::real(v.as_double(p)); })));
  }
  if (argument.key == "as_bools") {
    return Argument(Attribute(read_scalars(
        payload, path, [](const auto& v, const auto& p) { return Expr::boolean(v.as_bool(p)); })));
  }
  if (argument.key == "as_sym_ints" || argument.key == "as_sym_floats" ||
      argument.key == "as_sym_bools") {
    return Argument(
        Attribute(read_scalars(payload, path, [&](const JsonValue& value, const JsonPath& at) {
          return read_scalar(value, at, scope);
        })));
  }
  if (argument.key == "as_strings") {
    ir::Strings strings;
    for (const JsonValue& item : payload.as_array(path)) {
      strings.emplace_back(item.as_string(path));
    }
    return Argument(Attribute(std::move(strings)));
  }
  if (argument.key != "as_tensors" && argument.key != "as_optional_tensors") return std::nullopt;
  std::vector<Value> values;
  const auto items = payload.as_array(path);
  for (size_t i = 0; i < items.size(); ++i) {
    const JsonPath at = path / i;
    values.push_back(argument.key == "as_tensors" ? scope.value(argument_name(items[i], at))
                                                  : read_optional_tensor(items[i], at, scope));
  }
  return Argument(std::move(values));
}

std::optional<Argument> read_constant(const JsonMember& argument, const JsonPath& path) {
  const JsonValue& payload = argument.value;
  if (argument.key == "as_none") return Argument();
  if (argument.key == "as_int") return Argument(Expr(payload.as_int(path)));
  if (argument.key == "as_float") return Argument(Expr::real(payload.as_double(path)));
  if (argument.key == "as_bool") return Argument(Expr::boolean(payload.as_bool(path)));
  if (argument.key == "as_string") return Argument(std::string(payload.as_string(path)));
  if (argument.key == "as_scalar_type") return Argument(read_dtype(payload, path));
  if (argument.key == "as_memory_format") {
    return Argument(Attribute(read_memory_format(payload, path)));
  }
  if (argument.key == "as_layout") {
    require_strided(payload, path);
    return Argument(Attribute(ir::Layout::strided));
  }
  if (argument.key == "as_device") return Argument(Attribute(read_device(payload, path)));
  if (argument.key == "as_operator") {
    return Argument(Attribute(ir::OpRef{operator_name(payload.as_string(path))}));
  }
  if (argument.key == "as_complex") {
    return Argument(
        Attribute(std::complex<double>(payload.at("real", path).as_double(path / "real"),
                                       payload.at("imag", path).as_double(path / "imag"))));
  }
  return std::nullopt;
}

}  // namespace

Argument read_argument(const JsonMember& argument, const JsonPath& path, const ValueScope& scope) {
  if (argument.key == "as_tensor") {
    return Argument(scope.value(argument_name(argument.value, path)));
  }
  if (argument.key == "as_optional_tensor") {
    const Value value = read_optional_tensor(argument.value, path, scope);
    return value ? Argument(value) : Argument();
  }
  if (argument.key == "as_sym_int" || argument.key == "as_sym_float" ||
      argument.key == "as_sym_bool") {
    return Argument(read_scalar(argument.value, path, scope));
  }
  if (auto constant = read_constant(argument, path)) return *std::move(constant);
  if (auto list = read_list(argument, path, scope)) return *std::move(list);
  const bool known = argument.key == "as_custom_obj" || argument.key == "as_nested_tensors" ||
                     argument.key == "as_int_lists" || argument.key == "as_float_lists" ||
                     argument.key == "as_string_to_argument";
  fail(known ? ErrorCode::unsupported : ErrorCode::corrupt,
       known ? "this kind of argument is not supported:" : "J5: unknown kind of argument:", path,
       quote(argument.key));
}

}  // namespace litz::import_
