// Operators that a program calls and nobody can compute.

#pragma once

#include <string_view>

#include "ir/program.h"

namespace litz::compiler {

/// What to try, to stand behind the name of an operator.
inline constexpr std::string_view kHowToRegister =
    "- register one with `--operators FILE.so` or litz::register_operators (docs/operators.md), or "
    "write the model with operators of aten";

/// Throws Error{unsupported} that lists the operators without a function, with the first node that
/// calls each, its line of Python and how many more do, and similar names.
void require_functions(const ir::Program& program);

}  // namespace litz::compiler
