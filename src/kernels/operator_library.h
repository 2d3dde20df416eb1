// Tables and shared objects with operators of users (litz/operators.h): opens, checks and registers
// them.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/user_functions.h"
#include "litz/operators.h"
#include "schema/schema.h"

namespace litz::kernels {

/// An operator of a table, checked against its own schema.
struct UserOperator {
  ir::Schema schema;
  UserFunction function;
};

/// Registers the operators of a table in a second place, such as the compiler's. If it throws, they
/// are registered nowhere.
using AlsoRegister = std::function<void(const std::vector<UserOperator>&)>;

/// Registers the operators of a shared object: all of them or, if it throws, none. Programs loaded
/// from then on find their functions. Returns their number; registering an object again changes
/// nothing. Throws Error: not_found or io for a file that cannot be opened, unsupported for one of
/// another ABI, invalid_argument, with the operator and what must hold, for an inconsistent table.
size_t register_operators(const std::string& path, const AlsoRegister& also = {});
/// Registers a table in memory, which must live until the process ends; `origin` names it in
/// errors.
size_t register_operators(const litz_operator_library& library, const std::string& origin,
                          const AlsoRegister& also = {});

}  // namespace litz::kernels
