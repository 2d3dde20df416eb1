// What callers of a compiled program see: inputs, outputs, conditions.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "expr/expr.h"
#include "expr/guard.h"
#include "types/signature_kinds.h"
#include "types/tensor.h"
#include "types/tensor_type.h"

namespace litz::artifact {

/// A number of the host. `value` is what it equals; a bare symbol is given a value by it.
struct HostScalar {
  ExprDomain domain = ExprDomain::integer;
  Expr value;
};

/// Nothing (None, or an order of effects), a tensor, a number.
using ValueType = std::variant<std::monostate, TensorType, HostScalar>;

/// What the caller must pass for an input that was fixed at export: None, a number, text.
using Literal = std::variant<std::monostate, Expr, std::string>;

struct ProgramInput {
  InputKind kind = InputKind::user;
  bool persistent = true;  ///< Buffers only.
  std::string label;       ///< How people call it: "x", "opts['k']", a weight's full name.
  std::string name;        ///< How the exported graph called it.
  ValueType type;
  Literal literal;  ///< constant_value only.
  Tensor data;      ///< Parameters, buffers and constants that the program reads.
};

struct ProgramOutput {
  OutputKind kind = OutputKind::user;
  int32_t input = -1;  ///< Mutations: the input that receives the value.
  std::string label;
};

struct Signature {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramOutput> outputs;
  std::vector<Guard> guards;
};

}  // namespace litz::artifact
