// The type of a value: a tensor, a host scalar (with its expression), or an effect token.

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "types/tensor_type.h"

namespace litz::ir {

/// A host scalar. `value` is its value in terms of symbols; for a data-dependent result it is the
/// symbol that the node defines.
struct ScalarType {
  ExprDomain domain = ExprDomain::integer;
  Expr value;
  bool operator==(const ScalarType&) const = default;
};

/// Orders effects; carries no data.
struct TokenType {
  bool operator==(const TokenType&) const = default;
};

/// A result without a value (gradients that were masked off).
struct NoneType {
  bool operator==(const NoneType&) const = default;
};

using ValueType = std::variant<TensorType, ScalarType, TokenType, NoneType>;

inline bool is_tensor(const ValueType& type) { return std::holds_alternative<TensorType>(type); }

inline bool is_scalar(const ValueType& type) { return std::holds_alternative<ScalarType>(type); }

/// IR spelling of a scalar domain: "int", "real", "bool".
std::string_view scalar_domain_name(ExprDomain domain);
/// IR spelling: `f32[2, s0]`, `int(s0)`, `real(0.5)`, `bool(true)`, `token`, `none`.
std::string to_string(const ValueType& type);

}  // namespace litz::ir
