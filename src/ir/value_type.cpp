// The IR spelling of value types: `f32[2, s0]`, `int(s0)`, `token`, `none`.

#include "ir/value_type.h"

#include "schema/attribute.h"

namespace litz::ir {

std::string_view scalar_domain_name(ExprDomain domain) {
  switch (domain) {
    case ExprDomain::integer:
      return "int";
    case ExprDomain::real:
      return "real";
    case ExprDomain::boolean:
      return "bool";
  }
  return {};
}

std::string to_string(const ValueType& type) {
  if (const auto* tensor = std::get_if<TensorType>(&type)) return litz::to_string(*tensor);
  if (const auto* scalar = std::get_if<ScalarType>(&type)) {
    return std::string(scalar_domain_name(scalar->domain)) + "(" + scalar_text(scalar->value) + ")";
  }
  return std::holds_alternative<TokenType>(type) ? "token" : "none";
}

}  // namespace litz::ir
