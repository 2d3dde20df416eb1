// Registers operators of users (litz/operators.h), their signatures for programs and their functions
// for calls.

#pragma once

#include <cstddef>
#include <string>

#include "litz/operators.h"

namespace litz::compiler {

/// Like kernels::register_operators; programs read from then on know them. Throws
/// Error{invalid_argument} also for the name of an operator of Litz.
size_t register_operators(const std::string& path);
/// Registers a table in memory, which must live until the process ends; `origin` names it in
/// errors.
size_t register_operators(const litz_operator_library& library, const std::string& origin);

}  // namespace litz::compiler
