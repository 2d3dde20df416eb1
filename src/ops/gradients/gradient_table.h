// The gradients of operators, by name.
//
// A family's gradients are in the file of its name in this folder. A row may name several
// operators, separated by spaces, that have one formula. Operators that are defined by others
// (Decompose) need no row: they are differentiated through their definition. Neither do results of
// integers and bools, through which nothing can be differentiated.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/gradients/gradient_call.h"

namespace litz::ops {

enum class GradientKind : uint8_t {
  formula,
  constant,   ///< The results do not depend on the elements of any operand.
  undefined,  ///< There is no derivative: a loss that depends on the operator is refused.
};

struct Gradient {
  std::string_view ops;
  void (*build)(GradientCall&) = nullptr;
  GradientKind kind = GradientKind::formula;
  std::string_view why = {};  ///< Why it is undefined.
};

/// Results that do not depend on the elements of operands, such as fills and random numbers.
constexpr Gradient constant(std::string_view ops) {
  return {ops, nullptr, GradientKind::constant, {}};
}

constexpr Gradient undefined(std::string_view ops, std::string_view why) {
  return {ops, nullptr, GradientKind::undefined, why};
}

/// The formula of steps: zero wherever there is a derivative.
void zero_gradient(GradientCall& call);

/// Null for an operator without a row.
const Gradient* find_gradient(std::string_view op);

/// All rows of all families.
std::span<const std::span<const Gradient>> all_gradients();

}  // namespace litz::ops
