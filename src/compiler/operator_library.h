// Shared objects with operators of users (litz/operators.h): opening, checking, registering.

#pragma once

#include <cstddef>
#include <string>

#include "litz/operators.h"

namespace litz::compiler {

/// Registers the operators of a shared object, all of them or, where it throws, none. Programs that are
/// read from then on know them. Gives how many there are; registering an object again changes nothing.
/// Throws Error: not_found or io for a file that cannot be opened, unsupported for one of another ABI,
/// invalid_argument, with the operator and what must hold, for what does not fit together.
size_t register_operators(const std::string& path);
/// The same of a table in memory, which must last as long as the process; `origin` names it in errors.
size_t register_operators(const litz_operator_library& library, const std::string& origin);

}  // namespace litz::compiler
