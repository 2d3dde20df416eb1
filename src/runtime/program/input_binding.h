// Checks the inputs of a call against the program's declarations, and finds the symbols' values.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "artifact/signature.h"
#include "expr/expr.h"
#include "runtime/program/value.h"

namespace litz::runtime {

/// An input as declared.
struct DeclaredInput {
  std::string label;  ///< The name in errors: "x", "opts['k']".
  artifact::ValueType type;
};

/// Binds the symbols of the declared types from the values: first sizes that are a bare symbol and
/// scalars, then compound sizes, solved where they are linear in one unknown. Throws
/// Error{invalid_argument} naming the input, the expected and the given value; Error{out_of_range}
/// or {invalid_argument} for a symbol outside its range.
void bind_inputs(std::span<const DeclaredInput> declared, std::span<const Value> values,
                 const ExprPool& pool, Bindings& bindings);

}  // namespace litz::runtime
