// The interface of a compiled program: inputs, outputs, conditions.

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

/// A number of the host. It must equal `value`, or binds it if that is a bare symbol.
struct HostScalar {
  ExprDomain domain = ExprDomain::integer;
  Expr value;
};

/// Nothing (None, or an order of effects), a tensor, or a number.
using ValueType = std::variant<std::monostate, TensorType, HostScalar>;

/// The value that the caller must pass for an input that was fixed at export: None, a number, text.
using Literal = std::variant<std::monostate, Expr, std::string>;

struct ProgramInput {
  InputKind kind = InputKind::user;
  bool persistent = true;  ///< Buffers only.
  std::string label;       ///< The name in errors: "x", "opts['k']", a weight's full name.
  std::string name;        ///< The name in the exported graph.
  ValueType type;
  Literal literal;  ///< constant_value only.
  Tensor data;      ///< Parameters, buffers and constants that the program reads.
};

struct ProgramOutput {
  OutputKind kind = OutputKind::user;
  int32_t input = -1;  ///< Mutations: the input that gets the value.
  std::string label;
  ValueType type;
};

struct Signature {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramOutput> outputs;
  std::vector<Guard> guards;
};

}  // namespace litz::artifact
