// The roles of the inputs and outputs of an exported program.

#pragma once

#include <cstdint>

namespace litz {

enum class InputKind : uint8_t { parameter, buffer, constant, user, constant_value, token };

enum class OutputKind : uint8_t {
  user,
  loss,
  buffer_mutation,
  parameter_mutation,
  input_mutation,
  gradient,
  token,
};

/// True if calls give this input; they do not give weights and tokens.
constexpr bool is_given_by_caller(InputKind kind) {
  return kind == InputKind::user || kind == InputKind::constant_value;
}

constexpr bool is_weight(InputKind kind) {
  return kind == InputKind::parameter || kind == InputKind::buffer || kind == InputKind::constant;
}

/// True for results of the user, as opposed to new contents of inputs.
constexpr bool is_user_output(OutputKind kind) {
  return kind == OutputKind::user || kind == OutputKind::loss || kind == OutputKind::gradient;
}

/// True for new contents of an input.
constexpr bool is_mutation(OutputKind kind) {
  return kind == OutputKind::buffer_mutation || kind == OutputKind::parameter_mutation ||
         kind == OutputKind::input_mutation;
}

}  // namespace litz
