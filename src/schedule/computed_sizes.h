// The expressions of sizes that the code of a kernel computes.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loops/kernel.h"

namespace litz::schedule {

/// Calls `visit` for every expression of an instruction of the kernel; those of nested ones are not
/// visited.
void for_each_expr(const loops::Kernel& kernel, const loops::Instr& instr,
                   const std::function<void(Expr)>& visit);

/// Names a function of sizes in the kernel that no code generator computes; nullopt: none.
std::optional<std::string> function_not_compiled(const loops::Kernel& kernel);

}  // namespace litz::schedule
