// Operators that a program calls and that have no implementation.

#pragma once

#include <string_view>

#include "ir/program.h"

namespace litz::compiler {

/// A remedy for the user, to follow the name of an operator.
inline constexpr std::string_view kHowToRegister =
    "- register one with `--operators FILE.so` or litz::register_operators (docs/operators.md), or "
    "write the model with operators of aten";

/// Throws Error{unsupported} that lists the operators without a function. Each entry gives the
/// first node that calls it, its line of Python, the number of other calls, and similar names. For
/// operators of PyTorch, the advice is another form of export.
void require_functions(const ir::Program& program);

}  // namespace litz::compiler
