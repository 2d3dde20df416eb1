// Operators that run at once and are recorded for gradients. Include it after public_support.h.

#pragma once

#include <span>
#include <vector>

#include "compiler/api/operator_calls.h"

// After the library's own names.
#include "compiler/api/tape.h"

namespace litz {
inline namespace v1 {

/// True if gradients are recorded now and an argument requires some.
bool is_recorded(std::span<const detail::Argument> arguments);

/// The results of a call that is recorded. `operands` are the same arguments as the library has them.
std::vector<Tensor> recorded_call(const ir::OpInfo& op, std::span<const detail::Argument> arguments,
                                  std::vector<compiler::CallArgument> operands);

}  // namespace v1
}  // namespace litz
