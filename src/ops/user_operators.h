// The signatures and traits of operators that users registered. A library function with their name
// computes them (kernels/user_functions.h).

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ir/op_info.h"
#include "ops/call.h"

namespace litz::ops {

struct UserOperator {
  ir::Schema schema;
  ir::Trait traits = ir::Trait::none;
  int like = -1;  ///< The argument that determines dtype and sizes of all results; -1: `types`.
  /// The types of results that are not arguments; empty: programs state them.
  std::function<std::vector<TensorType>(const Call&)> types = {};
};

/// Adds all operators or, if it throws, none: Error{invalid_argument} for a name of Litz's own. No
/// name may be registered already. They stay until the process ends. Thread-safe.
void register_user_operators(std::vector<UserOperator> operators);

/// Litz's operators and those registered so far. Operators stay where they are until the process ends.
std::shared_ptr<const ir::OpSet> known_ops();

}  // namespace litz::ops
