// Walks over every iteration of loops of constant extent: how small cases are decided that no rule
// about expressions decides.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "expr/expr.h"
#include "loops/kernel.h"

namespace litz::loops {

/// Walks longer than this are not worth a proof.
inline constexpr int64_t kMostIterations = 1 << 16;

/// The number of iterations of all loops together; nothing when an extent is not constant or the
/// product exceeds kMostIterations.
std::optional<int64_t> iteration_count(const std::vector<const loops::LoopVar*>& vars);

/// Calls `body` once an iteration, the last variable fastest, with the variables set in `values`.
void for_each_iteration(const std::vector<const loops::LoopVar*>& vars, Bindings& values,
                        const std::function<void()>& body);

/// The value of an expression, or nothing when it names what has no value.
std::optional<int64_t> value_of(Expr expr, const Bindings& values);

}  // namespace litz::loops
