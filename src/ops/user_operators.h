// Operators that users registered: their signatures and traits. What computes them is a library function
// of their name (kernels/user_functions.h).

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/op_info.h"

namespace litz::ops {

struct UserOperator {
  ir::Schema schema;
  ir::Trait traits = ir::Trait::none;
  int like = -1;  ///< The argument whose dtype and sizes all results have; -1: types are stated.
};

/// Adds operators, all of them or, where it throws, none: Error{invalid_argument} for a name that Litz
/// or another registered operator has. They stay as long as the process does. Thread-safe.
void register_user_operators(std::vector<UserOperator> operators);

/// The operators of Litz and those that were registered so far.
std::shared_ptr<const ir::OpSet> known_ops();

}  // namespace litz::ops
