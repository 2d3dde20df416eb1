// Shared objects with operators of users (litz/operators.h): opens, checks and registers them.

#pragma once

#include <cstddef>
#include <string>

#include "litz/operators.h"

namespace litz::compiler {

/// Registers the operators of a shared object: all of them or, if it throws, none. Programs read
/// from then on know them. Returns their number; registering an object again changes nothing.
/// Throws Error: not_found or io for a file that cannot be opened, unsupported for one of another
/// ABI, invalid_argument, with the operator and what must hold, for an inconsistent table.
size_t register_operators(const std::string& path);
/// Registers a table in memory, which must live until the process ends; `origin` names it in
/// errors.
size_t register_operators(const litz_operator_library& library, const std::string& origin);

}  // namespace litz::compiler
