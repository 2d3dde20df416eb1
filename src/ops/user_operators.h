// The signatures and traits of operators that users registered. A library function with their name
// computes them (kernels/user_functions.h).

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ir/op_info.h"
#include "ops/call.h"

namespace litz::ops {

struct UserOperator {
  ir::Schema schema;
  ir::Trait traits = ir::Trait::none;
  int like = -1;  ///< The argument that determines dtype and sizes of all results; -1: `types`.
  /// The types of results that are not arguments, of calls for which no program states them.
  std::function<std::vector<TensorType>(const Call&)> types = {};
};

/// Adds all operators or, if it throws, none: Error{invalid_argument} for a name of Litz's own. No
/// name may be registered already. They stay until the process ends. Thread-safe.
void register_user_operators(std::vector<UserOperator> operators);

/// The types of the results of a call that no program states. Throws Error{unsupported} for an operator
/// that does not tell them.
std::vector<ir::ValueType> types_of_call(const ir::OpInfo& op,
                                         std::span<const ir::Argument> arguments,
                                         ir::InferContext& context);

/// Litz's operators and those registered so far. Operators stay where they are until the process ends.
std::shared_ptr<const ir::OpSet> known_ops();

}  // namespace litz::ops
