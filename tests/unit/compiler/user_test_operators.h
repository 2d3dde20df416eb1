// Operators of the namespace `test`, one for everything that the ABI of users' operators can say.

#pragma once

#include <span>

#include "litz/operators.h"

namespace litz::compiler {

std::span<const litz_operator> test_operators();

/// How often test::log was called.
int logged();

litz_operator_library library_of(std::span<const litz_operator> operators);

}  // namespace litz::compiler
